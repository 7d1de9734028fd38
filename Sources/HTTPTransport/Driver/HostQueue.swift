import LinuxSystem

/// The transfers to one server: the running transfers, and those that wait for their turn.
struct HostQueue {
    struct Waiting {
        let id: TransferID
        let plan: TransferPlan
        let complete: @Sendable (TransferOutcome) -> Void
    }

    var running = 0
    /// Whether the server speaks HTTP/2, as the last response shows.
    var isMultiplexed = false
    private var interactive: [Waiting] = []
    private var background: [Waiting] = []

    var isUnused: Bool { running == 0 && interactive.isEmpty && background.isEmpty }

    mutating func append(_ waiting: Waiting) {
        switch waiting.plan.request.priority {
        case .interactive: interactive.append(waiting)
        case .background: background.append(waiting)
        }
    }

    /// Removes and returns the next transfer to start; `nil` if none may start now.
    mutating func next(_ settings: TransferSettings) -> Waiting? {
        let limit = isMultiplexed ? settings.streamsPerHost : settings.connectionsPerHost
        guard running < limit else { return nil }
        if !interactive.isEmpty { return interactive.removeFirst() }
        // One place stays free for an interactive transfer.
        guard running < max(1, limit - 1), !background.isEmpty else { return nil }
        return background.removeFirst()
    }

    /// Removes and returns the waiting transfer with the given identifier, or all waiting transfers if `id` is `nil`.
    mutating func remove(_ id: TransferID?) -> [Waiting] {
        let removed = (interactive + background).filter { id == nil || $0.id == id }
        interactive.removeAll { id == nil || $0.id == id }
        background.removeAll { id == nil || $0.id == id }
        return removed
    }
}
