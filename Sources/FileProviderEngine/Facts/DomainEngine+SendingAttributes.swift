import FileProvider
import LinuxSystem

/// The sending of modes, dates and extended attributes to providers that accept them. Only replicated providers do.
///
/// The values are in the item's row and stay there until the provider reports new ones. The journal and the index
/// record which of them are set and not sent. The values of the row at the time of sending are sent, as far as the
/// provider's differ.
extension DomainEngine {
    /// Journals attributes that are about to be set in an item's row. The caller records the returned kinds in the
    /// index.
    ///
    /// - Returns: The kinds to send; empty if the provider accepts none.
    func noteAttributes(_ kinds: FactKinds, of row: IndexedItem) throws(IndexFailure) -> FactKinds {
        guard facts.takesAttributes != false, !kinds.isEmpty else { return [] }
        let known = try journal.facts(row.number)
        var entry = Self.entry(known, of: row)
        entry.kinds.formUnion(kinds)
        if entry != known { try journal.putFacts([entry]) }
        // The queue entry stays, so that an attribute that is set continually is sent all the same.
        if facts.queue.time(of: row.number) == nil {
            facts.queue.put(row.number, at: clock.now + configuration.settlingTime)
        }
        return kinds
    }

    /// Sends the attributes that were not sent with a file's contents or a new directory, after the provider has
    /// confirmed these.
    func sendAttributesNow(of number: ItemNumber, isNew: Bool) {
        guard facts.takesAttributes != false, let row = try? index.item(number), row.isShown else { return }
        if isNew {
            var kinds: FactKinds = []
            let attributes = row.attributesToSend(.attributes)
            // Dates were sent with the item. A new item without write access is the provider's decision.
            if attributes.permissions != nil, row.allowsWriting { kinds.insert(.mode) }
            if !attributes.changed.isEmpty || !attributes.removed.isEmpty { kinds.insert(.extendedAttributes) }
            // If this fails, the attributes stay local.
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

    /// Whether the provider accepts attributes. A refusal is remembered.
    func takesAttributes() async throws -> Bool {
        if let known = facts.takesAttributes { return known }
        do {
            _ = try await asking { () async throws(ProviderFailure) in
                try await provider.set(.attributes(ItemAttributes()), of: ProviderItem.rootIdentifier)
            }
            facts.takesAttributes = true
        } catch let failure as ProviderFailure where failure.isRefusalOfAttributes {
            // A provider that refuses the call for its root supports the call.
            facts.takesAttributes = failure.kind != .unsupported
        }
        return facts.takesAttributes == true
    }

    /// Sends an item's attributes.
    ///
    /// - Returns: Whether they were sent or need not be; `false` if another step comes first.
    func sendAttributes(_ kinds: FactKinds, of entry: FactEntry, _ row: IndexedItem?) async throws -> Bool {
        guard var row else {
            try leaveAttributes(kinds, of: entry, nil)
            return true
        }
        // Some attributes are sent with these changes.
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
            // The attributes stay local, because a retry would fail, too. The provider has certainly not applied them.
            facts.uncertain.remove(row.number)
            items = []
        }
        // Attributes that were changed meanwhile are sent again.
        let isSettled = try self.row(of: entry)?.hasAttributes(of: row, kinds) ?? false
        handle(try index.write(freesSpace: true) { writer throws(IndexFailure) in try writer.apply(items) })
        // A stale reply is not applied. The row lacks the sent values then, and the provider is asked before the next
        // comparison.
        if !items.isEmpty { facts.uncertain.remove(row.number) }
        EngineStep.markConfirmed.reach()
        if isSettled { try leaveAttributes(kinds, of: entry, row.number) }
        answers.note(items.map(\.identifier))
        return true
    }

    /// The maximum number of consecutive requests for an item while replies are stale.
    private static let mostQuestions = 3

    /// Requests an item that the provider may have changed without a reply.
    ///
    /// - Returns: Whether the item's row has the reply.
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

    /// Ends the sending of attributes. The set values stay local until the provider reports new ones.
    ///
    /// - Parameter number: The item's number, which may differ from the entry's.
    func leaveAttributes(_ kinds: FactKinds, of entry: FactEntry, _ number: ItemNumber?) throws {
        if let number {
            try index.write(freesSpace: true) { writer throws(IndexFailure) in
                try writer.settleFacts(kinds, of: number)
                try writer.update(number) { $0.settleAttributes() }
            }
        }
        // The journal is written last, so that the next start completes what is missing.
        try settled(kinds, of: entry.number)
    }
}

extension ProviderFailure {
    fileprivate var isRefusalOfAttributes: Bool {
        kind == .unsupported || kind == .notPermitted || kind == .cannotSynchronize
    }
}
