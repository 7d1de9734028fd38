import FileProvider
import LinuxSystem

/// What a file is opened for.
package enum OpenPurpose: Sendable, Hashable {
    case reading
    /// Reading and writing. Where it truncates, nothing is fetched.
    case writing(truncating: Bool)

    var isWriting: Bool { self != .reading }
}

/// One opening of a file. Everything may be called on any thread, and blocks neither for the provider nor for the engine.
package final class OpenItem: Sendable {
    package let number: ItemNumber
    package let isForWriting: Bool
    private let engine: DomainEngine

    private struct State {
        var descriptor: FileDescriptor?
        /// Those of which bytes were given.
        var part: PartFile?
        /// By which the engine knows the opening, once it has asked for parts.
        var reader: Int?
        var ahead = ReadAhead()
        var isClosed = false
    }

    // Innermost: nothing is called under it.
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

    /// Whether all bytes are here, so that ``descriptor`` is there.
    package var isComplete: Bool { descriptor != nil }

    /// The file of ours that has the bytes, the same for all openings of the item; for writing as well where that was asked for.
    /// `nil` until all of them are here.
    package var descriptor: FileDescriptor? { state.withLock { $0.descriptor } }

    /// Waits until all bytes are here, and fetches them if nobody has begun to. Called back at once where they are.
    @discardableResult
    package func ready(_ completion: @escaping @Sendable (Result<FileDescriptor, ProviderFailure>) -> Void) -> Waiting {
        if let descriptor {
            completion(.success(descriptor))
            return .over
        }
        let answer = Answer<FileDescriptor> { [self] result in
            if case .success(let descriptor) = result { state.withLock { $0.descriptor = descriptor } }
            completion(result)
        }
        let (engine, number, isForWriting) = (engine, number, isForWriting)
        engine.perform { $0.waitForContents(number, isForWriting: isForWriting, answer) }
        return Waiting { answer.cancel() }
    }

    /// Where some bytes are, if they are here: a file of ours that has them at their places.
    package func bytesHere(at offset: Int64, count: Int) -> FileDescriptor? {
        let range = Self.range(offset, count)
        let (descriptor, part, wanted) = state.withLock { state -> (FileDescriptor?, PartFile?, (Int, Range<Int64>)?) in
            guard state.descriptor == nil, let part = state.part else { return (state.descriptor, nil, nil) }
            guard part.contains(range) else { return (nil, nil, nil) }
            let ahead = state.ahead.note(part.clipped(range), size: part.size)
            return (nil, part, ahead.flatMap { ahead in state.reader.map { ($0, ahead) } })
        }
        if let (reader, ahead) = wanted {
            let number = number
            engine.perform { $0.prefetchPart(number, ahead, reader: reader) }
        }
        return descriptor ?? part?.reading
    }

    /// The opening has read some of the bytes that are here, of another process's engine.
    ///
    /// - Returns: who it is among those who read parts.
    func resumeReading() -> Int {
        let reader = engine.openFiles.newReader()
        state.withLock { $0.reader = reader }
        return reader
    }

    /// Waits until some bytes are here, and fetches them if nobody has begun to: no others, where the provider gives parts of files.
    /// Called back at once where they are here.
    ///
    /// - Parameter completion: told where they are, as ``bytesHere(at:count:)`` is.
    @discardableResult
    package func bytes(
        at offset: Int64, count: Int,
        _ completion: @escaping @Sendable (Result<FileDescriptor, ProviderFailure>) -> Void
    ) -> Waiting {
        if let file = bytesHere(at: offset, count: count) {
            completion(.success(file))
            return .over
        }
        // What is written has to lie beside all of the rest.
        if isForWriting { return ready(completion) }
        let range = Self.range(offset, count)
        let answer = Answer<PartSource> { [self] result in completion(result.map(taking)) }
        let (engine, number) = (engine, number)
        let (reader, ahead) = state.withLock { state -> (Int, Range<Int64>?) in
            let reader = state.reader ?? engine.openFiles.newReader()
            state.reader = reader
            let size = state.part?.size ?? .max
            return (reader, state.ahead.note(range.clamped(to: 0..<size), size: size))
        }
        engine.perform { engine in
            engine.waitForPart(number, range, reader: reader, answer)
            if let ahead { engine.prefetchPart(number, ahead, reader: reader) }
        }
        return Waiting {
            answer.cancel()
            engine.perform { $0.partWaiterLeft(number, answer) }
        }
    }

    /// How far the bytes go of a file that is open.
    package enum Extent: Sendable {
        case whole(FileDescriptor)
        /// Parts of it are here, and it has so many bytes as far as the provider knows.
        case parts(size: Int64)
    }

    /// Waits until it is known how long the file is. Where only the bytes tell, these are fetched.
    @discardableResult
    package func extent(_ completion: @escaping @Sendable (Result<Extent, ProviderFailure>) -> Void) -> Waiting {
        let known = state.withLock { state -> Extent? in
            state.descriptor.map(Extent.whole) ?? state.part.map { .parts(size: $0.size) }
        }
        if let known {
            completion(.success(known))
            return .over
        }
        if isForWriting { return ready { completion($0.map(Extent.whole)) } }
        let answer = Answer<PartSource> { [self] result in
            completion(
                result.map { source in
                    switch source {
                    case .whole: .whole(taking(source))
                    case .part(let file): .parts(size: file.size)
                    }
                })
        }
        let number = number
        engine.perform { $0.waitForExtent(number, answer) }
        return Waiting { answer.cancel() }
    }

    /// Keeps where bytes are for those who ask next.
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

    /// For one of possibly several closings of a program's descriptor: if the file was written to, that is journalled before this
    /// is answered.
    package func flush(_ completion: @escaping @Sendable (Result<Void, ProviderFailure>) -> Void) {
        guard isForWriting else { return completion(.success(())) }
        let number = number
        engine.perform { engine in completion(Result { () throws(ProviderFailure) in try engine.compare(number) }) }
    }

    /// As fsync(2): what was written through any opening, and everything else that was answered before, is on the disk when this
    /// is answered.
    ///
    /// - Parameter completion: called on a thread that may be blocked, or on the engine's.
    package func synchronize(_ completion: @escaping @Sendable (Result<Void, ProviderFailure>) -> Void) {
        let engine = engine
        let whenWritten: @Sendable (Result<Void, ProviderFailure>) -> Void = { result in
            guard case .success = result else { return completion(result) }
            engine.synchronize { completion($0.mapError { ProviderFailure($0) }) }
        }
        guard isForWriting else { return whenWritten(.success(())) }
        ready { result in
            guard case .success(let descriptor) = result else { return whenWritten(result.map { _ in }) }
            HandlerThreads.shared.run {
                let written = Result { () throws(ProviderFailure) in
                    try onDisk { () throws(Errno) in try descriptor.synchronize() }
                }
                guard case .success = written else { return whenWritten(written) }
                self.flush(whenWritten)
            }
        }
    }

    /// Ends the opening; to be called once.
    package func close(_ completion: @escaping @Sendable (Result<Void, ProviderFailure>) -> Void = { _ in }) {
        let before = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state
        }
        guard !before.isClosed else { return completion(.success(())) }
        end(before, completion)
    }

    private func end(_ state: State, _ completion: @escaping @Sendable (Result<Void, ProviderFailure>) -> Void) {
        if let reader = state.reader {
            let number = number
            engine.perform { $0.partReaderLeft(number, reader) }
        }
        engine.closed(number, isForWriting: isForWriting, completion)
    }
}
