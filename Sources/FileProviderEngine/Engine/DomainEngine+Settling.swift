import FileProvider
import ItemStore
import ItemValues

/// Waits until the provider has all local changes, and until all changes of the provider are known locally.
extension DomainEngine {
    /// The first and the longest number of seconds between two checks.
    private static let pauses = (first: 0.02, longest: 1.0)

    /// Waits until the provider has all present local changes of an item and of everything in it. Later changes are
    /// awaited only if they concern an awaited item.
    ///
    /// - Parameter change: The identifier of an item that the provider is changing while it waits. This item is not
    ///   awaited.
    /// - Throws: The failure of an edit that is parked; ``ProviderError/Kind/cannotSynchronize`` if an edit can only
    ///   be sent after the wait; ``ProviderError/Kind/cancelled`` if the task was cancelled.
    package func waitForEdits(
        below top: ItemNumber = .root, inside change: String? = nil
    ) async throws(ProviderError) {
        let own = try changeInHand(change)
        var wait = EditWait(own: own, awaited: Set(try editsWaiting(below: top).map(\.number)))
        if let own { wait.awaited.remove(own) }
        edits.lastWait += 1
        let key = edits.lastWait
        defer { edits.waits[key] = nil }
        try await look { () throws(ProviderError) in
            let waiting = try editsWaiting(below: top).filter { wait.awaited.contains($0.number) }
            if let failure = waiting.lazy.filter(\.isHeld).compactMap(\.failure).first { throw failure }
            wait.awaited = Set(waiting.map(\.number))
            edits.waits[key] = wait
            try checkDeadlock(of: wait)
            return wait.awaited.isEmpty
        }
    }

    /// Waits as ``waitForEdits(below:inside:)`` does for all items, and until the provider's present changes are known
    /// locally.
    package func waitForBothSides(inside change: String? = nil) async throws(ProviderError) {
        try await waitForEdits(inside: change)
        guard !isClosed else { throw .closed }
        signalled(container: ProviderItem.workingSetIdentifier)
        try await look { () throws(ProviderError) in
            guard changes.running.isEmpty, enumerator.count == 0 else { return false }
            if let failure = context.requestFailure { throw failure }
            return true
        }
    }

    /// Waits for the provider's reply to the removal or trashing of an item. Does not wait for an unreachable service
    /// or for the user.
    ///
    /// - Parameter seconds: The maximum duration of the wait.
    /// - Throws: The reason why the item was not removed; ``ProviderError/Kind/cancelled`` if the task was
    ///   cancelled.
    package func waitForRemoval(of number: ItemNumber, upTo seconds: Double) async throws(ProviderError) {
        let end = clock.now + seconds
        try await look { () throws(ProviderError) in
            let (entry, item) = try onRecord { () throws(IndexError) in
                (try journal.entry(number), try index.item(number))
            }
            if entry?.changes.contains(.deleted) == true {
                let isHeldUp = signIn.isNeeded || (uploads[number]?.failure ?? entry?.failure) != nil
                return isHeldUp || clock.now >= end
            }
            if item != nil, let refusal = refusal(of: number) { throw refusal }
            return true
        }
    }

    /// Returns the provider's reason for refusing an item's last removal; `nil` if it refused none.
    private func refusal(of number: ItemNumber) -> ProviderError? {
        for event in edits.events.reversed() where event.number == number {
            guard case .deletionRefused(let failure) = event.kind else { continue }
            return failure ?? ProviderError(.deletionRejected, message: "Somebody else has changed it.")
        }
        return nil
    }

    private func look(_ isSo: () throws(ProviderError) -> Bool) async throws(ProviderError) {
        var pause = Self.pauses.first
        while try !isSo() {
            await clock.wait(pause)
            if Task.isCancelled { throw ProviderError(.cancelled, message: "Nobody waits for it any more.") }
            guard !isClosed else { throw .closed }
            pause = min(2 * pause, Self.pauses.longest)
        }
    }

    private func editsWaiting(below top: ItemNumber) throws(ProviderError) -> [EditStatus.Item] {
        try onRecord { () throws(IndexError) in
            var waiting: [EditStatus.Item] = []
            for item in try editStatus().items where try isWithin(top, item.number) { waiting.append(item) }
            return waiting
        }
    }

    func isWithin(_ top: ItemNumber, _ number: ItemNumber) throws(IndexError) -> Bool {
        var number = number
        // The index has no cycles. The depth is bounded all the same.
        for _ in 0..<IndexedItem.mostAncestors {
            if number == top { return true }
            guard number != .root, let above = try index.itemEvenIfDeleted(number)?.parent else { break }
            number = above
        }
        return false
    }
}
