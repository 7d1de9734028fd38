import ItemValues

extension IndexWriter {
    /// Records new, changed and moved items that the provider reported.
    ///
    /// The report is always stored. The item's local place and name change accordingly, unless they were changed
    /// locally. Items that the provider removed should be removed first (``remove(identifiers:)``), so that other items
    /// can get their names.
    ///
    /// - In a listing, an item with an unknown parent is placed in the listed directory, and moves to its parent when
    ///   the parent is reported. In a change feed, a known item with an unknown parent stays in place. A new item with
    ///   an unknown parent is left out: the listing of its parent will report it. An item that would lie within itself
    ///   stays in place.
    /// - An item whose kind changed is replaced by a new item with another number.
    /// - An item in the trash, or in a directory that is in the trash, counts as removed.
    ///
    /// - Parameters:
    ///   - folder: The directory whose listing these items are from; `nil` for a change feed.
    ///   - mark: The number that identifies the listing; see ``removeUnlisted(in:before:)``.
    @discardableResult
    package mutating func apply(
        _ items: [ProviderItem], listedIn folder: ItemNumber? = nil, mark: Int64 = 0
    ) throws(IndexError) -> AppliedItems {
        if let folder, state.listings[folder]?.mark != mark { state.beginListing(of: folder, mark) }
        var application = Application(state, listedIn: folder)
        try application.apply(items)
        return application.result
    }
}

/// One batch of items that is being applied to the index.
private struct Application {
    private let state: WriterConnection
    private let folder: ItemNumber?
    private let folderIdentifier: String?
    var result = AppliedItems()

    /// The items of the batch that will be renamed or moved. Other items may get their present names.
    private var leaving: Set<ItemNumber> = []
    /// The hashes of the identifiers of the items that this batch has added, to find those that occur twice.
    private var addedHashes: Set<UInt64> = []
    /// The known items that this batch has changed. All reports were compared with the rows before the first change.
    /// Therefore a further report of such an item is applied even if that comparison found no difference.
    private var changed: Set<ItemNumber> = []
    private var unknownParents: Set<ExactText> = []
    /// The positions in the batch of new items whose parent is not known yet, by the parent's identifier.
    private var waiting: [ExactText: [Int]] = [:]
    /// The last position in the batch of each item that waits for its parent, by the item's identifier.
    private var lastWaiting: [ExactText: Int] = [:]
    /// The identifiers of the items in the batch that lie in the trash, or in a directory in the trash.
    private var trashed: Set<ExactText> = []
    /// The parent that was looked up last, for the next items. `nil` after the removal of a tree that may contain it.
    private var lastParent: (identifier: String, number: ItemNumber?)?

    init(_ state: WriterConnection, listedIn folder: ItemNumber?) {
        self.state = state
        self.folder = folder
        folderIdentifier = folder.flatMap { folder in try? state.queries.item(folder)?.item.identifier }
    }

    private enum LookupResult {
        case new
        case unchanged(ItemNumber)
        case changed(ItemNumber)
        case ignored
    }

    mutating func apply(_ items: [ProviderItem]) throws(IndexError) {
        // A span avoids a retain and a release for each property that is read from an item of the array.
        let (all, items) = (items, items.span)
        if state.trash.mayHoldSome || Self.isAnySaidToBeTrashed(items) { try findTrashed(all) }
        var hashes: [UInt64] = []
        hashes.reserveCapacity(items.count)
        addedHashes.reserveCapacity(items.count)
        for index in items.indices { hashes.append(state.hash.identifier(items[index].identifier)) }
        // All hashes are looked up at once, because each is a memory access that likely misses the cache.
        let mayBeKnown = state.mayContain(hashes)
        var known: [LookupResult] = []
        known.reserveCapacity(items.count)
        for index in items.indices {
            if !Self.isItem(items[index].identifier) {
                known.append(.ignored)
            } else if !mayBeKnown[index], trashed.isEmpty {
                known.append(.new)
            } else {
                known.append(try look(at: items[index], hashes[index], mayBeKnown: mayBeKnown[index]))
            }
        }
        for index in items.indices {
            switch known[index] {
            case .ignored: break
            case .unchanged(let number) where !changed.contains(number): try confirm(number, items[index])
            case .unchanged(let number), .changed(let number): try change(number, items[index])
            case .new:
                if addedHashes.contains(hashes[index]),
                    let number = try state.queries.number(identifier: items[index].identifier, hash: hashes[index])
                {
                    try change(number, items[index])
                } else if try add(items[index], hashes[index], orIn: folder) {
                    if !lastWaiting.isEmpty { lastWaiting[ExactText(items[index].identifier)] = nil }
                } else {
                    waiting[ExactText(items[index].parent), default: []].append(index)
                    lastWaiting[ExactText(items[index].identifier)] = index
                }
            }
        }
        if !waiting.isEmpty { try addWaiting(items, hashes) }
        result.unknownParents = unknownParents.sorted().map(\.string)
    }

    // MARK: Looking

    private mutating func look(
        at item: borrowing ProviderItem, _ hash: UInt64, mayBeKnown: Bool
    ) throws(IndexError) -> LookupResult {
        guard mayBeKnown, let number = try state.queries.number(identifier: item.identifier, hash: hash) else {
            return try isInTrash(item) ? .ignored : .new
        }
        state.bytes.clear()
        PackedItem.write(item, to: &state.bytes)
        let isUnchanged = try state.queries.withRow(number) { row throws(IndexError) in
            let key = try PackedItem.key(row.bytes)
            let said = UnsafeRawBufferPointer(rebasing: row.bytes[key.providerPart...])
            if said.hasSameBytes(as: state.bytes.bytes) { return true }
            let before = try row.item()
            if !before.changes.contains(.place), !before.isSaidToBe(where: item) { leaving.insert(number) }
            return false
        }
        return isUnchanged == true ? .unchanged(number) : .changed(number)
    }

    /// Whether an item of the provider may have the given identifier.
    private static func isItem(_ identifier: String) -> Bool {
        !identifier.isEmpty && !IndexedItem.isReserved(identifier)
            && identifier != ProviderItem.workingSetIdentifier && identifier != ProviderItem.trashIdentifier
    }

    private static func isAnySaidToBeTrashed(_ items: Span<ProviderItem>) -> Bool {
        // Pass only the three properties, because passing the item would copy it.
        for index in items.indices
        where ProviderItem.isSaidToBeTrashed(items[index].identifier, in: items[index].parent, items[index].flags) {
            return true
        }
        return false
    }

    /// Whether the given item lies in the trash, or in a directory in the trash. If it lies directly in the trash, adds
    /// it to the record of items in the trash.
    private func isInTrash(_ item: ProviderItem) throws(IndexError) -> Bool {
        guard !trashed.isEmpty, trashed.contains(item.identifier) else { return false }
        if item.isSaidToBeTrashed { try state.trash.note(item, formerlyIn: try former(of: item)) }
        return true
    }

    /// Returns the identifier of the directory that contained the given item before it went to the trash; `nil` if it
    /// is not known.
    private func former(of item: ProviderItem) throws(IndexError) -> String? {
        guard let number = try state.queries.number(identifier: item.identifier) else { return nil }
        return try state.queries.item(number)?.item.parent
    }

    /// Finds the items of the batch that lie in the trash, or in a directory in the trash. A directory may come after
    /// its items in the batch.
    private mutating func findTrashed(_ items: [ProviderItem]) throws(IndexError) {
        let batch = Dictionary(items.map { (ExactText($0.identifier), $0) }) { $1 }
        for (identifier, item) in batch where item.isSaidToBeTrashed { trashed.insert(identifier) }
        var isMore = true
        while isMore {
            isMore = false
            for (identifier, item) in batch where !trashed.contains(identifier) && !item.isRoot {
                if batch[ExactText(item.parent)] != nil {
                    guard trashed.contains(item.parent) else { continue }
                } else {
                    guard try parent(item.parent) == nil, try state.trash.holds(item.parent) else { continue }
                }
                trashed.insert(identifier)
                isMore = true
            }
        }
    }

    /// Returns the known directory with the identifier that an item names as its parent; `nil` if there is none.
    private mutating func parent(_ identifier: String) throws(IndexError) -> ItemNumber? {
        if let folder, folderIdentifier?.hasSameBytes(as: identifier) == true { return folder }
        if let lastParent, lastParent.identifier.hasSameBytes(as: identifier) { return lastParent.number }
        var number = try state.queries.number(identifier: identifier)
        if let found = number {
            // A file that the provider names as a parent is not accepted.
            let kind = try state.queries.withRow(found) { row throws(IndexError) in
                try PackedItem.key(row.bytes).kind
            }
            if kind != .folder { number = nil }
        }
        lastParent = (identifier, number)
        return number
    }

    // MARK: New items

    /// Adds the items that came before their parents in the batch.
    private mutating func addWaiting(_ items: Span<ProviderItem>, _ hashes: [UInt64]) throws(IndexError) {
        var parents: [ExactText] = []
        for key in waiting.keys.sorted() where try parent(key.string) != nil { parents.append(key) }
        while let identifier = parents.popLast() {
            for index in waiting.removeValue(forKey: identifier) ?? [] {
                let child = ExactText(items[index].identifier)
                guard lastWaiting[child] == index, try add(items[index], hashes[index], orIn: nil) else { continue }
                if waiting[child] != nil { parents.append(child) }
            }
        }
        // The remaining items have unknown parents, and are left out.
        unknownParents.formUnion(waiting.keys)
    }

    /// Adds an item that is new in the index.
    ///
    /// - Parameter other: The directory in which to place the item if its parent is unknown; `nil` if there is none.
    /// - Returns: Whether the item was added. If not, no directory was found for it.
    private mutating func add(
        _ item: borrowing ProviderItem, _ hash: UInt64, orIn other: ItemNumber?
    ) throws(IndexError) -> Bool {
        try state.trash.forget(item.identifier)
        let known = try parent(item.parent)
        var place = known ?? other
        var isListed = folder != nil
        if place == nil {
            place = try state.folder(listing: item.parent)
            isListed = true
        }
        guard let place else { return false }
        let number = state.takeNumber()
        let name = try state.freeName(MountName.mended(item.filename), in: place) { !self.leaving.contains($0) }
        try state.insert(item, number, in: place, name: name)
        addedHashes.insert(hash)
        result.added.append(number)
        state.recordChange(.added(number, parent: place, name: name))
        if known == nil { try noteOrphan(number, item.parent, isListed: isListed) }
        guard item.kind == .folder else { return true }
        if lastParent?.identifier.hasSameBytes(as: item.identifier) == true { lastParent = nil }
        unknownParents.remove(item.identifier)
        try state.adopt(IndexedItem(number: number, parent: place, name: name, item: copy item))
        return true
    }

    private mutating func noteOrphan(
        _ number: ItemNumber, _ parent: String, isListed: Bool
    ) throws(IndexError) {
        try state.noteOrphan(number, parent: parent, listed: isListed)
        unknownParents.insert(parent)
    }

    // MARK: Known items

    /// Handles a known item whose report has not changed. If its parent has become known since the last report, moves
    /// the item to this parent.
    private mutating func confirm(_ number: ItemNumber, _ item: ProviderItem) throws(IndexError) {
        if try isInTrash(item) {
            lastParent = nil
            try state.removeTree(number, &result.removed)
            return
        }
        let place = try parent(item.parent)
        guard
            let before = try state.queries.withRow(
                number,
                { row throws(IndexError) -> IndexedItem? in
                    // Any report, in a listing or a change feed, shows that the item exists, so it counts as listed.
                    state.noteListed(number, in: row.parent)
                    let isInPlace = place == nil || row.parent == place || number == .root
                    let hasContents = try PackedItem.hasContents(row.bytes)
                    return isInPlace && !hasContents ? nil : try row.item()
                }), let before
        else { return }
        noteContents(before, item)
        guard number != .root, !before.changes.contains(.place) else { return }
        try write(before, before, wasSaidToBe: false)
    }

    private mutating func change(_ number: ItemNumber, _ item: ProviderItem) throws(IndexError) {
        guard let before = try state.queries.item(number) else { return }
        if try isInTrash(item) {
            leaving.remove(number)
            lastParent = nil
            try state.removeTree(number, &result.removed)
            return
        }
        if before.item.kind != item.kind {
            try replace(before, item)
            return
        }
        var after = before
        after.item = item
        // A date that was set locally belongs to the earlier contents.
        if item.kind == .file, !before.changes.contains(.contents), !before.item.hasContents(of: item) {
            after.localModified = nil
            after.localChanged = nil
        }
        // A provider may omit the target in later reports; without it the link would be empty.
        if item.kind == .symbolicLink, item.linkTarget == nil { after.item.linkTarget = before.item.linkTarget }
        if after.hasSetAttributes {
            after.followAttributes(since: before.item, except: try state.metadata.setLocally(number))
        }
        result.changed.append(number)
        changed.insert(number)
        noteContents(before, item)
        if number == .root {
            // If the provider reports no creation date for the root, the root keeps its former creation date.
            after.item.created = item.created ?? before.item.created
            try state.replace(before, with: after)
            state.recordChange(before, after, wasShown: true, isShown: true)
        } else if before.changes.contains(.place) {
            try state.replace(before, with: after)
            state.recordChange(before, after, wasShown: before.isShown, isShown: before.isShown)
        } else {
            try write(before, after, wasSaidToBe: before.isSaidToBe(where: item))
        }
    }

    /// Stores the new report of an item, and moves the item to the place and name in the report.
    ///
    /// - Parameters:
    ///   - before: The item as it is in the index.
    ///   - said: The item with the new report.
    ///   - wasSaidToBe: Whether the last report had the same place and name.
    private mutating func write(
        _ before: IndexedItem, _ said: IndexedItem, wasSaidToBe: Bool
    ) throws(IndexError) {
        var after = said
        let number = before.number
        let known = try parent(said.item.parent)
        after.parent = known ?? before.parent
        var hasCycle = false
        if after.parent != before.parent, said.item.kind == .folder,
            try state.isFolder(after.parent, within: number)
        {
            after.parent = before.parent
            hasCycle = true
        }
        if before.isShown {
            if after.parent != before.parent || !before.item.filename.hasSameBytes(as: said.item.filename) {
                let name = MountName.mended(said.item.filename)
                after.name = try state.freeName(name, in: after.parent) { $0 != number && !self.leaving.contains($0) }
            } else if leaving.contains(number) {
                // The item did not get the expected new name or place, and another item may have its current name.
                after.name = try state.freeName(before.name, of: said, in: after.parent) {
                    $0 != number && !self.leaving.contains($0)
                }
            }
        }
        leaving.remove(number)
        try state.replace(before, with: after)
        if known == nil {
            if !wasSaidToBe { try noteOrphan(number, said.item.parent, isListed: folder != nil) }
        } else if hasCycle {
            try state.noteOrphan(number, parent: said.item.parent, listed: false)
        } else {
            try state.forgetOrphan(number)
        }
        if before.parent != after.parent || !before.name.hasSameBytes(as: after.name) { result.moved.append(number) }
        state.recordChange(before, after, wasShown: before.isShown, isShown: before.isShown)
    }

    /// Replaces an item whose kind changed, such as a file that became a directory, by a new item.
    private mutating func replace(_ before: IndexedItem, _ item: ProviderItem) throws(IndexError) {
        guard before.number != .root else { return }
        leaving.remove(before.number)
        lastParent = nil
        try state.removeTree(before.number, &result.removed)
        if let kept = try state.queries.item(before.number) {
            // The row stays because of its local edits. It becomes a local item, so that the engine can create the item
            // again.
            var alone = kept
            alone.item.identifier = IndexedItem.localPrefix + "\(kept.number.rawValue)"
            // The journal may not have an entry for a directory that was kept for changes inside it. This flag makes
            // the next start create the entry.
            if kept.item.kind == .folder { alone.changes.insert(.created) }
            try state.change(kept, to: alone)
        }
        _ = try add(item, state.hash.identifier(item.identifier), orIn: folder ?? before.parent)
    }

    private mutating func noteContents(_ before: IndexedItem, _ item: ProviderItem) {
        guard item.kind == .file else { return }
        var isOther = item.contentVersion != before.localVersion
        if item.contentVersion.isEmpty && before.localVersion.isEmpty { isOther = !before.item.hasContents(of: item) }
        guard isOther else { return }
        if before.changes.contains(.contents) {
            if !before.changes.contains(.created) { result.conflicts.append(before.number) }
        } else if before.content == .current || before.content == .partial {
            result.outdated.append(before.number)
        }
    }
}

extension IndexedItem {
    /// Whether the provider's last report of this item and the given report agree on place and name.
    fileprivate func isSaidToBe(where other: ProviderItem) -> Bool {
        item.parent.hasSameBytes(as: other.parent) && item.filename.hasSameBytes(as: other.filename)
    }
}
