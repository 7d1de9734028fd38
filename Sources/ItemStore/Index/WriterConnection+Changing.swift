import ItemValues

extension WriterConnection {
    // MARK: Names and places

    /// Returns a name that no visible item of the given directory has: the given name, or this name with a number.
    ///
    /// - Parameters:
    ///   - name: A valid name.
    ///   - counts: Returns whether the name of the given item counts as taken.
    func freeName(
        _ name: String, in parent: ItemNumber, _ counts: (ItemNumber) -> Bool
    ) throws(IndexError) -> String {
        func isFree(_ name: String) throws(IndexError) -> Bool {
            try queries.number(named: name, in: parent, where: counts) == nil
        }
        if try isFree(name) { return name }
        func isFree(_ number: Int) throws(IndexError) -> Bool { try isFree(MountName.numbered(name, number)) }
        for number in 2..<10 where try isFree(number) { return MountName.numbered(name, number) }
        // With many items of one name, the number grows in large steps; a binary search finds a free number after a
        // taken one.
        var taken = 9
        var free = 16
        while try !isFree(free) {
            taken = free
            free *= 2
        }
        while free - taken > 1 {
            let middle = (taken + free) / 2
            if try isFree(middle) { free = middle } else { taken = middle }
        }
        return MountName.numbered(name, free)
    }

    /// Returns the wanted name of an item if no other visible item of the given directory has it, otherwise a name with
    /// a number. If the engine made the wanted name by adding a number to the name at the provider, this number is
    /// replaced, so that the name does not get a second number.
    ///
    /// - Parameter counts: Returns whether the name of the given item counts as taken.
    func freeName(
        _ wanted: String, of item: IndexedItem, in parent: ItemNumber, _ counts: (ItemNumber) -> Bool
    ) throws(IndexError) -> String {
        let name = MountName.mended(wanted)
        if try queries.number(named: name, in: parent, where: counts) == nil { return name }
        let own = MountName.mended(item.item.filename)
        let hasNumber = !item.changes.contains(.place) && MountName.isNumbered(name, from: own)
        return try freeName(hasNumber ? own : name, in: parent, counts)
    }

    func isFolder(_ number: ItemNumber, within folder: ItemNumber) throws(IndexError) -> Bool {
        var current = number
        while current != folder {
            guard current != .root,
                let parent = try queries.withRow(current, { row throws(IndexError) in row.parent })
            else { return false }
            current = parent
        }
        return true
    }

    // MARK: Single items

    /// Adds the row of a new item. If a sibling has its name, a number is appended to the name.
    ///
    /// - Returns: The item as written.
    func add(_ item: IndexedItem) throws(IndexError) -> IndexedItem {
        var item = item
        try yieldIdentifier(item.item.identifier, to: item)
        if !item.changes.contains(.deleted) {
            item.name = try freeName(item.name, of: item, in: item.parent) { _ in true }
        }
        try insert(item)
        if !item.changes.contains(.deleted) { recordChange(.added(item.number, parent: item.parent, name: item.name)) }
        try adopt(item)
        return item
    }

    /// Writes an item as requested, with two exceptions: if a sibling has its name, a number is appended, and a
    /// directory is not moved into itself.
    ///
    /// - Returns: The item as written.
    @discardableResult
    func change(_ before: IndexedItem, to wanted: IndexedItem) throws(IndexError) -> IndexedItem {
        var after = wanted
        let wasShown = !before.changes.contains(.deleted)
        let isShown = !after.changes.contains(.deleted)
        let hasOtherIdentifier = !before.item.identifier.hasSameBytes(as: after.item.identifier)
        if hasOtherIdentifier {
            try yieldIdentifier(after.item.identifier, to: before)
        }
        if after.number == .root {
            after.parent = .root
        } else {
            if after.parent != before.parent, after.item.kind == .folder,
                try isFolder(after.parent, within: after.number)
            {
                after.parent = before.parent
            }
            if isShown,
                !wasShown || after.parent != before.parent || !after.name.hasSameBytes(as: before.name)
            {
                after.name = try freeName(after.name, of: after, in: after.parent) { $0 != after.number }
            }
        }
        after = try replace(before, with: after)
        recordChange(before, after, wasShown: wasShown, isShown: isShown)
        if hasOtherIdentifier {
            try adopt(after)
            try passOnIdentifier(of: after, from: before)
        }
        return after
    }

    func recordChange(_ before: IndexedItem, _ after: IndexedItem, wasShown: Bool, isShown: Bool) {
        guard isObserved else { return }
        switch (wasShown, isShown) {
        case (true, false): recordChange(.removed(before.number, parent: before.parent, name: before.name))
        case (false, true): recordChange(.added(after.number, parent: after.parent, name: after.name))
        case (false, false): break
        case (true, true):
            if before.parent != after.parent || !before.name.hasSameBytes(as: after.name) {
                recordChange(
                    .moved(
                        after.number, from: before.parent, fromName: before.name, to: after.parent,
                        toName: after.name))
            }
            if before.differsBesidesPlace(from: after) {
                recordChange(.changed(after.number, contents: before.differsInContents(from: after)))
            }
        }
    }

    /// Merges another row that has the given identifier into the item `folder`: the items in the other row move to
    /// `folder`, and the other row is deleted.
    private func yieldIdentifier(_ identifier: String, to folder: IndexedItem) throws(IndexError) {
        let number = folder.number
        guard let other = try queries.number(identifier: identifier), other != number, other != .root,
            let item = try queries.item(other)
        else { return }
        var children: [IndexedItem] = []
        try queries.children(of: other) { row throws(IndexError) in
            children.append(try row.item())
            return true
        }
        // The other row is deleted first, which frees its name before the children get theirs.
        try delete(item)
        for child in children {
            if try takeIdentifier(of: child, in: folder) { continue }
            var moved = child
            moved.parent = number
            try change(child, to: moved)
        }
        if !item.changes.contains(.deleted) { recordChange(.removed(other, parent: item.parent, name: item.name)) }
    }

    /// Moves the items that wait for the given directory into this directory.
    func adopt(_ folder: IndexedItem) throws(IndexError) {
        for number in try orphans(of: folder.item.identifier) {
            guard number != folder.number, let before = try queries.item(number) else { continue }
            guard folder.item.kind == .folder, before.item.parent.hasSameBytes(as: folder.item.identifier) else {
                continue
            }
            try forgetOrphan(number)
            guard !before.changes.contains(.place) else { continue }
            if before.item.kind == .folder, try isFolder(folder.number, within: number) {
                try noteOrphan(number, parent: before.item.parent, listed: false)
                continue
            }
            var after = before
            after.parent = folder.number
            after.name = before.item.filename
            try change(before, to: after)
        }
    }

    // MARK: Trees

    /// Removes an item with everything in it, except items with local changes and the directories above them.
    ///
    /// An item that was moved into the tree locally has another place at the provider. It stays with everything in it.
    /// An item that was removed locally from the tree still has to be removed at the provider: its row moves to the
    /// root, where it stays hidden until the provider confirms the removal.
    func removeTree(
        _ top: ItemNumber, evenIfChanged: Bool = false, _ removed: inout RemovedItems
    ) throws(IndexError) {
        struct Node {
            let number: ItemNumber
            let parent: Int?
            var isKept: Bool
            let isElsewhere: Bool
        }
        guard top != .root else { return }
        var nodes: [Node] = []
        func keeps(_ changes: LocalChanges) -> Bool {
            // Items that were also removed locally are not kept.
            !evenIfChanged && !changes.isEmpty && !changes.contains(.deleted)
        }
        guard
            let first = try queries.withRow(
                top,
                { row throws(IndexError) in
                    Node(number: top, parent: nil, isKept: keeps(row.changes), isElsewhere: false)
                })
        else { return }
        nodes.append(first)
        var next = 0
        while next < nodes.count {
            let index = next
            let folder = nodes[index]
            var uncertain: [ItemNumber] = []
            try queries.children(of: folder.number) { row throws(IndexError) in
                let isLookedAt = row.changes.contains(.deleted) || !evenIfChanged && row.changes.contains(.place)
                if folder.isElsewhere || !isLookedAt {
                    let isKept = folder.isElsewhere || keeps(row.changes)
                    nodes.append(
                        Node(number: row.number, parent: index, isKept: isKept, isElsewhere: folder.isElsewhere))
                } else {
                    uncertain.append(row.number)
                }
                return true
            }
            for number in uncertain {
                guard let item = try queries.item(number) else { continue }
                if item.changes.contains(.deleted) {
                    var kept = item
                    kept.parent = .root
                    try replace(item, with: kept)
                } else {
                    let isElsewhere = try !isSaidToBe(item, in: folder.number)
                    let isKept = isElsewhere || keeps(item.changes)
                    nodes.append(Node(number: number, parent: index, isKept: isKept, isElsewhere: isElsewhere))
                }
            }
            next += 1
        }
        // Children come after their parents in the array, so in reverse order they come first.
        for index in nodes.indices.reversed() {
            if nodes[index].isKept {
                if let parent = nodes[index].parent { nodes[parent].isKept = true }
                continue
            }
            guard let item = try queries.item(nodes[index].number) else { continue }
            try delete(item)
            removed.removed.append(item.number)
            if item.content != .dataless { removed.withContents.append(item.number) }
            if !item.changes.contains(.deleted) {
                recordChange(.removed(item.number, parent: item.parent, name: item.name))
            }
        }
        removed.kept += nodes.lazy.filter { $0.isKept && !$0.isElsewhere }.map(\.number)
    }

    /// Whether the given item lies in the given directory according to the provider's last report. `false` for an item
    /// that is not at the provider yet.
    private func isSaidToBe(_ item: IndexedItem, in folder: ItemNumber) throws(IndexError) -> Bool {
        guard item.isKnownToProvider else { return false }
        return try queries.item(folder)?.item.identifier.hasSameBytes(as: item.item.parent) == true
    }
}

extension IndexedItem {
    fileprivate func differsBesidesPlace(from other: IndexedItem) -> Bool {
        var other = other
        other.parent = parent
        other.name = name
        other.listing = listing
        other.item.parent = item.parent
        other.item.filename = item.filename
        return self != other
    }

    func differsInContents(from other: IndexedItem) -> Bool {
        content != other.content || localSize != other.localSize || localVersion != other.localVersion
            || !item.hasContents(of: other.item)
    }
}

extension ProviderItem {
    /// Whether this report of the provider describes the same contents as the given one: by version, or by size and
    /// date if there is no version.
    package func hasContents(of other: ProviderItem) -> Bool {
        if !contentVersion.isEmpty || !other.contentVersion.isEmpty { return contentVersion == other.contentVersion }
        return size == other.size && modified == other.modified
    }
}
