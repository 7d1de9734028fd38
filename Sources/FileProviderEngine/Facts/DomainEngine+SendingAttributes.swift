import FileProvider
import LinuxSystem

/// Modes, dates and extended attributes on their way to a provider that takes them, which only one of the replicated kind does.
///
/// They are in the item's row, and stay there until the provider says something new of the same. Which of them were set and not sent is
/// in the journal and among the item's facts. What is sent is what the row has when it is sent, as far as the provider says something else.
extension DomainEngine {
    /// Takes note of attributes that are about to be set in an item's row, which has them be set among its facts too.
    ///
    /// - Returns: which; none where the provider takes none.
    func noteAttributes(_ kinds: FactKinds, of row: IndexedItem) throws(IndexFailure) -> FactKinds {
        guard facts.takesAttributes != false, !kinds.isEmpty else { return [] }
        let known = try journal.facts(row.number)
        var entry = Self.entry(known, of: row)
        entry.kinds.formUnion(kinds)
        if entry != known { try journal.putFacts([entry]) }
        // One that is set again and again is sent all the same.
        if facts.queue.time(of: row.number) == nil {
            facts.queue.put(row.number, at: clock.now + configuration.settlingTime)
        }
        return kinds
    }

    /// A file's contents are at the provider, or a folder is: what did not go along with them can be sent.
    func sendAttributesNow(of number: ItemNumber, isNew: Bool) {
        guard facts.takesAttributes != false, let row = try? index.item(number), row.isShown else { return }
        if isNew {
            var kinds: FactKinds = []
            let attributes = row.attributesToSend(.attributes)
            // Dates went along; and a new item that nobody may write to is the provider's decision.
            if attributes.permissions != nil, row.allowsWriting { kinds.insert(.mode) }
            if !attributes.changed.isEmpty || !attributes.removed.isEmpty { kinds.insert(.extendedAttributes) }
            // What cannot be written down stays on this machine.
            let noted = (try? noteAttributes(kinds, of: row)) ?? []
            if !noted.isEmpty {
                _ = try? index.write { writer throws(IndexFailure) in
                    try writer.setFacts(noted, of: number, ItemFacts())
                }
            }
        }
        guard facts.queue.time(of: number) != nil else { return }
        facts.queue.put(number, at: clock.now)
        sendFacts()
    }

    /// Whether the provider takes any attributes. One that does not is not asked any more once it has said so.
    func takesAttributes() async throws -> Bool {
        if let known = facts.takesAttributes { return known }
        do {
            _ = try await asking { () async throws(ProviderFailure) in
                try await provider.set(.attributes(ItemAttributes()), of: ProviderItem.rootIdentifier)
            }
            facts.takesAttributes = true
        } catch let failure as ProviderFailure where failure.isRefusalOfAttributes {
            // One that refuses it for its root has the call.
            facts.takesAttributes = failure.kind != .unsupported
        }
        return facts.takesAttributes == true
    }

    /// - Returns: whether they are sent, or not to be; `false` where something comes first.
    func sendAttributes(_ kinds: FactKinds, of entry: FactEntry, _ row: IndexedItem?) async throws -> Bool {
        guard var row else {
            try leaveAttributes(kinds, of: entry, nil)
            return true
        }
        // Some go along with these.
        guard row.changes.isDisjoint(with: [.created, .contents]) else { return false }
        if facts.uncertain.contains(row.number) {
            guard try await askAnew(row) else { return false }
            guard let now = try self.row(of: entry) else { return true }
            row = now
        }
        let attributes = row.attributesToSend(kinds)
        if attributes.isEmpty {
            try leaveAttributes(kinds, of: entry, row.number)
            return true
        }
        facts.uncertain.insert(row.number)
        let items: [ProviderItem]
        do {
            items = try await set(.attributes(attributes), of: row.item.identifier, entry)
        } catch let failure as ProviderFailure where failure.isRefusalOfAttributes {
            // They stay on this machine: a retry would be refused too. The provider has certainly not taken them.
            facts.uncertain.remove(row.number)
            items = []
        }
        // Set anew meanwhile, they are sent anew.
        let isSettled = try self.row(of: entry)?.hasAttributes(of: row, kinds) ?? false
        handle(try index.write(freesSpace: true) { writer throws(IndexFailure) in try writer.apply(items) })
        // A stale answer is left out. The row does not have what was sent then, and the provider is asked before the next comparison.
        if !items.isEmpty { facts.uncertain.remove(row.number) }
        EngineStep.markConfirmed.reach()
        if isSettled { try leaveAttributes(kinds, of: entry, row.number) }
        answers.note(items.map(\.identifier))
        return true
    }

    /// The most times in a row that the provider is asked for an item because its answers are stale.
    private static let mostQuestions = 3

    /// Asks the provider for an item that it may have changed without an answer.
    ///
    /// - Returns: whether the item's row has the answer.
    private func askAnew(_ row: IndexedItem) async throws -> Bool {
        let identifier = row.item.identifier
        for _ in 0..<Self.mostQuestions {
            let question = answers.ask()
            let answer = try await asking { () async throws(ProviderFailure) in try await provider.item(identifier) }
            guard answer.identifier == identifier else {
                throw ProviderFailure(.badAnswer, message: "The provider answered with another item.")
            }
            let items = try newest([answer], answering: question)
            guard !isClosed else { throw EngineClosed() }
            guard !items.isEmpty else { continue }
            handle(try index.write(freesSpace: true) { writer throws(IndexFailure) in try writer.apply(items) })
            answers.note([identifier])
            facts.uncertain.remove(row.number)
            return true
        }
        return false
    }

    /// Ends the sending of attributes. What was set stays on this machine until the provider says something new.
    ///
    /// - Parameter number: the item's, which may be another than when the entry was written.
    func leaveAttributes(_ kinds: FactKinds, of entry: FactEntry, _ number: ItemNumber?) throws {
        if let number {
            try index.write(freesSpace: true) { writer throws(IndexFailure) in
                try writer.settleFacts(kinds, of: number)
                try writer.update(number) { $0.settleAttributes() }
            }
        }
        // Last, so that the next start does what is left.
        try settled(kinds, of: entry.number)
    }
}

extension ProviderFailure {
    fileprivate var isRefusalOfAttributes: Bool {
        kind == .unsupported || kind == .notPermitted || kind == .cannotSynchronize
    }
}
