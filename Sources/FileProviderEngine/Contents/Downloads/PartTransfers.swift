import ItemStore
import LinuxSystem

/// The running requests for parts of files, and the results of earlier requests. Used on the engine's thread.
struct PartTransfers {
    /// A running request for a part.
    struct Ask {
        /// The range of bytes that the request writes to the local file. No two requests write the same bytes.
        var range: Range<Int64>
        let task: Task<Void, Never>
        /// The time at which the request began, in seconds since 1970.
        let begun: Double
    }

    /// The transfers of one file.
    struct File {
        var requests: [Int: Ask] = [:]
        /// Whether the provider's parts of this file cannot be used, so that the whole file is fetched to obtain the
        /// missing bytes.
        var isRefused = false
        /// Whether the item's current version is being requested. Until the provider replies, no part is requested.
        var isVersionAsked = false
        /// The time at which the last part arrived, in seconds since 1970.
        var moved = 0.0
        /// The maximum size of the next part that is read ahead, in bytes. It is adapted to the speed of the provider's
        /// service, so that each part takes about ``PartTransfers/aheadTime``. If it were fixed, a reader with a slow
        /// connection would have to wait for the end of a large part.
        private(set) var aheadSize = PartTransfers.firstAhead

        /// The time at which the oldest of the running requests began, in seconds since 1970; `nil` if no request is
        /// running.
        var begun: Double? { requests.values.map(\.begun).min() }

        /// Records that a part has arrived.
        ///
        /// - Parameters:
        ///   - begun: The time at which its request began, in seconds since 1970.
        ///   - now: The current time, in seconds since 1970.
        mutating func noteArrival(of range: Range<Int64>, begun: Double, at now: Double) {
            moved = now
            let time = now - begun
            let most = min(aheadSize * 2, PartTransfers.largestAhead)
            guard time > 0 else { return aheadSize = most }
            let size = Double(range.length) / time * PartTransfers.aheadTime
            let blocks = Int64(min(size, Double(most))) / PartBlocks.size
            aheadSize = max(blocks, 1) * PartBlocks.size
        }

        func cancel() { for ask in requests.values { ask.task.cancel() } }
    }

    /// The transfers of each partially materialized file in ``PartialFiles``.
    var files: [ItemNumber: File] = [:]
    /// Whether the provider serves parts; `nil` until the provider has replied.
    var areServed: Bool?
    /// The version of each file that is not served in parts. The provider served no usable parts of it, the file system
    /// does not support its size, or its reads were restarted too often.
    var refused: [ItemNumber: [UInt8]] = [:]
    /// The number of times that the reads of each file were restarted because its version changed.
    var restarts: [ItemNumber: Int] = [:]
    var running = 0
    private var lastNumber = 0

    /// The size in bytes of the smallest file that is fetched in parts. Smaller files are fetched whole.
    static let leastSize: Int64 = 4 << 20
    /// The maximum size of one part, in bytes.
    static let largestPart: Int64 = 16 << 20
    /// The maximum size in bytes of the first part that is requested ahead of a reader. The maximum of later parts is
    /// adapted, up to ``largestAhead``.
    static let firstAhead: Int64 = 1 << 20
    static let largestAhead: Int64 = 8 << 20
    /// The duration in seconds that the transfer of a part ahead of a reader should take.
    static let aheadTime = 0.5
    /// The alignment in bytes of the bounds of parts. The end of the file need not be aligned.
    static let alignment: Int64 = 64 << 10
    /// The maximum number of concurrent requests for parts of one file. ``limit`` is the maximum for all files.
    static let fileLimit = 4
    static let limit = 8
    static let mostRestarts = 3

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}
