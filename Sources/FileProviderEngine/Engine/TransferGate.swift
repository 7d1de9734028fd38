import LinuxSystem

/// The gate of background transfers, which the user closes to pause a domain.
///
/// While it is closed, no edit and no user metadata is sent, no pinned item is fetched, and nothing is read ahead.
/// Steps that have begun are completed, but the provider is not asked whether its service has accepted contents.
/// Files that are opened are fetched as always. Any thread may use it.
final class TransferGate: Sendable {
    // Leaf lock.
    private let state: Lock<Bool>

    init(isOpen: Bool) { state = Lock(isOpen) }

    var isOpen: Bool { state.withLock { $0 } }

    /// Opens or closes the gate. ``DomainEngine/setPaused(_:)`` also starts what has waited.
    func set(isOpen: Bool) { state.withLock { $0 = isOpen } }
}

extension DomainEngine {
    /// Pauses background transfers, or continues them.
    package func setPaused(_ isPaused: Bool) {
        context.resources.gate.set(isOpen: !isPaused)
        configuration.states?.noteDomain()
        guard !isPaused, !context.isClosed else { return }
        scheduler.startDueSteps(self)
        metadata.sendDue(self)
        pinning.materializeMissing(self)
    }
}
