import DomainMessages
import FileProvider
import FileProviderWire
import ItemStore
import ItemValues

/// The state of a running call of ``EditProgress/waitForEdits(below:inside:)``.
struct EditWait {
    /// The item that the provider is changing while the call waits. That change completes only after the call has
    /// returned. `nil` if the caller is not changing an item.
    let own: ItemNumber?
    /// The items whose edits are still awaited.
    var awaited: Set<ItemNumber>
}

/// Reports the progress of edits. Waits until the provider has received local changes, or has replied to a removal.
///
/// A provider may start a wait while it processes a change of an item. That change completes only after the wait has
/// ended, so the wait leaves this item out.
///
/// It calls the sign-in, the recorder, the scheduler and the tracker of identifiers. Used only on the engine's thread
/// (see ``EngineContext``).
package final class EditProgress: EngineComponent {
    let context: EngineContext
    private let signIn: SignIn
    private let recorder: EditRecorder
    private let scheduler: UploadScheduler
    private let tracker: IdentifierTracker
    /// The waits in progress, by a key that is unique to each.
    private var waits: [Int: EditWait] = [:]
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
    /// - Parameter change: The identifier of the item that the caller, a provider, is changing while it waits. This
    ///   item is not awaited. `nil` if the caller is not changing an item.
    /// - Throws: The failure of an edit that is parked; ``ProviderError/Kind/cannotSynchronize`` if an edit can only be
    ///   sent after the wait; ``ProviderError/Kind/cancelled`` if the task was cancelled.
    package nonisolated(nonsending) func waitForEdits(
        below top: ItemNumber = .root, inside change: String? = nil
    ) async throws(ProviderError) {
        let own = try changeInHand(change)
        var wait = EditWait(own: own, awaited: Set(try editsWaiting(below: top).map(\.number)))
        if let own { wait.awaited.remove(own) }
        lastWait += 1
        let key = lastWait
        defer { waits[key] = nil }
        try await look { () throws(ProviderError) in
            let waiting = try editsWaiting(below: top).filter { wait.awaited.contains($0.number) }
            if let failure = waiting.lazy.filter(\.isHeld).compactMap(\.failure).first { throw failure }
            wait.awaited = Set(waiting.map(\.number))
            waits[key] = wait
            try checkDeadlock(of: wait)
            return wait.awaited.isEmpty
        }
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

    // MARK: Deadlocks

    /// Returns the item with the given identifier if a request that changes the item is running at the provider;
    /// otherwise `nil`.
    func changeInHand(_ identifier: String?) throws(ProviderError) -> ItemNumber? {
        guard let identifier else { return nil }
        let row = try onRecord { () throws(IndexError) in try index.item(identifier: identifier) }
        return row.flatMap { scheduler.table.isBusy($0.number) ? $0.number : nil }
    }

    /// Checks whether the given wait is part of a deadlock.
    ///
    /// - Throws: ``ProviderError/Kind/cannotSynchronize`` if an awaited edit can end only after the wait.
    func checkDeadlock(of wait: EditWait) throws(ProviderError) {
        guard let own = wait.own, !wait.awaited.isEmpty else { return }
        guard needs(wait.awaited, own) || isFullOfWaits(besides: wait.awaited) else { return }
        throw .deadlock
    }

    /// Checks a wait for listings for a deadlock. A listing may wait for the reply to a move, which has the new
    /// identifier of the directory.
    ///
    /// - Parameters:
    ///   - folders: The directories whose listing waits for the end of a move.
    ///   - own: The item that the provider is changing while it waits; `nil` if it is changing none.
    /// - Throws: ``ProviderError/Kind/cannotSynchronize`` if a listing can only end after the wait.
    func checkDeadlock(ofListing folders: [ItemNumber], inside own: ItemNumber?) throws(ProviderError) {
        guard let own else { return }
        let isDeadlock = try onRecord { () throws(IndexError) in
            for folder in folders where try context.isWithin(own, folder) { return true }
            return false
        }
        if isDeadlock { throw .deadlock }
    }

    /// Whether an edit of at least one of the items `numbers` can complete only after the edit of the item `other`.
    private func needs(_ numbers: Set<ItemNumber>, _ other: ItemNumber) -> Bool {
        var seen = numbers
        var next = Array(numbers)
        let holder = scheduler.table.holder(of: other)
        while let number = next.popLast() {
            if number == other || number == holder { return true }
            var needed: Set<ItemNumber> = []
            if let other = scheduler.table[number].blocker { needed.insert(other) }
            if let row = try? index.itemEvenIfDeleted(number), row.isKnownToProvider, let taker = tracker.taker(of: row)
            {
                needed.insert(taker)
            }
            for wait in waits.values where wait.own == number || self.holder(of: wait) == number {
                needed.formUnion(wait.awaited)
            }
            for number in needed where seen.insert(number).inserted { next.append(number) }
        }
        return false
    }

    /// Returns the item whose step requested the change that a provider waits in, if this is another item than the
    /// changed one: the step has given the changed item a temporary name.
    private func holder(of wait: EditWait) -> ItemNumber? {
        guard let own = wait.own else { return nil }
        return scheduler.table.holder(of: own)
    }

    /// Whether no step can start: as many steps are running as are allowed, and each of them belongs to an item that a
    /// provider is changing while it waits.
    private func isFullOfWaits(besides awaited: Set<ItemNumber>) -> Bool {
        guard scheduler.table.running.count >= configuration.uploadLimit,
            awaited.contains(where: { scheduler.table[$0].step == nil })
        else {
            return false
        }
        let held = Set(waits.values.filter { !$0.awaited.isEmpty }.compactMap { holder(of: $0) ?? $0.own })
        return scheduler.table.running.allSatisfy(held.contains)
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

extension ProviderError {
    fileprivate static let deadlock = ProviderError(
        .cannotSynchronize, message: "Two changes of items wait for each other.")
}
