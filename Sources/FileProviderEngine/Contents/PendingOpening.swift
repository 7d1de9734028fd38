import FileProvider
import LinuxSystem

/// An opening that a program waits for.
final class PendingOpening: Sendable {
    typealias Completion = @Sendable (Result<OpenItem, ProviderFailure>) -> Void

    private struct State {
        var completion: Completion?
        var isWaiting = false
        var isGivenUp = false
    }

    let purpose: OpenPurpose
    // Innermost: the completion is called after it is released.
    private let state: Lock<State>

    init(_ purpose: OpenPurpose, _ completion: @escaping Completion) {
        self.purpose = purpose
        state = Lock(State(completion: completion))
    }

    /// Lets the opening wait, unless it was given up.
    ///
    /// - Returns: whether it waits.
    func wait() -> Bool {
        let (isWaiting, completion) = state.withLock { state -> (Bool, Completion?) in
            state.isWaiting = !state.isGivenUp
            return (state.isWaiting, state.isWaiting ? nil : state.completion.take())
        }
        completion?(.failure(Self.cancelled))
        return isWaiting
    }

    /// Opens the file, unless the opening was given up while it waited: then nothing is done to it.
    func finish(_ open: () throws(ProviderFailure) -> OpenItem) {
        guard let completion = state.withLock({ $0.completion.take() }) else { return }
        completion(Result(catching: open))
    }

    func fail(_ failure: ProviderFailure) { state.withLock { $0.completion.take() }?(.failure(failure)) }

    /// Gives the opening up, if it waits now or is about to. One that does not wait is done: no program expects a signal to end it.
    func cancel() {
        let completion = state.withLock { state -> Completion? in
            state.isGivenUp = true
            return state.isWaiting ? state.completion.take() : nil
        }
        completion?(.failure(Self.cancelled))
    }

    private static let cancelled = ProviderFailure(.cancelled, message: "The opening was given up.")
}
