import Dispatch
import LinuxSystem

/// A thread that reads the status of a large directory's files ahead of the thread that writes them to the catalogue.
final class FilesAhead: Sendable {
    private struct State {
        var results: [Result<[FoundFile], any Error>] = []
        var isCancelled = false
    }

    /// The number of files in one result.
    private static let count = 500
    /// The maximum number of results that wait for ``next()``.
    private static let depth = 8

    // Leaf lock.
    private let state = Lock(State())
    /// The semaphore that counts the results that wait for ``next()``.
    private let filled = DispatchSemaphore(value: 0)
    /// The semaphore that counts the results for which there is still room.
    private let free = DispatchSemaphore(value: 0)

    /// Whether a directory has so many files that a separate thread is faster.
    static func isWorthIt(for folder: ComparedFolder) -> Bool { folder.names.count > 4 * count }

    /// Returns ranges of the indices of a directory's names, one range for each result.
    static func ranges(of folder: ComparedFolder) -> some Sequence<Range<Int>> {
        stride(from: 0, to: folder.names.count, by: count).lazy.map { range(from: $0, of: folder) }
    }

    /// Returns the range of names that begins at the given index.
    static func range(from index: Int, of folder: ComparedFolder) -> Range<Int> {
        index..<min(index + count, folder.names.count)
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

    /// Returns the files of the next range. Blocks until the thread has read these files. Must not be called after the
    /// last range.
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
