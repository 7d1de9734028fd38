import DomainMessages
import FileProvider
import FileProviderWire
import ItemStore
import ItemValues

/// Reports the progress of edits. Waits until the provider has received local changes, or has replied to a removal.
///
/// A provider may start a wait while it processes a change of an item. That change completes only after the wait has
/// ended, so the wait leaves this item out. ``EditWaiter`` describes the change, as far as the engine knows it.
///
/// It calls the sign-in, the recorder, the scheduler and the tracker of identifiers. Used only on the engine's thread
/// (see ``EngineContext``).
package final class EditProgress: EngineComponent {
    let context: EngineContext
    private let signIn: SignIn
    private let recorder: EditRecorder
    let scheduler: UploadScheduler
    let tracker: IdentifierTracker
    /// The waits in progress, by a key that is unique to each.
    private(set) var waits: [Int: EditWait] = [:]
    private var lastWait = 0
    /// The running sums from which ``uploadTotals()`` is computed.
    private var tally = TransferTally()

    init(
        _ context: EngineContext, _ signIn: SignIn, _ recorder: EditRecorder, _ scheduler: UploadScheduler,
        _ tracker: IdentifierTracker
    ) {
        self.context = context
        self.signIn = signIn
        self.recorder = recorder
        self.scheduler = scheduler
        self.tracker = tracker
    }

    package func editStatus() throws(IndexError) -> EditStatus {
        var status = EditStatus(events: recorder.events)
        for entry in try journal.all() where !entry.changes.isEmpty { status.items.append(editStatus(of: entry)) }
        return status
    }

    /// Returns the progress of the given items' edits. Items without edits are left out. The cost does not depend on
    /// the number of other items with edits.
    package func editStatus(
        of numbers: [ItemNumber]
    ) throws(IndexError) -> [ItemNumber: EditStatus.Item] {
        var items: [ItemNumber: EditStatus.Item] = [:]
        for number in numbers {
            guard let entry = try journal.entry(number), !entry.changes.isEmpty else { continue }
            items[number] = editStatus(of: entry)
        }
        return items
    }

    private func editStatus(of entry: JournalEntry) -> EditStatus.Item {
        let upload = uploads[entry.number]
        let failure = upload?.failure ?? entry.failure
        return EditStatus.Item(
            number: entry.number, name: entry.name, changes: entry.changes, sendsContents: entry.sendsContents,
            isUnderWay: upload?.isUnderWay ?? false, sent: upload?.sent ?? 0, total: upload?.total ?? 0,
            failure: failure, isHeld: signIn.isNeeded || failure.map(\.needsUser) ?? false)
    }

    // MARK: Waits

    /// The first pause, and the longest one, between two checks of whether a wait is over, in seconds.
    private static let pauses = (first: 0.02, longest: 1.0)

    /// Waits until the provider has received all local changes that the item `top`, and everything in it, have now.
    /// Later changes are awaited only if they concern an item that is already awaited.
    ///
    /// - Parameter waiter: The code that waits. The change that it processes is not awaited.
    /// - Returns: The item whose change the caller processes; `nil` if it processes none.
    /// - Throws: The failure of an edit that is parked; ``ProviderError/Kind/cannotSynchronize`` if an edit can only be
    ///   sent after the wait; ``ProviderError/Kind/cancelled`` if the task was cancelled.
    @discardableResult
    package nonisolated(nonsending) func waitForEdits(
        below top: ItemNumber = .root, from waiter: EditWaiter = .other
    ) async throws(ProviderError) -> ItemNumber? {
        var wait = try EditWait(
            candidates: changesInHand(of: waiter, below: top), sent: changesSent(by: waiter, below: top),
            awaited: Set(editsWaiting(below: top).map(\.number)), suspicion: DeadlockSuspicion(of: waiter))
        let own = wait.own
        lastWait += 1
        let key = lastWait
        defer { waits[key] = nil }
        try await look { () throws(ProviderError) in
            noteEnds(of: &wait)
            if let own = wait.own { wait.awaited.remove(own) }
            let waiting = try editsWaiting(below: top).filter { wait.awaited.contains($0.number) }
            if let failure = waiting.lazy.filter(\.isHeld).compactMap(\.failure).first { throw failure }
            wait.awaited = Set(waiting.map(\.number))
            waits[key] = wait
            try checkDeadlock(of: &wait)
            return wait.awaited.isEmpty
        }
        return own ?? wait.own
    }

    /// Waits for the provider's reply to the removal or trashing of the given item. Does not wait until an unreachable
    /// service is reachable, until the user acts, or until a pause ends.
    ///
    /// - Parameter seconds: The maximum duration of the wait.
    /// - Throws: The reason why the item was not removed; ``ProviderError/Kind/cancelled`` if the task was cancelled.
    package nonisolated(nonsending) func waitForRemoval(of number: ItemNumber, upTo seconds: Double)
        async throws(ProviderError)
    {
        let end = clock.now + seconds
        try await look { () throws(ProviderError) in
            let (entry, item) = try onRecord { () throws(IndexError) in
                (try journal.entry(number), try index.item(number))
            }
            if entry?.changes.contains(.deleted) == true {
                let hasFailed = (uploads[number]?.failure ?? entry?.failure) != nil
                let isPaused = !context.resources.gate.isOpen && scheduler.table[number].step == nil
                return signIn.isNeeded || hasFailed || isPaused || clock.now >= end
            }
            if item != nil, let refusal = refusal(of: number) { throw refusal }
            return true
        }
    }

    /// Returns the reason why the given item came back after its last removal; `nil` if it never came back.
    private func refusal(of number: ItemNumber) -> ProviderError? {
        for event in recorder.events.reversed() where event.number == number {
            guard case .deletionRefused(let failure) = event.kind else { continue }
            return failure ?? ProviderError(.deletionRejected, message: "Another client has changed the item.")
        }
        return nil
    }

    nonisolated(nonsending) func look(_ isSo: () throws(ProviderError) -> Bool) async throws(ProviderError) {
        var pause = Self.pauses.first
        while try !isSo() {
            await clock.wait(pause)
            if Task.isCancelled { throw ProviderError(.cancelled, message: "The wait was cancelled.") }
            guard !isClosed else { throw .closed }
            pause = min(2 * pause, Self.pauses.longest)
        }
    }

    private func editsWaiting(below top: ItemNumber) throws(ProviderError) -> [EditStatus.Item] {
        try onRecord { () throws(IndexError) in
            var waiting: [EditStatus.Item] = []
            for item in try editStatus().items where try context.isWithin(top, item.number) { waiting.append(item) }
            return waiting
        }
    }

    // MARK: Totals

    /// Returns the totals of all uploads, including parked ones. There is one upload for each file whose local contents
    /// the provider does not have.
    package func uploadTotals() throws(IndexError) -> TransferTotals {
        var transfers: [ItemNumber: (done: Int64, total: Int64)] = [:]
        for entry in try journal.all()
        where entry.kind == .file && !entry.changes.isDisjoint(with: [.created, .contents])
            && !entry.changes.contains(.deleted)
        {
            let upload = uploads[entry.number]
            let total = upload.map(\.total) ?? 0
            let size = total > 0 ? total : try index.item(entry.number)?.localSize ?? 0
            transfers[entry.number] = (upload?.sent ?? 0, size)
        }
        return tally.look(at: transfers)
    }
}
