/// The sizes of the chunks of an upload, which follow the speed of the connection.
///
/// A chunk is sent again if the connection breaks, so it should not take long. Each chunk also costs a request. The
/// server accepts chunks of at least 5 MB, except for the last one, and at most 10,000 of them.
///
/// All sizes are multiples of a unit, which only depends on the file's size.
struct ChunkSizes: Equatable {
    /// The maximum number of chunks of an upload.
    static let count = 10_000
    /// The smallest size.
    static let least = 5_000_000
    /// The largest size that a server takes.
    private static let most = 5_000_000_000
    private static let first = 10_000_000
    /// The time that a chunk should take.
    private static let time = Duration.seconds(15)

    /// The bytes of which all sizes are a multiple, except the last.
    let unit: Int
    private let limit: Int
    private(set) var next: Int

    /// - Parameters:
    ///   - size: the size of the file.
    ///   - limit: the largest chunk that the server announces, if it does.
    init(fileSize size: Int, limit: Int?) {
        unit = Self.unit(ofFileSize: size)
        self.limit = max(unit, min(max(limit ?? 100 << 20, Self.least), Self.most))
        next = min(Self.first, self.limit)
    }

    /// Returns the unit for a file of a size.
    static func unit(ofFileSize size: Int) -> Int { max(least, (size + count - 1) / count) }

    /// Returns the size of the next chunk.
    ///
    /// - Parameter gap: the bytes from its beginning to the next chunk that was sent, or to the end of the file.
    func size(in gap: Int) -> Int { min(max(next / unit, 1) * unit, gap) }

    /// Adapts the size to the time that a chunk took, by a factor of four at most.
    mutating func adapt(size: Int, took time: Duration) {
        let seconds = max(time / .seconds(1), 0.001)
        let wanted = Double(size) / seconds * (Self.time / .seconds(1))
        next = min(max(Int(min(wanted, Double(next) * 4)), next / 4, Self.least), limit)
    }

    /// Reduces the size, because a proxy in front of the server refused a chunk as too large.
    ///
    /// - Returns: whether there is a smaller one.
    mutating func shrink(from size: Int) -> Bool {
        guard size > unit else { return false }
        next = max(unit, min(next, size / 2))
        return true
    }
}
