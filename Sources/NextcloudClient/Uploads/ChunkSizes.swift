/// The sizes of the chunks of an upload, which are adapted to the speed of the connection.
///
/// A chunk is sent again if the connection breaks, so its transfer should not take long. But each chunk needs a
/// request, so chunks should not be small either. The server accepts chunks of at least 5 MB, except for the last one,
/// and at most 10,000 chunks.
///
/// All sizes are multiples of ``unit``, which only depends on the file's size.
struct ChunkSizes: Equatable {
    /// The maximum number of chunks of an upload.
    static let count = 10_000
    /// The minimum size of a chunk in bytes.
    static let least = 5_000_000
    /// The maximum size of a chunk in bytes that servers accept.
    private static let most = 5_000_000_000
    private static let first = 10_000_000
    /// The duration that the transfer of a chunk should have.
    private static let time = Duration.seconds(15)

    /// The number of bytes of which all sizes are multiples, except the size of the last chunk.
    let unit: Int
    private let limit: Int
    private(set) var next: Int

    /// - Parameters:
    ///   - size: the size of the file in bytes.
    ///   - limit: the maximum size of a chunk in bytes; `nil` if the server does not announce it.
    init(fileSize size: Int, limit: Int?) {
        unit = Self.unit(ofFileSize: size)
        self.limit = max(unit, min(max(limit ?? 100 << 20, Self.least), Self.most))
        next = min(Self.first, self.limit)
    }

    /// Returns the unit for a file of this size.
    static func unit(ofFileSize size: Int) -> Int { max(least, (size + count - 1) / count) }

    /// Returns the size of the next chunk in bytes.
    ///
    /// - Parameter gap: the number of bytes from the beginning of the chunk to the next chunk that the server has, or
    ///   to the end of the file.
    func size(in gap: Int) -> Int { min(max(next / unit, 1) * unit, gap) }

    /// Adapts the size to the duration of a chunk's transfer, by a factor of four at most.
    mutating func adapt(size: Int, took time: Duration) {
        let seconds = max(time / .seconds(1), 0.001)
        let wanted = Double(size) / seconds * (Self.time / .seconds(1))
        next = min(max(Int(min(wanted, Double(next) * 4)), next / 4, Self.least), limit)
    }

    /// Reduces the size, because a proxy in front of the server refused a chunk as too large.
    ///
    /// - Returns: whether a smaller size is possible.
    mutating func shrink(from size: Int) -> Bool {
        guard size > unit else { return false }
        next = max(unit, min(next, size / 2))
        return true
    }
}
