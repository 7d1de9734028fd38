import ItemStore
import LinuxSystem

/// An event that must reach the views of a domain at once.
package enum EngineEvent: Sendable {
    /// The index has changed. The changes are in order.
    case index([IndexChange])
    /// A file's local bytes were replaced, even if its row did not change.
    case contentsReplaced(ItemNumber)
}

extension DomainEngine {
    /// Sets the receiver of events, which is called on the engine's thread, in order. It must not block.
    package nonisolated func onEvent(_ receiver: (@Sendable (EngineEvent) -> Void)?) {
        resources.events.function = receiver
    }
}
