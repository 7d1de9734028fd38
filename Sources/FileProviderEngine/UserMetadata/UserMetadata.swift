import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Sets user metadata (tags, favourite ranks and last-used dates) locally, and sends it to the provider. A change is
/// written to the journal before the call that makes it returns, and is sent in the background. The same applies to
/// attributes (``noteAttributes(_:of:)``).
///
/// It calls ``SignIn``, ``ItemReconciler``, ``IdentifierTracker`` and ``IdentifierFinder``, and sends events to other
/// components (``EngineEvents``). Used only on the engine's thread (see ``EngineContext``). ``MetadataSender`` sends
/// the requests to the provider.
package final class UserMetadata {
    let context: EngineContext
    private let signIn: SignIn
    private let sender: MetadataSender
    private var sending = MetadataSendQueue()

    init(
        _ context: EngineContext, _ signIn: SignIn, _ reconciler: ItemReconciler, _ tracker: IdentifierTracker,
        _ finder: IdentifierFinder
    ) {
        self.context = context
        self.signIn = signIn
        sender = MetadataSender(context, reconciler, tracker, finder)
    }

    /// The number of items whose user metadata is being sent.
    var sendingCount: Int { sending.running.count }
    /// The number of items whose user metadata is not due yet. It is delayed so that it can be sent together with later
    /// changes.
    var pausedCount: Int { sending.pausedCount(at: context.clock.now) }
    /// Whether the provider may accept attributes. `true` until it refuses them.
    var mayTakeAttributes: Bool { sender.mayTakeAttributes }

    /// Replaces an item's tags.
    package func setTags(_ names: [String], of number: ItemNumber, _ engine: isolated any EngineEvents)
        throws(EditError)
    {
        guard names.count <= TagList.most, names.allSatisfy({ TagList.fault(of: $0) == nil }) else {
            throw EditError(.invalidArgument)
        }
        try set(.tags, [number: ItemMetadata(tagData: TagList.data(of: names))], engine)
    }

    /// Adds the given tags to an item, and removes others from it. Runs without interruption on the engine's thread, so
    /// tags that other local clients have set are preserved.
    ///
    /// - Returns: The item's new tags.
    /// - Throws: `EINVAL` for an invalid tag, or if the item would have more than ``TagList/most`` tags.
    package func changeTags(
        adding added: [String], removing removed: [String], of number: ItemNumber,
        _ engine: isolated any EngineEvents
    ) throws(EditError) -> [String] {
        let before = try reading { () throws(IndexError) in try context.index.metadata(of: number).tags }
        var tags = before.filter { !removed.contains($0) }
        for tag in added where !tags.contains(tag) { tags.append(tag) }
        if tags != before { try setTags(tags, of: number, engine) }
        return tags
    }

    /// Appends an item to the favourites, or removes it from them. An item that is a favourite already keeps its rank.
    package func setFavorite(_ isFavorite: Bool, of number: ItemNumber, _ engine: isolated any EngineEvents)
        throws(EditError)
    {
        let (known, next) = try reading { () throws(IndexError) in
            // The first rank is the current time in milliseconds, so that favourites of several machines are in the
            // order in which they were made.
            (
                try context.index.metadata(of: number),
                try context.index.nextFavoriteRank(atLeast: UInt64(max(0, context.clock.now * 1000)))
            )
        }
        guard isFavorite != (known.favoriteRank != nil) else { return }
        try set(.favoriteRank, [number: ItemMetadata(favoriteRank: isFavorite ? next : nil)], engine)
    }

    /// Sets an item's last-used date, in seconds since 1970.
    package func setLastUsed(_ time: Double, of number: ItemNumber, _ engine: isolated any EngineEvents)
        throws(EditError)
    {
        try set(.lastUsed, [number: ItemMetadata(lastUsed: time)], engine)
    }

    /// Sets the given kinds of user metadata for all given items. If one of them cannot be changed, none is changed.
    ///
    /// - Parameters:
    ///   - values: The new values for each item.
    ///   - delay: The delay in seconds before the user metadata is sent.
    func set(
        _ kinds: MetadataKinds, _ values: [ItemNumber: ItemMetadata], after delay: Double = 0,
        _ engine: isolated any EngineEvents
    ) throws(EditError) {
        try context.checkOpen()
        var entries: [MetadataEntry] = []
        var before: [MetadataEntry] = []
        for (number, value) in values {
            let row = try context.visible(number)
            let known = try reading { () throws(IndexError) in try context.journal.metadata(number) }
            if let known { before.append(known) }
            var entry = MetadataEntry.entry(known, of: row)
            entry.kinds.formUnion(kinds)
            entry.values.take(kinds, from: value)
            entries.append(entry)
        }
        let written = entries
        try reading { () throws(IndexError) in
            try context.journal.putMetadata(written)
            EngineStep.markJournalled.reach()
            do throws(IndexError) {
                try context.index.write { writer throws(IndexError) in
                    for entry in written { try writer.setMetadata(kinds, of: entry.number, entry.values) }
                }
                EngineStep.markIndexed.reach()
            } catch {
                // If the journal cannot be restored, the next start completes the change instead.
                for entry in written where !before.contains(where: { $0.number == entry.number }) {
                    try? context.journal.removeMetadata(entry.number)
                }
                try? context.journal.putMetadata(before)
                throw error
            }
        }
        for entry in entries { sending.queue.put(entry.number, at: context.clock.now + delay) }
        sendDue(engine)
    }

    /// Restores the user metadata in the journal that the provider has not confirmed. Sets it in the index if it is
    /// missing there, and schedules it to be sent.
    func recover(_ engine: isolated any EngineEvents) throws(IndexError) {
        for entry in try context.journal.allMetadata() {
            // An index that was built anew must not assign the number to another item.
            context.index.skipNumbers(through: entry.number)
            sending.queue.put(entry.number, at: context.clock.now + context.configuration.settlingTime)
            if let number = try context.row(of: entry)?.number {
                if try !context.index.locallySetMetadata(of: number).isSuperset(of: entry.kinds) {
                    try context.index.write { writer throws(IndexError) in
                        try writer.setMetadata(entry.kinds, of: number, entry.values)
                    }
                }
                // The last process may have sent the attributes.
                if !entry.kinds.isDisjoint(with: .attributes) { sender.noteUncertain(entry.number) }
                // The item got another number just before the last process ended, or the index was lost.
                if number != entry.number { move(entry.number, to: number) }
            }
        }
        sendDue(engine)
    }

    /// Sends all unsent user metadata at once.
    func retry(_ engine: isolated any EngineEvents) {
        sending.attempts = [:]
        for entry in (try? context.journal.allMetadata()) ?? [] {
            sending.queue.put(entry.number, at: context.clock.now)
        }
        sendDue(engine)
    }

    /// Sends the user metadata of removed items without the usual delay. If the provider does not have an item, its
    /// user metadata is dropped then.
    func noteRemoved(_ removed: [ItemNumber], _ engine: isolated any EngineEvents) {
        var isAny = false
        for number in removed {
            if sending.running[number] != nil { sending.again.insert(number) }
            guard sending.queue.time(of: number) != nil else { continue }
            sending.attempts[number] = nil
            sending.queue.put(number, at: context.clock.now)
            isAny = true
        }
        if isAny { sendDue(engine) }
    }

    /// Returns whether a move of an item to the trash has to wait until user metadata or attributes of the item, or of
    /// an item in it, are sent. Both have to be sent first, because identifiers may change in the trash. If the move
    /// has to wait, sends both at once. The move is tried again afterwards.
    func isAwaited(
        beforeTrashing number: ItemNumber, _ engine: isolated any EngineEvents
    ) throws(IndexError) -> Bool {
        var isAny = false
        for entry in try context.journal.allMetadata() where sending.isUnderWay(entry.number) {
            guard try context.isWithin(number, entry.number) else { continue }
            isAny = true
            if sending.attempts[entry.number] == nil { sending.queue.put(entry.number, at: context.clock.now) }
        }
        guard isAny else { return false }
        sending.trashing.insert(number)
        sendDue(engine)
        return true
    }

    /// Assigns an item's unsent user metadata to the item's new number. If the journal's entry cannot be changed,
    /// recovery finds the item by its identifier.
    func move(_ number: ItemNumber, to successor: ItemNumber) {
        guard (try? context.journal.moveMetadata(number, to: successor)) == true else { return }
        if let time = sending.queue.time(of: number) {
            sending.queue.remove(number)
            sending.queue.put(successor, at: time)
        }
        sending.attempts[successor] = sending.attempts.removeValue(forKey: number)
        sender.move(number, to: successor)
    }

    /// Cancels the running requests and waits for their end, before the engine ends.
    nonisolated(nonsending) func close() async {
        sending.wake?.waiting.cancel()
        sending.wake = nil
        let tasks = Array(sending.running.values)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    // MARK: Attributes

    /// Records in the journal which attributes are about to be set in an item's row. The caller records the returned
    /// kinds in the index.
    ///
    /// - Returns: The kinds that are to be sent; empty if the provider does not accept attributes.
    func noteAttributes(_ kinds: MetadataKinds, of row: IndexedItem) throws(IndexError) -> MetadataKinds {
        guard mayTakeAttributes, !kinds.isEmpty else { return [] }
        let known = try context.journal.metadata(row.number)
        var entry = MetadataEntry.entry(known, of: row)
        entry.kinds.formUnion(kinds)
        if entry != known { try context.journal.putMetadata([entry]) }
        // The time of an item that is queued already does not change. Otherwise, an attribute that is set continually
        // would never be sent.
        if sending.queue.time(of: row.number) == nil {
            sending.queue.put(row.number, at: context.clock.now + context.configuration.settlingTime)
        }
        return kinds
    }

    /// Sends those attributes of an item that were not sent with its contents or with the request to create it. Called
    /// after the provider has confirmed the contents or the new item.
    ///
    /// - Parameter isNew: Whether the confirmed request created the item.
    func sendAttributesNow(of number: ItemNumber, isNew: Bool, _ engine: isolated any EngineEvents) {
        guard mayTakeAttributes, let row = try? context.index.item(number), row.isShown else { return }
        if isNew {
            var kinds: MetadataKinds = []
            let attributes = row.attributesToSend(.attributes)
            // The dates were sent with the item. If the new item is not writable, the provider has decided so, and the
            // mode is not sent.
            if attributes.permissions != nil, row.allowsWriting { kinds.insert(.mode) }
            if !attributes.changed.isEmpty || !attributes.removed.isEmpty { kinds.insert(.extendedAttributes) }
            // If this fails, the attributes stay local.
            let noted = (try? noteAttributes(kinds, of: row)) ?? []
            if !noted.isEmpty {
                _ = try? context.index.write { writer throws(IndexError) in
                    try writer.setMetadata(noted, of: number, ItemMetadata())
                }
            }
        }
        guard sending.queue.time(of: number) != nil else { return }
        sending.queue.put(number, at: context.clock.now)
        sendDue(engine)
    }

    // MARK: Sending

    /// Starts the requests that are due.
    func sendDue(_ engine: isolated any EngineEvents) {
        guard !context.isClosed, context.resources.gate.isOpen else { return }
        while sending.running.count < MetadataSendQueue.width, let number = sending.queue.take(at: context.clock.now) {
            guard sending.running[number] == nil else {
                // A request for this item is still running, so the item is queued again for later.
                sending.queue.put(number, at: context.clock.now + context.configuration.settlingTime)
                break
            }
            engine.metadataIsBeingSent(of: number)
            sending.running[number] = Task { await self.send(number, engine) }
        }
        guard sending.running.count < MetadataSendQueue.width, let time = sending.queue.nextTime() else { return }
        if let wake = sending.wake, wake.time <= time { return }
        sending.wake?.waiting.cancel()
        let waiting = context.clock.run(after: max(0, time - context.clock.now)) { [weak engine] in
            engine?.perform { $0.metadata.wakeUp($0) }
        }
        sending.wake = (time, waiting)
    }

    func wakeUp(_ engine: isolated any EngineEvents) {
        sending.wake = nil
        sendDue(engine)
    }

    private func send(_ number: ItemNumber, _ engine: isolated any EngineEvents) async {
        let epoch = signIn.epoch
        let result: Result<Bool, any Error>
        do { result = .success(try await sender.sendAll(of: number, engine)) } catch { result = .failure(error) }
        sending.running[number] = nil
        let isWantedAgain = sending.again.remove(number) != nil
        guard !context.isClosed else { return }
        switch result {
        case .success(true): sending.attempts[number] = nil
        case _ where isWantedAgain: sending.queue.put(number, at: context.clock.now)
        // The user has to act first; then ``retry(_:)`` is called.
        case .failure(let failure as ProviderError)
        where failure.needsUser && !signIn.isOutdated(failure, sentIn: epoch):
            signIn.noteFailure(failure, sentIn: epoch)
        default:
            let attempt = sending.attempts[number, default: 0] + 1
            sending.attempts[number] = attempt
            sending.queue.put(number, at: context.clock.now + context.delay(afterAttempt: attempt))
        }
        let removals = sending.trashing
        sending.trashing = []
        engine.metadataWasSent(of: number, awaitedBy: removals)
        sendDue(engine)
    }
}
