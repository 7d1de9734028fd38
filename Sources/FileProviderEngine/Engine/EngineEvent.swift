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
    // Innermost: the receiver is called after it is released.
    private let receiver = Lock<(@Sendable (EngineEvent) -> Void)?>(nil)

    func receive(_ receiver: (@Sendable (EngineEvent) -> Void)?) { self.receiver.withLock { $0 = receiver } }

    func send(_ event: EngineEvent) { receiver.withLock { $0 }?(event) }
}

extension DomainEngine {
    /// Sets who is told of events, on the engine's thread, in their order; the receiver must not block.
    package nonisolated func onEvent(_ receiver: (@Sendable (EngineEvent) -> Void)?) { events.receive(receiver) }
}
