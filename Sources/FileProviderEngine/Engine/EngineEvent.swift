import LinuxSystem

/// What whoever shows a domain has to know at once.
package enum EngineEvent: Sendable {
    /// The index is different, as these say, in their order.
    case index([IndexChange])
    /// The bytes of a file are others than they were, whatever its row says.
    case contentsReplaced(ItemNumber)
}

extension DomainEngine {
    /// Sets who is told of events, on the engine's thread, in their order; the receiver must not block.
    package nonisolated func onEvent(_ receiver: (@Sendable (EngineEvent) -> Void)?) { events.function = receiver }
}
