import FileProvider
import LinuxSystem

/// Tags, favorites and dates of the last use, as they are set on this machine: journalled before it is answered, and sent behind. So are
/// attributes (``noteAttributes(_:of:)``).
extension DomainEngine {
    /// Gives an item tags, instead of those that it has.
    package func setTags(_ names: [String], of number: ItemNumber) throws(EditFailure) {
        guard names.count <= TagList.most, names.allSatisfy({ TagList.fault(of: $0) == nil }) else {
            throw EditFailure(.invalidArgument)
        }
        try setFacts(.tags, [number: ItemFacts(tagData: TagList.data(of: names))])
    }

    /// Gives an item tags besides those that it has, and takes others away. What others do to its tags at the same time stays.
    ///
    /// - Returns: the tags that it then has.
    /// - Throws: `invalidArgument` for what is no tag, and for more than ``TagList/most``.
    package func changeTags(
        adding added: [String], removing removed: [String], of number: ItemNumber
    ) throws(EditFailure) -> [String] {
        let before = try reading { () throws(IndexFailure) in try index.facts(of: number).tags }
        var tags = before.filter { !removed.contains($0) }
        for tag in added where !tags.contains(tag) { tags.append(tag) }
        if tags != before { try setTags(tags, of: number) }
        return tags
    }

    /// Makes an item the last one of the favorites, or none. One that is a favorite keeps its place.
    package func setFavorite(_ isFavorite: Bool, of number: ItemNumber) throws(EditFailure) {
        let (known, next) = try reading { () throws(IndexFailure) in
            // The first rank is the time, so that those of other machines come in the order in which they were made.
            (try index.facts(of: number), try index.nextFavoriteRank(atLeast: UInt64(max(0, clock.now * 1000))))
        }
        guard isFavorite != (known.favoriteRank != nil) else { return }
        try setFacts(.favoriteRank, [number: ItemFacts(favoriteRank: isFavorite ? next : nil)])
    }

    /// Notes when an item was used last; seconds since 1970.
    package func setLastUsed(_ time: Double, of number: ItemNumber) throws(EditFailure) {
        try setFacts(.lastUsed, [number: ItemFacts(lastUsed: time)])
    }

    /// Sets facts of one kind or several of some items, all or none.
    ///
    /// - Parameter delay: seconds until they are sent.
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
                // What cannot be taken back now is done by the next start.
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

    /// - Parameter known: what there is of the item's number.
    static func entry(_ known: FactEntry?, of row: IndexedItem) -> FactEntry {
        // The number may have been another item's in an index that is lost.
        var entry =
            known.flatMap { isEntry($0, of: row) ? $0 : nil }
            ?? FactEntry(number: row.number, identifier: "", kinds: [], values: ItemFacts())
        entry.identifier = row.item.identifier
        return entry
    }

    private static func isEntry(_ entry: FactEntry, of row: IndexedItem) -> Bool {
        entry.identifier == row.item.identifier || entry.identifier.hasPrefix(IndexedItem.localPrefix)
    }

    /// What the last process set and the provider has not confirmed is set again where it is lost, and sent.
    func recoverFacts() throws(IndexFailure) {
        for entry in try journal.allFacts() {
            // An index that was built anew may not have given the number yet.
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

    /// The item that an entry is of, which has another number after the index was lost.
    func row(of entry: FactEntry) throws(IndexFailure) -> IndexedItem? {
        if let row = try index.item(entry.number), Self.isEntry(entry, of: row) { return row }
        return try index.item(identifier: entry.identifier).flatMap { $0.isShown ? $0 : nil }
    }

    /// Sends at once what was put off.
    func retryFacts() {
        facts.attempts = [:]
        for entry in (try? journal.allFacts()) ?? [] { facts.queue.put(entry.number, at: clock.now) }
        sendFacts()
    }

    /// Sends the facts of removed items without a pause. If the provider does not have the item either, its facts are dropped.
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

    /// Returns whether tags, favorites, dates or attributes of an item or of what is in it have to be sent before it goes to the trash:
    /// what lies there may have other identifiers. They are sent at once, and the removal is looked at again afterwards.
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

    /// Ends what is under way, for the engine's end.
    func closeFacts() async {
        facts.wake?.waiting.cancel()
        facts.wake = nil
        let tasks = Array(facts.running.values)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    // MARK: Sending

    /// Begins what is due.
    func sendFacts() {
        guard !isClosed else { return }
        while facts.running.count < FactState.width, let number = facts.queue.take(at: clock.now) {
            guard facts.running[number] == nil else {
                // Looked at once more when that has ended.
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
        let era = signInEra
        let result: Result<Bool, any Error>
        do { result = .success(try await sendAll(of: number)) } catch { result = .failure(error) }
        facts.running[number] = nil
        let isWantedAgain = facts.again.remove(number) != nil
        guard !isClosed else { return }
        switch result {
        case .success(true): facts.attempts[number] = nil
        case _ where isWantedAgain: facts.queue.put(number, at: clock.now)
        // A person has something to do first; ``retryFacts()`` comes then.
        case .failure(let failure as ProviderFailure) where failure.needsPerson && !isOutdated(failure, askedIn: era):
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

    /// - Returns: whether nothing is left to be sent.
    private func sendAll(of number: ItemNumber) async throws -> Bool {
        // As many as there are kinds, and as many again for what is set meanwhile.
        for _ in 0..<8 {
            guard let entry = try journal.facts(number), let kind = entry.kinds.first else { return true }
            let isOfAttributes = !kind.isDisjoint(with: .attributes)
            if isOfAttributes, try await !takesAttributes() {
                try leaveAttributes(kind, of: entry, try row(of: entry)?.number)
                continue
            }
            let row = try row(of: entry)
            let identifier = row?.item.identifier ?? entry.identifier
            // One that was made here is sent first, unless it was removed again.
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
                // It keeps no such facts: they stay on this machine.
                case .unsupported, .notPermitted: try confirm(kind, of: entry, nil, [])
                case .noSuchItem:
                    if let row {
                        // It may have been moved by a request whose answer was lost.
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

    /// Has the provider set something of an item.
    ///
    /// - Returns: what it says now.
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
            // It has another one since, as a folder above it has.
            answer.identifier = now.item.identifier
            answer.parent = now.item.parent
            answer.filename = now.item.filename
        }
        var items = try newest([answer], answering: question)
        // It may be in a folder that is in the trash meanwhile, and is not to be seen then.
        if try row(of: entry) == nil { items = try await withAncestors(items) }
        guard !isClosed else { throw EngineClosed() }
        return items
    }

    /// - Parameters:
    ///   - row: whose facts the provider has now; `nil` where it does not keep them.
    ///   - items: what the provider answered with.
    private func confirm(
        _ kind: FactKinds, of sent: FactEntry, _ row: ItemNumber?, _ items: [ProviderItem]
    ) throws {
        guard let entry = try journal.facts(sent.number) else { return }
        var (now, then) = (ItemFacts(), ItemFacts())
        now.take(kind, from: entry.values)
        then.take(kind, from: sent.values)
        // Set anew meanwhile, it is sent anew.
        let isSettled = now == then
        if row != nil || !items.isEmpty {
            let applied = try index.write(freesSpace: true) { writer throws(IndexFailure) in
                if isSettled, let row {
                    // What it said before is out of date, and would be taken for nothing new if it says that again.
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

    /// Of these nothing is to be sent any more.
    func settled(_ kinds: FactKinds, of number: ItemNumber) throws {
        guard var entry = try journal.facts(number) else { return }
        entry.kinds.subtract(kinds)
        if entry.kinds.isEmpty { try journal.removeFacts(number) } else { try journal.putFacts([entry]) }
    }
}

extension ItemFact {
    /// - Parameter kind: one.
    init(_ kind: FactKinds, of values: ItemFacts) {
        switch kind {
        case .lastUsed: self = .lastUsed(values.lastUsed)
        case .favoriteRank: self = .favoriteRank(values.favoriteRank)
        default: self = .tagData(values.tagData)
        }
    }
}
