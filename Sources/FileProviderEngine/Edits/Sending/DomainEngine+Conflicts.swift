import FileProvider
import LinuxSystem

/// The provider has something else than an edit began with.
extension DomainEngine {
    /// Finds out whether other contents at the provider are what was sent from here, or a conflict.
    func settleConflict(_ number: ItemNumber, _ current: ProviderItem) async throws -> StepResult {
        let generation = edits.generations[number, default: 0]
        let (likeness, theirs) = try await likeness(of: number, to: current)
        guard var entry = try journal.entry(number), entry.changes.contains(.contents),
            let row = try index.itemEvenIfDeleted(number), row.item.identifier == current.identifier,
            // What was removed meanwhile is settled with its removal.
            !entry.changes.contains(.deleted)
        else { return .done }
        switch likeness {
        case .edited:
            return try took(
                number, generation: generation, size: theirs.size ?? row.localSize, theirs, asked: theirs.identifier)
        case .sent:
            entry.baseVersion = theirs.contentVersion
            let changed = entry
            try confirm([.put(changed)]) { writer throws(IndexFailure) in
                try writer.update(number) { $0.item = theirs }
            }
        case .other:
            // The item was said to be of another version than the one that the edit began with, and its contents are of that one.
            if !entry.baseVersion.isEmpty, theirs.contentVersion == entry.baseVersion {
                throw ProviderFailure(.transient, message: "The provider does not say the same version twice.")
            }
            try keepBoth(entry, row, theirs)
        }
        return .done
    }

    enum Likeness {
        /// What is here now.
        case edited
        /// What was sent from here, after which it was edited again.
        case sent
        case other
    }

    /// Bytes that cost nothing to fetch for a comparison.
    private static let smallSize: Int64 = 1 << 19

    /// Compares what the provider has with what is here and with what was sent.
    func likeness(
        of number: ItemNumber, to item: ProviderItem
    ) async throws -> (Likeness, ProviderItem) {
        var candidates: [(Likeness, FileDescriptor)] = []
        if let file = try folders.open(number, in: folders.edits, .readOnly) { candidates.append((.edited, file)) }
        for name in UploadName.all(number) {
            guard let file = try? folders.uploads.open(name, [.readOnly, .noFollow]) else { continue }
            candidates.append((.sent, file))
        }
        let compared = candidates
        // Many a provider says 0 of what it does not know, and some count otherwise than in the bytes that they give. Only what is said
        // to be far larger than anything here is not fetched to be compared.
        let sizes = try compared.map { try Int64($0.1.status().size) }
        guard let largest = sizes.max(), (item.size ?? 0) / 2 <= max(largest, Self.smallSize) else {
            return (.other, item)
        }
        let contents = try await asking { () async throws(ProviderFailure) in
            try await provider.contents(of: item.identifier) { _, _ in }
        }
        try check(contents.item, is: .file, item.identifier)
        let likeness = try await blocking {
            try compared.first { try ContentComparison.areEqual($0.1, contents.descriptor) }?.0 ?? .other
        }
        await provider.stopProviding(item.identifier)
        try contents.checkUnchanged()
        if isClosed { throw EngineClosed() }
        return (likeness, contents.item)
    }

    /// Both stay: what was edited here becomes a new item beside the provider's, which takes the name.
    private func keepBoth(_ entry: JournalEntry, _ row: IndexedItem, _ theirs: ProviderItem) throws {
        let number = entry.number
        let now = clock.now
        let name = try freeName(in: row.parent) {
            ConflictName.conflictedCopy(of: row.name, at: now, number: $0)
        }
        try becomeNew(entry, row, in: row.parent, named: name, followedBy: [theirs])
        note(.conflict(copy: name), of: number, row.name)
    }

    /// What the provider removed while it was edited here stays, and is made there again.
    func makeAgain(_ number: ItemNumber) throws -> StepResult {
        guard let row = try index.itemEvenIfDeleted(number) else { return .done }
        // A folder has none where only something in it was changed.
        let journalled = try journal.entry(number)
        let entry = try journalled ?? freshEntry(of: row)
        if entry.changes.contains(.deleted) {
            try finishRemoval(number)
            return .done
        }
        // The provider has a file in the place of a folder: what was changed in it is made in a new one.
        let lostItsItem = row.item.kind == .folder && journalled == nil
        guard row.isKnownToProvider || lostItsItem else { return .done }
        let isWanted =
            row.item.kind == .folder
            ? try hasVisibleChildren(number) : row.content == .edited || entry.isOpen || isOpenForWriting(number)
        guard isWanted else {
            // It was moved here and removed there, and no byte of it is this machine's own.
            try confirm([.remove(number)]) { writer throws(IndexFailure) in try writer.delete(number) }
            removeBytes(of: number)
            return .done
        }
        let parent = try index.item(row.parent) == nil ? ItemNumber.root : row.parent
        var name = row.name
        if let other = try index.item(named: name, in: parent), other.number != number {
            name = try freeName(in: parent) { MountName.numbered(row.name, $0 + 1) }
        }
        try becomeNew(entry, row, in: parent, named: name, followedBy: [])
        note(.madeAgain, of: number, name)
        return .done
    }

    func becomeNew(
        _ entry: JournalEntry, _ row: IndexedItem, in parent: ItemNumber, named name: String,
        followedBy items: [ProviderItem]
    ) throws {
        let number = entry.number
        var item = ProviderItem(
            identifier: newLocalIdentifier(), parent: try index.item(parent)?.item.identifier ?? row.item.parent,
            filename: name, kind: row.item.kind)
        item.linkTarget = row.item.linkTarget
        item.contentType = row.item.contentType
        item.fileSystemFlags = row.item.fileSystemFlags
        item.flags = []
        let newItem = item
        var entry = entry
        entry.identifier = item.identifier
        entry.parent = parent
        entry.parentIdentifier = item.parent
        entry.name = name
        entry.baseVersion = []
        entry.mayHaveMoved = false
        entry.movedTo = nil
        entry.changes = row.item.kind == .file ? [.created, .contents] : .created
        entry.failure = nil
        let changes = entry.changes
        edits.sent[number] = nil
        // The index first: the next start takes from it what an item is.
        let applied = try confirm([.put(entry)]) { writer throws(IndexFailure) in
            try writer.update(number) { row in
                row.item = newItem
                row.parent = parent
                row.name = name
                row.changes = changes
                row.localVersion = []
                if row.item.kind == .file { row.content = .edited }
                if row.item.kind == .folder { row.listing = .complete }
            }
            return try writer.apply(items)
        }
        settleMove(of: number)
        handle(applied)
    }

    func hasVisibleChildren(_ folder: ItemNumber) throws(IndexFailure) -> Bool {
        var found = false
        try index.children(of: folder, after: nil, limit: 1) { _ in
            found = true
            return false
        }
        return found
    }

    /// The first name that nothing has; the closure gets 1, 2 and so on.
    func freeName(in folder: ItemNumber, _ name: (Int) -> String) throws(IndexFailure) -> String {
        var number = 1
        while true {
            let candidate = name(number)
            if try index.item(named: candidate, in: folder) == nil { return candidate }
            number += 1
        }
    }
}
