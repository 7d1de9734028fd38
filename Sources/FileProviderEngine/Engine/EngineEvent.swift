import LinuxSystem

/// What whoever shows a domain has to know at once.
package enum EngineEvent: Sendable {
    /// The index is different, as these say, in their order.
    case index([IndexChange])
    /// The bytes of a file are others than they were, whatever its row says.
    case contentsReplaced(ItemNumber)
}

/// Where events go.
final class EngineEvents: Sendable {
    /// A structure, because a function that is itself what a generic type holds is wrapped once more each time it is read.
    private struct State {
        var receiver: (@Sendable (EngineEvent) -> Void)?
    }

    // Innermost: the receiver is called after it is released.
    private let state = Lock(State())

    func receive(_ receiver: (@Sendable (EngineEvent) -> Void)?) { state.withLock { $0.receiver = receiver } }

    func send(_ event: EngineEvent) { state.withLock { $0.receiver }?(event) }
}

extension DomainEngine {
    /// Sets who is told of events, on the engine's thread, in their order; the receiver must not block.
    package nonisolated func onEvent(_ receiver: (@Sendable (EngineEvent) -> Void)?) { events.receive(receiver) }
}
