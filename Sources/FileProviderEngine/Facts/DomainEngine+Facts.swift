import FileProvider
import LinuxSystem

/// User metadata that is set locally: tags, favourite ranks and last-used dates. It is journalled before the call that
/// sets it returns, and sent in the background. The same holds for attributes (``noteAttributes(_:of:)``).
extension DomainEngine {
    /// Replaces an item's tags.
    package func setTags(_ names: [String], of number: ItemNumber) throws(EditFailure) {
        guard names.count <= TagList.most, names.allSatisfy({ TagList.fault(of: $0) == nil }) else {
            throw EditFailure(.invalidArgument)
        }
        try setFacts(.tags, [number: ItemFacts(tagData: TagList.data(of: names))])
    }

    /// Adds tags to an item and removes others. The change is atomic on the engine's thread, so that concurrent changes
    /// by other clients of this machine stay.
    ///
    /// - Returns: The item's new tags.
    /// - Throws: `EINVAL` for an invalid tag and for more than ``TagList/most``.
    package func changeTags(
        adding added: [String], removing removed: [String], of number: ItemNumber
    ) throws(EditFailure) -> [String] {
        let before = try reading { () throws(IndexFailure) in try index.facts(of: number).tags }
        var tags = before.filter { !removed.contains($0) }
        for tag in added where !tags.contains(tag) { tags.append(tag) }
        if tags != before { try setTags(tags, of: number) }
        return tags
    }

    /// Makes an item the last favourite, or no favourite. An item that is a favourite keeps its rank.
    package func setFavorite(_ isFavorite: Bool, of number: ItemNumber) throws(EditFailure) {
        let (known, next) = try reading { () throws(IndexFailure) in
            // The first rank is the present time, so that favourites of several machines are in the order in which
            // they were made.
            (try index.facts(of: number), try index.nextFavoriteRank(atLeast: UInt64(max(0, clock.now * 1000))))
        }
        guard isFavorite != (known.favoriteRank != nil) else { return }
        try setFacts(.favoriteRank, [number: ItemFacts(favoriteRank: isFavorite ? next : nil)])
    }

    /// Sets an item's last-used date, in seconds since 1970.
    package func setLastUsed(_ time: Double, of number: ItemNumber) throws(EditFailure) {
        try setFacts(.lastUsed, [number: ItemFacts(lastUsed: time)])
    }

    /// Sets user metadata of one or several kinds for some items, all or none.
    ///
    /// - Parameter delay: Seconds until it is sent.
    func setFacts(
        _ kinds: FactKinds, _ values: [ItemNumber: ItemFacts], after delay: Double = 0
    ) throws(EditFailure) {
        try checkOpen()
        var entries: [FactEntry] = []
        var before: [FactEntry] = []
        for (number, value) in values {
            let row = try visible(number)
            let known = try reading { () throws(IndexFailure) in try journal.facts(number) }
            if let known { before.append(known) }
            var entry = Self.entry(known, of: row)
            entry.kinds.formUnion(kinds)
            entry.values.take(kinds, from: value)
            entries.append(entry)
        }
        let written = entries
        try reading { () throws(IndexFailure) in
            try journal.putFacts(written)
            EngineStep.markJournalled.reach()
            do throws(IndexFailure) {
                try index.write { writer throws(IndexFailure) in
                    for entry in written { try writer.setFacts(kinds, of: entry.number, entry.values) }
                }
                EngineStep.markIndexed.reach()
            } catch {
                // If this fails, the next start completes the change instead.
                for entry in written where !before.contains(where: { $0.number == entry.number }) {
                    try? journal.removeFacts(entry.number)
                }
                try? journal.putFacts(before)
                throw error
            }
        }
        for entry in entries { facts.queue.put(entry.number, at: clock.now + delay) }
        sendFacts()
    }

    /// Returns the entry of an item, or a new one.
    ///
    /// - Parameter known: The journal's entry with the item's number.
    static func entry(_ known: FactEntry?, of row: IndexedItem) -> FactEntry {
        // The number may have belonged to another item in a lost index.
        var entry =
            known.flatMap { isEntry($0, of: row) ? $0 : nil }
            ?? FactEntry(number: row.number, identifier: "", kinds: [], values: ItemFacts())
        entry.identifier = row.item.identifier
        return entry
    }

    private static func isEntry(_ entry: FactEntry, of row: IndexedItem) -> Bool {
        entry.identifier == row.item.identifier || entry.identifier.hasPrefix(IndexedItem.localPrefix)
    }

    /// Recovers user metadata that the last process set and the provider has not confirmed: sets it in the index where
    /// it is missing, and sends it.
    func recoverFacts() throws(IndexFailure) {
        for entry in try journal.allFacts() {
            // An index that was built anew may not have used the number yet.
            index.skipNumbers(through: entry.number)
            facts.queue.put(entry.number, at: clock.now + configuration.settlingTime)
            if let number = try row(of: entry)?.number {
                if try !index.factsSetHere(of: number).isSuperset(of: entry.kinds) {
                    try index.write { writer throws(IndexFailure) in
                        try writer.setFacts(entry.kinds, of: number, entry.values)
                    }
                }
                // The last process may have sent them.
                if !entry.kinds.isDisjoint(with: .attributes) { facts.uncertain.insert(entry.number) }
                // The item got another number just before the last process ended, or the index was lost.
                if number != entry.number { passOnFacts(of: entry.number, to: number) }
            }
        }
        sendFacts()
    }

    /// Returns the item of an entry. It may have another number if the index was lost.
    func row(of entry: FactEntry) throws(IndexFailure) -> IndexedItem? {
        if let row = try index.item(entry.number), Self.isEntry(entry, of: row) { return row }
        return try index.item(identifier: entry.identifier).flatMap { $0.isShown ? $0 : nil }
    }

    /// Sends all waiting user metadata at once.
    func retryFacts() {
        facts.attempts = [:]
        for entry in (try? journal.allFacts()) ?? [] { facts.queue.put(entry.number, at: clock.now) }
        sendFacts()
    }

    /// Sends the user metadata of removed items without delay. If the provider does not have an item either, its user
    /// metadata is dropped.
    func lookAtFacts(of removed: [ItemNumber]) {
        var isAny = false
        for number in removed {
            if facts.running[number] != nil { facts.again.insert(number) }
            guard facts.queue.time(of: number) != nil else { continue }
            facts.attempts[number] = nil
            facts.queue.put(number, at: clock.now)
            isAny = true
        }
        if isAny { sendFacts() }
    }

    /// Whether user metadata or attributes of an item, or of anything in it, must be sent before it goes to the trash,
    /// because items may get other identifiers there. Sends them at once. The removal is looked at again afterwards.
    func awaitsFacts(beforeTrashing number: ItemNumber) throws(IndexFailure) -> Bool {
        var isAny = false
        for entry in try journal.allFacts() where facts.isUnderWay(entry.number) {
            guard try isWithin(number, entry.number) else { continue }
            isAny = true
            if facts.attempts[entry.number] == nil { facts.queue.put(entry.number, at: clock.now) }
        }
        guard isAny else { return false }
        facts.trashing.insert(number)
        sendFacts()
        return true
    }

    /// Cancels running requests, before the engine ends.
    func closeFacts() async {
        facts.wake?.waiting.cancel()
        facts.wake = nil
        let tasks = Array(facts.running.values)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    // MARK: Sending

    /// Starts the requests that are due.
    func sendFacts() {
        guard !isClosed else { return }
        while facts.running.count < FactState.width, let number = facts.queue.take(at: clock.now) {
            guard facts.running[number] == nil else {
                // It is looked at again when the running request has ended.
                facts.queue.put(number, at: clock.now + configuration.settlingTime)
                break
            }
            facts.running[number] = Task { await self.sendFacts(of: number) }
        }
        guard facts.running.count < FactState.width, let time = facts.queue.nextTime() else { return }
        if let wake = facts.wake, wake.time <= time { return }
        facts.wake?.waiting.cancel()
        let waiting = clock.run(after: max(0, time - clock.now)) { [weak self] in
            self?.perform { engine in
                engine.facts.wake = nil
                engine.sendFacts()
            }
        }
        facts.wake = (time, waiting)
    }

    private func sendFacts(of number: ItemNumber) async {
        let era = signIn.epoch
        let result: Result<Bool, any Error>
        do { result = .success(try await sendAll(of: number)) } catch { result = .failure(error) }
        facts.running[number] = nil
        let isWantedAgain = facts.again.remove(number) != nil
        guard !isClosed else { return }
        switch result {
        case .success(true): facts.attempts[number] = nil
        case _ where isWantedAgain: facts.queue.put(number, at: clock.now)
        // The user has to act first; then ``retryFacts()`` is called.
        case .failure(let failure as ProviderFailure)
        where failure.needsPerson && !signIn.isOutdated(failure, askedIn: era):
            noteFailure(failure, askedIn: era)
        default:
            let attempt = facts.attempts[number, default: 0] + 1
            facts.attempts[number] = attempt
            facts.queue.put(number, at: clock.now + pause(after: attempt))
        }
        lookAtOutdated(number)
        let removals = facts.trashing
        facts.trashing = []
        for removal in removals { look(at: removal) }
        sendFacts()
    }

    /// Sends all waiting user metadata of an item.
    ///
    /// - Returns: Whether nothing is left to send.
    private func sendAll(of number: ItemNumber) async throws -> Bool {
        // One request for each kind, and as many again for changes that are made meanwhile.
        for _ in 0..<8 {
            guard let entry = try journal.facts(number), let kind = entry.kinds.first else { return true }
            let isOfAttributes = !kind.isDisjoint(with: .attributes)
            if isOfAttributes, try await !takesAttributes() {
                try leaveAttributes(kind, of: entry, try row(of: entry)?.number)
                continue
            }
            let row = try row(of: entry)
            let identifier = row?.item.identifier ?? entry.identifier
            // A new local item is sent first, unless it was removed again.
            guard !identifier.hasPrefix(IndexedItem.localPrefix) else {
                let local = try index.itemEvenIfDeleted(number)
                guard local?.changes.contains(.deleted) ?? true else { return false }
                try journal.removeFacts(number)
                return true
            }
            do {
                if isOfAttributes {
                    guard try await sendAttributes(kind, of: entry, row) else { return false }
                } else {
                    let items = try await set(ItemFact(kind, of: entry.values), of: identifier, entry)
                    try confirm(kind, of: entry, try self.row(of: entry)?.number, items)
                    answers.note([identifier])
                }
            } catch let failure as ProviderFailure {
                switch failure.kind {
                // The provider does not store such metadata: it stays local.
                case .unsupported, .notPermitted: try confirm(kind, of: entry, nil, [])
                case .noSuchItem:
                    if let row {
                        // The item may have been moved by a request whose reply was lost.
                        if edits.moves[row.number] != nil { return false }
                        if try await findNewIdentifier(of: row.number, asked: identifier) != nil { return false }
                    }
                    try journal.removeFacts(number)
                default: throw failure
                }
            }
        }
        return false
    }

    /// Sends one piece of user metadata to the provider.
    ///
    /// - Returns: The items of the reply that are to be applied.
    func set(_ fact: ItemFact, of identifier: String, _ entry: FactEntry) async throws -> [ProviderItem] {
        let question = answers.ask()
        EngineStep.markAsked.reach()
        var answer = try await asking { () async throws(ProviderFailure) in
            try await provider.set(fact, of: identifier)
        }
        EngineStep.markAnswered.reach()
        try await reidentify(try row(of: entry), as: answer, asked: identifier)
        if let now = try row(of: try journal.facts(entry.number) ?? entry),
            !now.item.identifier.hasSameBytes(as: answer.identifier)
        {
            // The item has another identifier since, because a directory above it got one.
            answer.identifier = now.item.identifier
            answer.parent = now.item.parent
            answer.filename = now.item.filename
        }
        var items = try newest([answer], answering: question)
        // The item may be in a directory that is in the trash now, and must not be shown then.
        if try row(of: entry) == nil { items = try await withAncestors(items) }
        guard !isClosed else { throw EngineClosed() }
        return items
    }

    /// Records that the provider has user metadata of one kind.
    ///
    /// - Parameters:
    ///   - row: The item; `nil` if the provider does not store the metadata.
    ///   - items: The items of the provider's reply.
    private func confirm(
        _ kind: FactKinds, of sent: FactEntry, _ row: ItemNumber?, _ items: [ProviderItem]
    ) throws {
        guard let entry = try journal.facts(sent.number) else { return }
        var (now, then) = (ItemFacts(), ItemFacts())
        now.take(kind, from: entry.values)
        then.take(kind, from: sent.values)
        // A value that was changed meanwhile is sent again.
        let isSettled = now == then
        if row != nil || !items.isEmpty {
            let applied = try index.write(freesSpace: true) { writer throws(IndexFailure) in
                if isSettled, let row {
                    // The provider's earlier value is outdated. If it stayed here, a later report of that value would
                    // not count as a change.
                    try writer.update(row) { $0.item.take(kind, from: sent.values) }
                    try writer.settleFacts(kind, of: row)
                }
                return try writer.apply(items)
            }
            handle(applied)
        }
        EngineStep.markConfirmed.reach()
        if isSettled { try settled(kind, of: sent.number) }
    }

    /// Removes kinds that need not be sent any more from the journal.
    func settled(_ kinds: FactKinds, of number: ItemNumber) throws {
        guard var entry = try journal.facts(number) else { return }
        entry.kinds.subtract(kinds)
        if entry.kinds.isEmpty { try journal.removeFacts(number) } else { try journal.putFacts([entry]) }
    }
}

extension ItemFact {
    /// Creates the message for one kind.
    ///
    /// - Parameter kind: Exactly one kind.
    init(_ kind: FactKinds, of values: ItemFacts) {
        switch kind {
        case .lastUsed: self = .lastUsed(values.lastUsed)
        case .favoriteRank: self = .favoriteRank(values.favoriteRank)
        default: self = .tagData(values.tagData)
        }
    }
}
