import FileProvider
import LinuxSystem

/// The requests for parts in progress, and the readers that wait for them. Used on the engine's thread.
struct PartTransfers {
    /// A request for a part.
    struct Ask {
        /// The range that the request writes. No two requests write the same bytes.
        var range: Range<Int64>
        let task: Task<Void, Never>
        /// The time at which the request began, in seconds since 1970.
        let begun: Double
    }

    /// A request for a range of bytes, by a reader or by the engine.
    struct Waiter {
        let number: Int
        let range: Range<Int64>
        /// The number of the reading handle; `nil` if the range is fetched without one.
        let reader: Int?
        /// The completion handler; `nil` for read-ahead, which no reader waits for yet.
        let answer: EngineCompletion<PartSource>?
    }

    /// A reader that waits until it is known whether the provider serves parts.
    struct Undecided {
        let number: ItemNumber
        /// The number of the reading handle, as in ``Waiter``.
        let reader: Int?
        let answer: EngineCompletion<PartSource>
    }

    /// The transfers of one file.
    struct File {
        let file: PartFile
        var asks: [Int: Ask] = [:]
        var waiters: [Waiter] = []
        /// The handles that have read bytes of this version, and that get no bytes of another.
        var begun: Set<Int> = []
        /// Whether the provider has another version and a handle has begun to read this one. No further parts of this
        /// version are fetched.
        var isStale = false
        /// Whether the provider's parts cannot be used, so that the missing bytes are fetched with the whole file.
        var isRefused = false
        /// Whether the provider is being asked for its current version. Until it replies, no part is requested.
        var isVersionAsked = false
        /// The number of local bytes that are not recorded in the index yet.
        var unwritten: Int64 = 0
        var isWritingDue = false
        /// The time at which the last part arrived, in seconds since 1970.
        var moved = 0.0
    }

    var files: [ItemNumber: File] = [:]
    /// The waiting readers, by a number of their own.
    var undecided: [Int: Undecided] = [:]
    /// Whether all handles of a file share the page cache, so that each may have read bytes that another requested.
    var pagesAreShared = false
    /// Whether the provider serves parts; `nil` until the provider has replied.
    var areServed: Bool?
    /// The versions of which the provider served no usable parts.
    var refused: [ItemNumber: [UInt8]] = [:]
    /// The number of times that reads were restarted because the version changed.
    var restarts: [ItemNumber: Int] = [:]
    var running = 0
    private var lastNumber = 0

    /// The size in bytes from which on a file is fetched in parts. Smaller files are fetched whole.
    static let leastSize: Int64 = 4 << 20
    /// The maximum size of one part, in bytes.
    static let largestPart: Int64 = 16 << 20
    /// The alignment of the bounds of parts in bytes, except at the end of the file.
    static let alignment: Int64 = 64 << 10
    /// The maximum number of concurrent requests, for one file and for all files.
    static let fileLimit = 4
    static let limit = 8
    /// The maximum number of ranges that the index records. The largest ones are kept.
    static let writtenRanges = 512
    /// The number of bytes that causes a write to the index at once. Fewer are written after ``writingPause``
    /// seconds.
    static let writtenBytes: Int64 = 32 << 20
    static let writingPause = 0.5
    static let mostRestarts = 3

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

extension PartTransfers.File {
    /// Returns the next range to request; `nil` if every wanted range is local or in progress.
    func nextAsk() -> Range<Int64>? {
        guard !isStale, !isRefused, !isVersionAsked else { return nil }
        let asked = ByteRanges(asks.values.lazy.map(\.range))
        for waiter in waiters {
            for gap in file.gaps(in: PartBlocks.around(waiter.range, size: file.size)) {
                guard let first = asked.gaps(in: gap).first else { continue }
                return first.length <= PartTransfers.largestPart
                    ? first : first.lowerBound..<first.lowerBound + PartTransfers.largestPart
            }
        }
        return nil
    }
}
