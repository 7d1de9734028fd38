import FileProviderWire
import LinuxSystem

/// An opening of a file on the engine's thread. It may have to wait for a fetch.
final class PendingOpen: Sendable {
    typealias Completion = @Sendable (Result<OpenHandle, ProviderError>) -> Void

    private struct State {
        var completion: Completion?
        var isWaiting = false
        var isGivenUp = false
    }

    let purpose: OpenPurpose
    // Leaf lock: the completion handler is called after it is released.
    private let state: Lock<State>

    init(_ purpose: OpenPurpose, _ completion: @escaping Completion) {
        self.purpose = purpose
        state = Lock(State(completion: completion))
    }

    /// Makes the opening wait, unless it was cancelled. If it was cancelled, completes it with an error.
    ///
    /// - Returns: Whether the opening waits.
    func wait() -> Bool {
        let (isWaiting, completion) = state.withLock { state -> (Bool, Completion?) in
            state.isWaiting = !state.isGivenUp
            return (state.isWaiting, state.isWaiting ? nil : state.completion.take())
        }
        completion?(.failure(Self.cancelled))
        return isWaiting
    }

    /// Opens the file and completes the opening. Does nothing if the opening was cancelled while it waited.
    func finish(_ open: () throws(ProviderError) -> OpenHandle) {
        guard let completion = state.withLock({ $0.completion.take() }) else { return }
        completion(Result(catching: open))
    }

    func fail(_ failure: ProviderError) { state.withLock { $0.completion.take() }?(.failure(failure)) }

    /// Cancels the opening, if it waits now or would begin to wait later. An opening that need not wait is completed as
    /// usual, because programs do not expect a signal to interrupt it.
    func cancel() {
        let completion = state.withLock { state -> Completion? in
            state.isGivenUp = true
            return state.isWaiting ? state.completion.take() : nil
        }
        completion?(.failure(Self.cancelled))
    }

    private static let cancelled = ProviderError(.cancelled, message: "The opening was given up.")
}
