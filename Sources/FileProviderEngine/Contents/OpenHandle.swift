import FileProviderWire
import ItemStore
import LinuxSystem

/// The purpose for which a file is opened.
package enum OpenPurpose: Sendable, Hashable {
    case reading
    /// Reading and writing. If the opening truncates the file, nothing is fetched.
    case writing(truncating: Bool)

    var isWriting: Bool { self != .reading }
}

/// An open handle of a file. Its methods may be called on any thread. None of them blocks until the provider or the
/// engine replies.
package final class OpenHandle: Sendable {
    package let number: ItemNumber
    package let isForWriting: Bool
    private let engine: DomainEngine

    private struct State {
        var descriptor: FileDescriptor?
        /// The partially materialized file that was returned for the last read; `nil` if there was none.
        var part: PartialFile?
        /// The number that identifies this handle as a reader of parts; `nil` before it first requests a part.
        var reader: Int?
        var ahead = ReadAhead()
        var isClosed = false
    }

    // Leaf lock.
    private let state: Lock<State>

    init(_ engine: DomainEngine, _ number: ItemNumber, isForWriting: Bool, descriptor: FileDescriptor?) {
        self.engine = engine
        self.number = number
        self.isForWriting = isForWriting
        state = Lock(State(descriptor: descriptor))
    }

    deinit {
        let state = state.withLock { $0 }
        if !state.isClosed { end(state) { _ in } }
    }

    /// Whether all bytes of the file are local, so that ``descriptor`` is not `nil`.
    package var isComplete: Bool { descriptor != nil }

    /// A descriptor of the local file; `nil` until all its bytes are local. The item's handles for reading share one
    /// descriptor, and those for writing share another.
    package var descriptor: FileDescriptor? { state.withLock { $0.descriptor } }

    /// Calls the completion handler when all bytes are local: at once if they are, otherwise after a fetch.
    @discardableResult
    package func ready(_ completion: @escaping @Sendable (Result<FileDescriptor, ProviderError>) -> Void) -> Cancellable
    {
        if let descriptor {
            completion(.success(descriptor))
            return .over
        }
        let answer = EngineCompletion<FileDescriptor> { [self] result in
            if case .success(let descriptor) = result { state.withLock { $0.descriptor = descriptor } }
            completion(result)
        }
        let (engine, number, isForWriting) = (engine, number, isForWriting)
        engine.perform { $0.downloader.waitForContents(number, isForWriting: isForWriting, answer, $0) }
        return Cancellable { answer.cancel() }
    }

    /// Returns a local file that has the bytes of the given range at the same offsets. Returns `nil` if these bytes are
    /// not all local.
    package func localBytes(at offset: Int64, count: Int) -> FileDescriptor? {
        let range = Self.range(offset, count)
        let (descriptor, part, wanted) = state.withLock {
            state -> (FileDescriptor?, PartialFile?, (Int, Range<Int64>)?) in
            guard state.descriptor == nil, let part = state.part else { return (state.descriptor, nil, nil) }
            guard part.contains(range) else { return (nil, nil, nil) }
            let ahead = state.ahead.note(part.clipped(range), size: part.size)
            return (nil, part, ahead.flatMap { ahead in state.reader.map { ($0, ahead) } })
        }
        if let (reader, ahead) = wanted {
            let number = number
            engine.perform { $0.partDownloader.prefetchPart(number, ahead, reader: reader, $0) }
        }
        return descriptor ?? part?.reading
    }

    /// Registers this handle as one that has read parts of the file before the engine was restarted.
    ///
    /// - Returns: The number that identifies the handle as a reader of parts.
    func resumeReading() -> Int {
        let reader = engine.resources.openFiles.newReader()
        state.withLock { $0.reader = reader }
        return reader
    }

    /// Calls the completion handler when the bytes of the given range are local: at once if they are, otherwise after a
    /// fetch. If the provider serves parts of files, only the parts around the range are fetched.
    ///
    /// - Parameter completion: Receives a file that has the bytes at the same offsets.
    @discardableResult
    package func bytes(
        at offset: Int64, count: Int,
        _ completion: @escaping @Sendable (Result<FileDescriptor, ProviderError>) -> Void
    ) -> Cancellable {
        if let file = localBytes(at: offset, count: count) {
            completion(.success(file))
            return .over
        }
        // An edit needs the whole file locally, because the written bytes become part of it.
        if isForWriting { return ready(completion) }
        let range = Self.range(offset, count)
        let answer = EngineCompletion<PartSource> { [self] result in completion(result.map(taking)) }
        let (engine, number) = (engine, number)
        let (reader, ahead) = state.withLock { state -> (Int, Range<Int64>?) in
            let reader = state.reader ?? engine.resources.openFiles.newReader()
            state.reader = reader
            let size = state.part?.size ?? .max
            return (reader, state.ahead.note(range.clamped(to: 0..<size), size: size))
        }
        engine.perform { engine in
            engine.partDownloader.waitForPart(number, range, reader: reader, answer, engine)
            if let ahead { engine.partDownloader.prefetchPart(number, ahead, reader: reader, engine) }
        }
        return Cancellable {
            answer.cancel()
            engine.perform { $0.partDownloader.partWaiterLeft(number, answer) }
        }
    }

    /// The length of an open file, with the file itself if it is complete.
    package enum Extent: Sendable {
        case whole(FileDescriptor)
        /// The size that the provider reports for a file that is read in parts, in bytes.
        case parts(size: Int64)
    }

    /// Calls the completion handler when the file's length is known. The contents are fetched only if the file is not
    /// served in parts.
    @discardableResult
    package func extent(_ completion: @escaping @Sendable (Result<Extent, ProviderError>) -> Void) -> Cancellable {
        let known = state.withLock { state -> Extent? in
            state.descriptor.map(Extent.whole) ?? state.part.map { .parts(size: $0.size) }
        }
        if let known {
            completion(.success(known))
            return .over
        }
        if isForWriting { return ready { completion($0.map(Extent.whole)) } }
        let answer = EngineCompletion<PartSource> { [self] result in
            completion(
                result.map { source in
                    switch source {
                    case .whole: .whole(taking(source))
                    case .part(let file): .parts(size: file.size)
                    }
                })
        }
        let number = number
        engine.perform { $0.partDownloader.waitForExtent(number, answer, $0) }
        return Cancellable { answer.cancel() }
    }

    /// Stores the given source of bytes for later reads, and returns a descriptor for reading from it.
    private func taking(_ source: PartSource) -> FileDescriptor {
        state.withLock { state in
            switch source {
            case .whole(let descriptor):
                state.descriptor = descriptor
                return descriptor
            case .part(let file):
                state.part = file
                return file.reading
            }
        }
    }

    private static func range(_ offset: Int64, _ count: Int) -> Range<Int64> {
        let start = max(0, offset)
        let (end, isTooFar) = start.addingReportingOverflow(Int64(max(0, count)))
        return start..<(isTooFar ? .max : end)
    }

    /// Journals an edit if the file was written to, and then calls the completion handler. To be called when a
    /// descriptor of the handle is closed, which may happen several times (FUSE_FLUSH).
    package func flush(_ completion: @escaping @Sendable (Result<Void, ProviderError>) -> Void) {
        guard isForWriting else { return completion(.success(())) }
        let number = number
        engine.perform { engine in
            completion(Result { () throws(ProviderError) in try engine.writing.compare(number, engine) })
        }
    }

    /// Makes durable all writes through any handle of the file, and all operations that were completed before this
    /// call, as fsync(2) does.
    ///
    /// - Parameter completion: Called on the engine's thread after some failures, otherwise on a thread that it may
    ///   block.
    package func synchronize(_ completion: @escaping @Sendable (Result<Void, ProviderError>) -> Void) {
        let engine = engine
        let whenWritten: @Sendable (Result<Void, ProviderError>) -> Void = { result in
            guard case .success = result else { return completion(result) }
            engine.durable.synchronize { completion($0.mapError { ProviderError($0) }) }
        }
        guard isForWriting else { return whenWritten(.success(())) }
        ready { result in
            guard case .success(let descriptor) = result else { return whenWritten(result.map { _ in }) }
            HandlerThreads.shared.run {
                let written = Result { () throws(ProviderError) in
                    try onDisk { () throws(Errno) in try descriptor.synchronize() }
                }
                guard case .success = written else { return whenWritten(written) }
                self.flush(whenWritten)
            }
        }
    }

    /// Closes the handle. Later calls have no effect.
    package func close(_ completion: @escaping @Sendable (Result<Void, ProviderError>) -> Void = { _ in }) {
        let before = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state
        }
        guard !before.isClosed else { return completion(.success(())) }
        end(before, completion)
    }

    private func end(_ state: State, _ completion: @escaping @Sendable (Result<Void, ProviderError>) -> Void) {
        if let reader = state.reader {
            let number = number
            engine.perform { $0.partDownloader.partReaderLeft(number, reader, $0) }
        }
        engine.handles.closed(number, isForWriting: isForWriting, completion)
    }
}
