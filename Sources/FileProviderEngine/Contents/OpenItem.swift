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
        if !state.withLock({ $0.isClosed }) { engine.closed(number, isForWriting: isForWriting) { _ in } }
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
        let wasClosed = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.isClosed
        }
        guard !wasClosed else { return completion(.success(())) }
        engine.closed(number, isForWriting: isForWriting, completion)
    }
}
