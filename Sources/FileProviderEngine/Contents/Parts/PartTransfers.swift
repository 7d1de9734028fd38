import FileProvider
import LinuxSystem

/// The parts that are under way, and who waits for them; on the engine's thread.
struct PartTransfers {
    /// One that is asked for.
    struct Ask {
        /// What it writes: no two write the same bytes.
        var range: Range<Int64>
        let task: Task<Void, Never>
        /// The time at which it was asked for; seconds since 1970.
        let begun: Double
    }

    /// Somebody who waits for bytes.
    struct Waiter {
        let number: Int
        let range: Range<Int64>
        /// The opening that they are for; `nil` for what is fetched without one.
        let reader: Int?
        /// `nil` where nobody waits yet, and somebody soon will.
        let answer: Answer<PartSource>?
    }

    /// Somebody who waits until it is known whether the provider gives parts.
    struct Undecided {
        let number: ItemNumber
        /// As of ``Waiter``.
        let reader: Int?
        let answer: Answer<PartSource>
    }

    /// One file.
    struct File {
        let file: PartFile
        var asks: [Int: Ask] = [:]
        var waiters: [Waiter] = []
        /// The openings that were given bytes of this version: they get no others.
        var begun: Set<Int> = []
        /// The provider has other contents, and somebody has begun: what is here is all that there will be.
        var isStale = false
        /// The provider gave what cannot be used: what is missing comes with the whole.
        var isRefused = false
        /// The provider says that there is another version, and is asked which: until then no part can be had.
        var isVersionAsked = false
        /// Bytes that the index does not know of.
        var unwritten: Int64 = 0
        var isWritingDue = false
        /// The time at which the last part came; seconds since 1970.
        var moved = 0.0
    }

    var files: [ItemNumber: File] = [:]
    /// By numbers of their own.
    var undecided: [Int: Undecided] = [:]
    /// Whether all openings of a file read the same pages, so that each may have bytes that another has asked for.
    var pagesAreShared = false
    /// Whether the provider gives parts; `nil` until it was asked.
    var areServed: Bool?
    /// Versions of which the provider gave no parts that could be used.
    var refused: [ItemNumber: [UInt8]] = [:]
    /// How often reads were begun anew because the version changed.
    var restarts: [ItemNumber: Int] = [:]
    var running = 0
    private var lastNumber = 0

    /// Smaller files are fetched whole.
    static let leastSize: Int64 = 4 << 20
    /// The most bytes of one part.
    static let largestPart: Int64 = 16 << 20
    /// What the bounds of parts are multiples of, but for the end of the file.
    static let alignment: Int64 = 64 << 10
    /// How many parts are asked for at the same time: of one file, and of all.
    static let fileLimit = 4
    static let limit = 8
    /// So many ranges are written down, the largest ones.
    static let writtenRanges = 512
    /// So many bytes are written down at once, fewer after ``writingPause``.
    static let writtenBytes: Int64 = 32 << 20
    static let writingPause = 0.5
    static let mostRestarts = 3

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

extension PartTransfers.File {
    /// What to ask for next; `nil` where all that is wanted is here or under way.
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
