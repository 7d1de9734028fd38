import Dispatch
import LinuxSystem

/// Looks at the files of a large folder on a thread of its own, some ahead of the thread that writes them to the catalogue.
final class FilesAhead: Sendable {
    private struct State {
        var results: [Result<[FoundFile], any Error>] = []
        var isCancelled = false
    }

    /// The number of files that are looked at together.
    private static let count = 1024
    /// The most results that wait.
    private static let depth = 4

    // Innermost.
    private let state = Lock(State())
    /// Counts results, and the room for more.
    private let filled = DispatchSemaphore(value: 0)
    private let free = DispatchSemaphore(value: 0)

    /// Returns whether a folder has so many files that a thread is worth it.
    static func isWorthIt(for folder: ComparedFolder) -> Bool { folder.names.count > 2 * count }

    /// Returns the indices of a folder's names that are looked at together.
    static func ranges(of folder: ComparedFolder) -> some Sequence<Range<Int>> {
        stride(from: 0, to: folder.names.count, by: count).lazy.map { $0..<min($0 + count, folder.names.count) }
    }

    /// Starts the thread.
    init(of folder: ComparedFolder) throws(Errno) {
        for _ in 0..<Self.depth { free.signal() }
        try SystemThread.start("purvey-look") { [self] in
            for range in Self.ranges(of: folder) {
                free.wait()
                if state.withLock({ $0.isCancelled }) { return }
                let result = Result { try folder.files(range) }
                state.withLock { $0.results.append(result) }
                filled.signal()
            }
        }
    }

    /// Returns the files of the next range. Blocks until they were looked at; not to be called after the last range.
    func next() throws -> [FoundFile] {
        filled.wait()
        let result = state.withLock { $0.results.removeFirst() }
        free.signal()
        return try result.get()
    }

    /// Ends the thread.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        free.signal()
    }
}
