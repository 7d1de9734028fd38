import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Sends user metadata and attributes to the provider. Attributes are modes, dates and extended attributes. Only
/// replicated providers accept them.
///
/// The values of attributes stay in the item's index row until the provider reports new ones. The journal and the index
/// record which kinds are set and not sent yet. A request contains the values that the row has when the request is
/// sent, without those that equal the provider's.
final class MetadataSender {
    private let context: EngineContext
    private let reconciler: ItemReconciler
    private let tracker: IdentifierTracker
    private let finder: IdentifierFinder
    /// Whether the provider accepts attributes; `nil` until it has replied to a request that sets them.
    private var acceptsAttributes: Bool?
    /// The items for which the reply to a request that sets attributes was lost.
    private var uncertain: Set<ItemNumber> = []

    init(
        _ context: EngineContext, _ reconciler: ItemReconciler, _ tracker: IdentifierTracker,
        _ finder: IdentifierFinder
    ) {
        self.context = context
        self.reconciler = reconciler
        self.tracker = tracker
        self.finder = finder
    }

    /// Whether the provider may accept attributes. `true` until it refuses them.
    var mayTakeAttributes: Bool { acceptsAttributes != false }

    /// Records that the previous engine may have sent an item's attributes, without a recorded reply.
    func noteUncertain(_ number: ItemNumber) { uncertain.insert(number) }

    /// Moves the state of an item to its new number.
    func move(_ number: ItemNumber, to successor: ItemNumber) {
        if uncertain.remove(number) != nil { uncertain.insert(successor) }
    }

    // MARK: One item

    /// Sends all unsent user metadata and attributes of an item.
    ///
    /// - Returns: Whether nothing is left to send.
    func sendAll(of number: ItemNumber, _ engine: isolated any EngineEvents) async throws -> Bool {
        // The limit allows one request for each of the three kinds and one for attributes, and as many again for
        // changes that are made meanwhile.
        for _ in 0..<8 {
            guard let entry = try context.journal.metadata(number), let kind = entry.kinds.first else { return true }
            let isOfAttributes = !kind.isDisjoint(with: .attributes)
            if isOfAttributes, try await !takesAttributes() {
                try leaveAttributes(kind, of: entry, try context.row(of: entry)?.number)
                continue
            }
            let row = try context.row(of: entry)
            let identifier = row?.item.identifier ?? entry.identifier
            // A new local item must be created at the provider first. If it was removed again, nothing is left to send.
            guard !identifier.hasPrefix(IndexedItem.localPrefix) else {
                let local = try context.index.itemEvenIfDeleted(number)
                guard local?.changes.contains(.deleted) ?? true else { return false }
                try context.journal.removeMetadata(number)
                return true
            }
            do {
                if let row, try await finder.renewIdentifier(of: row, engine) != nil { return false }
                if isOfAttributes {
                    guard try await sendAttributes(kind, of: entry, row, engine) else { return false }
                } else {
                    let items = try await set(UserMetadataChange(kind, of: entry.values), of: identifier, entry, engine)
                    try confirm(kind, of: entry, try context.row(of: entry)?.number, items, engine)
                    context.replies.noteReport(of: [identifier])
                }
            } catch let failure as ProviderError {
                switch failure.kind {
                // The provider does not store such metadata, so it stays local.
                case .unsupported, .notPermitted: try confirm(kind, of: entry, nil, [], engine)
                case .noSuchItem:
                    if let row {
                        // The item may have been moved by a request whose reply was lost.
                        if tracker.moves[row.number] != nil { return false }
                        let result = try await finder.findNewIdentifier(of: row.number, asked: identifier, engine)
                        if result != nil { return false }
                    }
                    try context.journal.removeMetadata(number)
                default: throw failure
                }
            }
        }
        return false
    }

    /// Sends one kind of an item's user metadata, or its attributes, to the provider.
    ///
    /// - Returns: The item of the reply. If the index does not contain the item, its unknown ancestors precede it.
    ///   Empty if the reply is stale.
    private func set(
        _ metadataChange: UserMetadataChange, of identifier: String, _ entry: MetadataEntry,
        _ engine: isolated any EngineEvents
    ) async throws -> [ProviderItem] {
        let request = context.replies.beginRequest()
        EngineStep.markAsked.reach()
        var answer = try await context.asking { () async throws(ProviderError) in
            try await context.provider.set(metadataChange, of: identifier)
        }
        EngineStep.markAnswered.reach()
        try await finder.reidentify(try context.row(of: entry), as: answer, asked: identifier, engine)
        if let now = try context.row(of: try context.journal.metadata(entry.number) ?? entry),
            !now.item.identifier.hasSameBytes(as: answer.identifier)
        {
            // The item has got another identifier meanwhile, because a directory above it got a new identifier.
            answer.identifier = now.item.identifier
            answer.parent = now.item.parent
            answer.filename = now.item.filename
        }
        var items = try reconciler.newest([answer], answering: request, engine)
        // The item may be in a directory that was moved to the trash meanwhile. In that case it must not be shown.
        if try context.row(of: entry) == nil { items = try await reconciler.withAncestors(items, engine) }
        guard !context.isClosed else { throw EngineClosedError() }
        return items
    }

    /// Records that the provider has confirmed one kind of an item's user metadata, or does not store it.
    ///
    /// - Parameters:
    ///   - sent: The journal's entry with the values that were sent.
    ///   - row: The item's number; `nil` if the provider does not store this kind, or the item does not exist.
    ///   - items: The items of the provider's reply.
    private func confirm(
        _ kind: MetadataKinds, of sent: MetadataEntry, _ row: ItemNumber?, _ items: [ProviderItem],
        _ engine: isolated any EngineEvents
    ) throws {
        guard let entry = try context.journal.metadata(sent.number) else { return }
        var (now, then) = (ItemMetadata(), ItemMetadata())
        now.take(kind, from: entry.values)
        then.take(kind, from: sent.values)
        // A value that was changed meanwhile is sent again.
        let isSettled = now == then
        if row != nil || !items.isEmpty {
            let applied = try context.index.write(freesSpace: true) { writer throws(IndexError) in
                if isSettled, let row {
                    // The provider's earlier value is outdated. If it stayed in the row, a later report of that value
                    // would not count as a change.
                    try writer.update(row) { $0.item.take(kind, from: sent.values) }
                    try writer.reconcileMetadata(kind, of: row)
                }
                return try writer.apply(items)
            }
            reconciler.handle(applied, engine)
        }
        EngineStep.markConfirmed.reach()
        if isSettled { try settled(kind, of: sent.number) }
    }

    /// Removes the given kinds from an item's journal entry, because they do not have to be sent any more.
    private func settled(_ kinds: MetadataKinds, of number: ItemNumber) throws {
        guard var entry = try context.journal.metadata(number) else { return }
        entry.kinds.subtract(kinds)
        if entry.kinds.isEmpty {
            try context.journal.removeMetadata(number)
        } else {
            try context.journal.putMetadata([entry])
        }
    }

    // MARK: Attributes

    /// Returns whether the provider accepts attributes. Asks the provider until it has replied once.
    private nonisolated(nonsending) func takesAttributes() async throws -> Bool {
        if let known = acceptsAttributes { return known }
        do {
            _ = try await context.asking { () async throws(ProviderError) in
                try await context.provider.set(.attributes(ItemAttributes()), of: ProviderItem.rootIdentifier)
            }
            acceptsAttributes = true
        } catch let failure as ProviderError where failure.isRefusalOfAttributes {
            // A refusal that concerns only the root shows that the provider supports the call.
            acceptsAttributes = failure.kind != .unsupported
        }
        return acceptsAttributes == true
    }

    /// Sends the given kinds of an item's attributes.
    ///
    /// - Parameter row: The item's index row; `nil` if the item does not exist.
    /// - Returns: Whether the attributes were sent or do not have to be sent. `false` if something else has to be sent
    ///   first.
    private func sendAttributes(
        _ kinds: MetadataKinds, of entry: MetadataEntry, _ row: IndexedItem?, _ engine: isolated any EngineEvents
    ) async throws -> Bool {
        guard var row else {
            try leaveAttributes(kinds, of: entry, nil)
            return true
        }
        // A new item or new contents are sent first, because these requests also send some of the attributes.
        guard row.changes.isDisjoint(with: [.created, .contents]) else { return false }
        if uncertain.contains(row.number) {
            guard try await askAnew(row, engine) else { return false }
            guard let now = try context.row(of: entry) else { return true }
            row = now
        }
        let attributes = row.attributesToSend(kinds)
        if attributes.isEmpty {
            try leaveAttributes(kinds, of: entry, row.number)
            return true
        }
        uncertain.insert(row.number)
        let items: [ProviderItem]
        do {
            items = try await set(.attributes(attributes), of: row.item.identifier, entry, engine)
        } catch let failure as ProviderError where failure.isRefusalOfAttributes {
            // The attributes stay local, because a retry would fail, too. The provider has certainly not applied them.
            uncertain.remove(row.number)
            items = []
        }
        // Attributes that were changed meanwhile are sent again.
        let isSettled = try context.row(of: entry)?.hasAttributes(of: row, kinds) ?? false
        let applied = try context.index.write(freesSpace: true) { writer throws(IndexError) in
            try writer.apply(items)
        }
        reconciler.handle(applied, engine)
        // A stale reply is not applied, so the row lacks the sent values. In that case, the item is requested before
        // its attributes are compared the next time.
        if !items.isEmpty { uncertain.remove(row.number) }
        EngineStep.markConfirmed.reach()
        if isSettled { try leaveAttributes(kinds, of: entry, row.number) }
        context.replies.noteReport(of: items.map(\.identifier))
        return true
    }

    /// The maximum number of requests for one item. A request is repeated if its reply is stale.
    private static let mostQuestions = 3

    /// Requests an item from the provider, because the reply to a request that changes it was lost.
    ///
    /// - Returns: Whether the item of the reply was applied to the item's row.
    private func askAnew(_ row: IndexedItem, _ engine: isolated any EngineEvents) async throws -> Bool {
        let identifier = row.item.identifier
        for _ in 0..<Self.mostQuestions {
            let request = context.replies.beginRequest()
            let answer = try await context.asking { () async throws(ProviderError) in
                try await context.provider.item(identifier)
            }
            guard answer.identifier.hasSameBytes(as: identifier) else {
                throw ProviderError(.badAnswer, message: "The provider's reply is about another item.")
            }
            let items = try reconciler.newest([answer], answering: request, engine)
            guard !context.isClosed else { throw EngineClosedError() }
            guard !items.isEmpty else { continue }
            let applied = try context.index.write(freesSpace: true) { writer throws(IndexError) in
                try writer.apply(items)
            }
            reconciler.handle(applied, engine)
            context.replies.noteReport(of: [identifier])
            uncertain.remove(row.number)
            return true
        }
        return false
    }

    /// Records that attributes do not have to be sent any more, because they were sent or cannot be sent. The values
    /// stay in the item's row until the provider reports new ones.
    ///
    /// - Parameter number: The item's number, which may differ from the entry's; `nil` if the item does not exist.
    private func leaveAttributes(_ kinds: MetadataKinds, of entry: MetadataEntry, _ number: ItemNumber?) throws {
        if let number {
            try context.index.write(freesSpace: true) { writer throws(IndexError) in
                try writer.reconcileMetadata(kinds, of: number)
                try writer.update(number) { $0.reconcileAttributes() }
            }
        }
        // The journal is written last, so that the next start completes what is missing.
        try settled(kinds, of: entry.number)
    }
}

extension UserMetadataChange {
    /// Creates the change that sets one kind of user metadata to its value in `values`.
    ///
    /// - Parameter kind: Exactly one kind.
    init(_ kind: MetadataKinds, of values: ItemMetadata) {
        switch kind {
        case .lastUsed: self = .lastUsed(values.lastUsed)
        case .favoriteRank: self = .favoriteRank(values.favoriteRank)
        default: self = .tagData(values.tagData)
        }
    }
}

extension ProviderError {
    fileprivate var isRefusalOfAttributes: Bool {
        kind == .unsupported || kind == .notPermitted || kind == .cannotSynchronize
    }
}
