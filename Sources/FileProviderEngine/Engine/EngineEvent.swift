import LinuxSystem

/// An event that views of a domain must learn at once.
package enum EngineEvent: Sendable {
    /// The index has changed, in the order of these changes.
    case index([IndexChange])
    /// A file's local bytes were replaced, whatever its row says.
    case contentsReplaced(ItemNumber)
}

extension DomainEngine {
    /// Sets the receiver of events, which is called on the engine's thread, in order. It must not block.
    package nonisolated func onEvent(_ receiver: (@Sendable (EngineEvent) -> Void)?) { events.function = receiver }
}
