import FileProvider
import ItemStore
import ItemValues
import LinuxSystem

/// Conflicts: the provider's version is not the one that the edit is based on.
extension DomainEngine {
    /// Finds out whether different contents at the provider are an earlier upload of this engine, or a conflict.
    func resolveConflict(_ number: ItemNumber, _ current: ProviderItem) async throws -> StepResult {
        let generation = edits.table[number].generation
        let (likeness, theirs) = try await likeness(of: number, to: current)
        guard var entry = try journal.entry(number), entry.changes.contains(.contents),
            let row = try index.itemEvenIfDeleted(number), row.item.identifier == current.identifier,
            // An item that was removed meanwhile is settled by its removal.
            !entry.changes.contains(.deleted)
        else { return .done }
        switch likeness {
        case .edited:
            return try uploadDidFinish(
                number, generation: generation, size: theirs.size ?? row.localSize, theirs, asked: theirs.identifier)
        case .sent:
            entry.baseVersion = theirs.contentVersion
            let changed = entry
            try confirm([.put(changed)]) { writer throws(IndexError) in
                try writer.update(number) { $0.item = theirs }
            }
        case .other:
            // The provider first reported another version than the edit's base, and now returned contents of the base
            // version.
            if !entry.baseVersion.isEmpty, theirs.contentVersion == entry.baseVersion {
                throw ProviderError(.transient, message: "The provider does not say the same version twice.")
            }
            try keepBoth(entry, row, theirs)
        }
        return .done
    }

    enum Likeness {
        /// The provider's contents equal the local ones.
        case edited
        /// The provider's contents were uploaded from here. The file was edited again since.
        case sent
        case other
    }

    /// The size in bytes up to which contents are fetched for a comparison without regard to cost.
    private static let smallSize: Int64 = 1 << 19

    /// Compares the provider's contents with the local ones and with the upload copies.
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
        // Many providers report size 0 if they do not know it, and some report another size than that of the bytes
        // that they return. Only contents that are reported to be far larger than anything local are not fetched.
        let sizes = try compared.map { try Int64($0.1.status().size) }
        guard let largest = sizes.max(), (item.size ?? 0) / 2 <= max(largest, Self.smallSize) else {
            return (.other, item)
        }
        let contents = try await asking { () async throws(ProviderError) in
            try await provider.contents(of: item.identifier) { _, _ in }
        }
        try check(contents.item, is: .file, item.identifier)
        let likeness = try await blocking {
            try compared.first { try ContentComparison.areEqual($0.1, contents.descriptor) }?.0 ?? .other
        }
        await provider.stopProviding(item.identifier)
        try contents.checkUnchanged()
        if isClosed { throw EngineClosedError() }
        return (likeness, contents.item)
    }

    /// Keeps both versions. The local edit becomes a new item, and the provider's item keeps the name.
    private func keepBoth(_ entry: JournalEntry, _ row: IndexedItem, _ theirs: ProviderItem) throws {
        let number = entry.number
        let now = clock.now
        let name = try freeName(in: row.parent) {
            ConflictName.conflictedCopy(of: row.name, at: now, number: $0)
        }
        try becomeNew(entry, row, in: row.parent, named: name, followedBy: [theirs])
        note(.conflict(copy: name), of: number, row.name)
    }

    /// Creates an item again that the provider removed while it was edited locally.
    func makeAgain(_ number: ItemNumber) throws -> StepResult {
        guard let row = try index.itemEvenIfDeleted(number) else { return .done }
        // A directory has no entry if only items in it were changed.
        let journalled = try journal.entry(number)
        let entry = try journalled ?? freshEntry(of: row)
        if entry.changes.contains(.deleted) {
            try finishRemoval(number)
            return .done
        }
        // The provider has a file in place of a directory: the changes inside are created in a new directory.
        let lostItsItem = row.item.kind == .folder && journalled == nil
        guard row.isKnownToProvider || lostItsItem else { return .done }
        let isWanted =
            row.item.kind == .folder
            ? try hasVisibleChildren(number) : hasOwnContents(row, entry)
        guard isWanted else {
            // The item was moved locally and removed at the provider, and has no bytes that only this machine has.
            try drop(number)
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

    /// Whether a file has contents that only this machine has.
    func hasOwnContents(_ row: IndexedItem, _ entry: JournalEntry) -> Bool {
        row.content == .edited || entry.isOpen || isOpenForWriting(row.number)
    }

    /// Removes an item that the provider no longer has, without a trace.
    func drop(_ number: ItemNumber) throws {
        try confirm([.remove(number)]) { writer throws(IndexError) in try writer.delete(number) }
        removeBytes(of: number)
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
        edits.table.setAccepted(number, nil)
        // The index is written first: the next start takes an item's identity from it.
        let applied = try confirm([.put(entry)]) { writer throws(IndexError) in
            try writer.update(number) { row in
                row.item = newItem
                row.parent = parent
                row.name = name
                row.changes = changes
                row.localVersion = []
                if row.item.kind == .file { row.becomeEdited(size: row.localSize) }
                if row.item.kind == .folder { row.listing = .complete }
            }
            return try writer.apply(items)
        }
        forgetMove(of: number)
        handle(applied)
    }

    func hasVisibleChildren(_ folder: ItemNumber) throws(IndexError) -> Bool {
        var found = false
        try index.children(of: folder, after: nil, limit: 1) { _ in
            found = true
            return false
        }
        return found
    }

    /// Returns the first name that is free in a directory. The closure receives 1, 2 and so on.
    func freeName(in folder: ItemNumber, _ name: (Int) -> String) throws(IndexError) -> String {
        var number = 1
        while true {
            let candidate = name(number)
            if try index.item(named: candidate, in: folder) == nil { return candidate }
            number += 1
        }
    }
}
