import FileProviderWire
import ItemStore
import LinuxSystem

/// The requests that wait for contents, for whole files or for parts. They are grouped by file, in the order of their
/// arrival. Used only on the engine's thread (see ``EngineContext``).
final class ContentWaiters {
    /// A handle that waits for all bytes of its file.
    struct Handle {
        let isForWriting: Bool
        let answer: EngineCompletion<FileDescriptor>
    }

    /// A request for a range of bytes, by a reading handle or by the engine.
    struct Read {
        let range: Range<Int64>
        /// The number of the reading handle; `nil` if the engine requested the range for a download.
        let reader: Int?
        /// The completion handler; `nil` for read-ahead, for which no reader waits yet.
        let answer: EngineCompletion<PartSource>?
    }

    /// A reader that waits until it is known whether the provider serves parts.
    struct WaitingReader {
        let key: Int
        /// The number of the reading handle; `nil` if the reader waits for the file's length.
        let reader: Int?
        let answer: EngineCompletion<PartSource>
    }

    private enum Waiter {
        case handle(Handle)
        /// A caller that waits until all bytes are local, without an open handle.
        case download(EngineCompletion<Void>)
        case read(Read)
        case waitingReaders(WaitingReader)
    }

    private var files: [ItemNumber: [Waiter]] = [:]
    private var lastKey = 0

    /// Removes those waiters of the given file for which `value` returns a result.
    ///
    /// - Returns: The results, in the order in which the waiters arrived.
    private func take<Value>(_ number: ItemNumber, _ value: (Waiter) -> Value?) -> [Value] {
        guard let waiters = files[number] else { return [] }
        var taken: [Value] = []
        var left: [Waiter] = []
        for waiter in waiters {
            if let value = value(waiter) { taken.append(value) } else { left.append(waiter) }
        }
        files[number] = left.isEmpty ? nil : left
        return taken
    }

    private func add(_ waiter: Waiter, _ number: ItemNumber) { files[number, default: []].append(waiter) }

    // MARK: Handles that need the whole file

    func add(_ handle: Handle, of number: ItemNumber) { add(.handle(handle), number) }

    func handles(of number: ItemNumber) -> [Handle] {
        (files[number] ?? []).compactMap { if case .handle(let handle) = $0 { handle } else { nil } }
    }

    func takeHandles(of number: ItemNumber) -> [Handle] {
        take(number) { if case .handle(let handle) = $0 { handle } else { nil } }
    }

    /// The number of handles that wait for all bytes of each file.
    var handleCounts: [ItemNumber: Int] {
        files.compactMapValues { waiters in
            let count = waiters.count { if case .handle = $0 { true } else { false } }
            return count > 0 ? count : nil
        }
    }

    // MARK: Downloads

    func add(download answer: EngineCompletion<Void>, of number: ItemNumber) { add(.download(answer), number) }

    func hasDownloads(of number: ItemNumber) -> Bool {
        files[number]?.contains { if case .download = $0 { true } else { false } } ?? false
    }

    func takeDownloads(of number: ItemNumber) -> [EngineCompletion<Void>] {
        take(number) { if case .download(let answer) = $0 { answer } else { nil } }
    }

    /// Removes a waiting download. The file's number may have changed since the download was added.
    ///
    /// - Returns: The file's current number; `nil` if the download is not waiting.
    func remove(download answer: EngineCompletion<Void>) -> ItemNumber? {
        for number in files.keys {
            let taken = take(number) { waiter -> Bool? in
                if case .download(let other) = waiter, other === answer { true } else { nil }
            }
            if !taken.isEmpty { return number }
        }
        return nil
    }

    /// Moves the waiting downloads of a replaced file to its new number. Handles of the file continue to wait under the
    /// earlier number.
    func moveDownloads(of number: ItemNumber, to successor: ItemNumber) {
        for answer in takeDownloads(of: number) { add(download: answer, of: successor) }
    }

    // MARK: Reads of byte ranges

    func add(_ read: Read, of number: ItemNumber) { add(.read(read), number) }

    func reads(of number: ItemNumber) -> [Read] {
        (files[number] ?? []).compactMap { if case .read(let read) = $0 { read } else { nil } }
    }

    func takeReads(of number: ItemNumber, where isWanted: (Read) -> Bool = { _ in true }) -> [Read] {
        take(number) { waiter in
            if case .read(let read) = waiter, isWanted(read) { read } else { nil }
        }
    }

    // MARK: Readers of files that may be served in parts

    /// Adds a reader that waits until it is known whether the provider serves parts.
    ///
    /// - Parameter reader: The number of the reading handle; `nil` if the reader waits for the file's length.
    /// - Returns: A key that identifies the reader to ``takeUndecided(of:where:)``.
    func addUndecided(
        _ answer: EngineCompletion<PartSource>, reader: Int?, of number: ItemNumber
    ) -> Int {
        lastKey += 1
        add(.waitingReaders(WaitingReader(key: lastKey, reader: reader, answer: answer)), number)
        return lastKey
    }

    func takeUndecided(
        of number: ItemNumber, where isWanted: (WaitingReader) -> Bool
    ) -> [WaitingReader] {
        take(number) { waiter in
            if case .waitingReaders(let waiting) = waiter, isWanted(waiting) { waiting } else { nil }
        }
    }

    // MARK: The end

    /// Fails all waiters, because the engine is closed.
    func failAll(_ failure: ProviderError) {
        let waiters = files.values.joined()
        files = [:]
        for waiter in waiters {
            switch waiter {
            case .handle(let handle): handle.answer.complete(.failure(failure))
            case .download(let answer): answer.complete(.failure(failure))
            case .read(let read): read.answer?.complete(.failure(failure))
            case .waitingReaders(let waiting): waiting.answer.complete(.failure(failure))
            }
        }
    }
}
