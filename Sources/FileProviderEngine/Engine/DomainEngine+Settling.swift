import FileProvider

/// Waiting until both sides have what the other did.
extension DomainEngine {
    /// Seconds between two looks: the first, and the longest.
    private static let pauses = (first: 0.02, longest: 1.0)

    /// Waits until the provider has what was changed here up to now, of an item and of everything in it. What is changed
    /// meanwhile counts only where it is of an item that is waited for.
    ///
    /// - Parameter change: the identifier of the item that the provider changes while it waits, which is not waited for.
    /// - Throws: why something cannot be sent before the user has done something about it, or that it cannot be sent before the wait
    ///   is over; `cancelled` when the task was.
    package func waitForEdits(
        below top: ItemNumber = .root, inside change: String? = nil
    ) async throws(ProviderFailure) {
        let own = try changeInHand(change)
        var wait = EditWait(own: own, awaited: Set(try editsWaiting(below: top).map(\.number)))
        if let own { wait.awaited.remove(own) }
        edits.lastWait += 1
        let key = edits.lastWait
        defer { edits.waits[key] = nil }
        try await look { () throws(ProviderFailure) in
            let waiting = try editsWaiting(below: top).filter { wait.awaited.contains($0.number) }
            if let failure = waiting.lazy.filter(\.isHeld).compactMap(\.failure).first { throw failure }
            wait.awaited = Set(waiting.map(\.number))
            edits.waits[key] = wait
            try checkDeadlock(of: wait)
            return wait.awaited.isEmpty
        }
    }

    /// As ``waitForEdits(below:inside:)`` for everything, and until it is known here what had changed with the provider by now.
    package func waitForBothSides(inside change: String? = nil) async throws(ProviderFailure) {
        try await waitForEdits(inside: change)
        guard !isClosed else { throw .closed }
        signalled(container: ProviderItem.workingSetIdentifier)
        try await look { () throws(ProviderFailure) in
            guard changes.running.isEmpty, listings.folders.isEmpty else { return false }
            if let failure = changes.lastFailure { throw failure }
            return true
        }
    }

    /// Waits for what the provider says to an item's removal, or to its way to the trash, but not for long: not for a service that
    /// cannot be reached, nor for a person.
    ///
    /// - Parameter seconds: the longest wait.
    /// - Throws: why the item is where it was; `cancelled` when the task was.
    package func waitForRemoval(of number: ItemNumber, upTo seconds: Double) async throws(ProviderFailure) {
        let end = clock.now + seconds
        try await look { () throws(ProviderFailure) in
            let (entry, item) = try onRecord { () throws(IndexFailure) in
                (try journal.entry(number), try index.item(number))
            }
            if entry?.changes.contains(.deleted) == true {
                let isHeldUp = signIn.failure != nil || (uploads[number]?.failure ?? entry?.failure) != nil
                return isHeldUp || clock.now >= end
            }
            if item != nil, let refusal = refusal(of: number) { throw refusal }
            return true
        }
    }

    /// Why the provider did not do an item's last removal; `nil` where it did all of them.
    private func refusal(of number: ItemNumber) -> ProviderFailure? {
        for event in edits.events.reversed() where event.number == number {
            guard case .deletionRefused(let failure) = event.kind else { continue }
            return failure ?? ProviderFailure(.deletionRejected, message: "Somebody else has changed it.")
        }
        return nil
    }

    private func look(_ isSo: () throws(ProviderFailure) -> Bool) async throws(ProviderFailure) {
        var pause = Self.pauses.first
        while try !isSo() {
            await clock.wait(pause)
            if Task.isCancelled { throw ProviderFailure(.cancelled, message: "Nobody waits for it any more.") }
            guard !isClosed else { throw .closed }
            pause = min(2 * pause, Self.pauses.longest)
        }
    }

    private func editsWaiting(below top: ItemNumber) throws(ProviderFailure) -> [EditStatus.Item] {
        try onRecord { () throws(IndexFailure) in
            var waiting: [EditStatus.Item] = []
            for item in try editStatus().items where try isWithin(top, item.number) { waiting.append(item) }
            return waiting
        }
    }

    func isWithin(_ top: ItemNumber, _ number: ItemNumber) throws(IndexFailure) -> Bool {
        var number = number
        // A tree in the index has no cycles; its depth is bounded all the same.
        for _ in 0..<4096 {
            if number == top { return true }
            guard number != .root, let above = try index.itemEvenIfDeleted(number)?.parent else { break }
            number = above
        }
        return false
    }
}
