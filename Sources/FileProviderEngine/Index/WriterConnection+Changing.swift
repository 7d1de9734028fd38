import FileProvider

extension WriterConnection {
    // MARK: Names and places

    /// A name that nothing shown in a folder has.
    ///
    /// - Parameters:
    ///   - name: a valid one.
    ///   - counts: whether an item that has a name keeps it from others.
    func freeName(
        _ name: String, in parent: ItemNumber, _ counts: (ItemNumber) -> Bool
    ) throws(IndexFailure) -> String {
        func isFree(_ name: String) throws(IndexFailure) -> Bool {
            try queries.number(named: name, in: parent, where: counts) == nil
        }
        if try isFree(name) { return name }
        func isFree(_ number: Int) throws(IndexFailure) -> Bool { try isFree(MountName.numbered(name, number)) }
        for number in 2..<10 where try isFree(number) { return MountName.numbered(name, number) }
        // Many of one name: looked for in great steps, and then between the last that was taken and the first that was free.
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

    func isFolder(_ number: ItemNumber, within folder: ItemNumber) throws(IndexFailure) -> Bool {
        var current = number
        while current != folder {
            guard current != .root,
                let parent = try queries.withRow(current, { row throws(IndexFailure) in row.parent })
            else { return false }
            current = parent
        }
        return true
    }

    // MARK: Single items

    /// Adds a row, whose name may become another.
    func add(_ item: IndexedItem) throws(IndexFailure) -> IndexedItem {
        var item = item
        try yieldIdentifier(item.item.identifier, to: item)
        if !item.changes.contains(.deleted) {
            item.name = try freeName(MountName.mended(item.name), in: item.parent) { _ in true }
        }
        try insert(item)
        if !item.changes.contains(.deleted) { tell(.added(item.number, parent: item.parent, name: item.name)) }
        try adopt(item)
        return item
    }

    /// Writes an item as it is to be, except for a name that is taken or a place that cannot be.
    @discardableResult
    func change(_ before: IndexedItem, to wanted: IndexedItem) throws(IndexFailure) -> IndexedItem {
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
                after.name = try freeName(MountName.mended(after.name), in: after.parent) { $0 != after.number }
            }
        }
        after = try replace(before, with: after)
        tell(before, after, wasShown: wasShown, isShown: isShown)
        if hasOtherIdentifier {
            try adopt(after)
            try passOnIdentifier(of: after, from: before)
        }
        return after
    }

    func tell(_ before: IndexedItem, _ after: IndexedItem, wasShown: Bool, isShown: Bool) {
        guard isObserved else { return }
        switch (wasShown, isShown) {
        case (true, false): tell(.removed(before.number, parent: before.parent, name: before.name))
        case (false, true): tell(.added(after.number, parent: after.parent, name: after.name))
        case (false, false): break
        case (true, true):
            if before.parent != after.parent || !before.name.hasSameBytes(as: after.name) {
                tell(
                    .moved(
                        after.number, from: before.parent, fromName: before.name, to: after.parent,
                        toName: after.name))
            }
            if before.differsBesidesPlace(from: after) {
                tell(.changed(after.number, contents: before.differsInContents(from: after)))
            }
        }
    }

    /// Two rows of one identifier become one: the other one's children come over, and it goes.
    private func yieldIdentifier(_ identifier: String, to folder: IndexedItem) throws(IndexFailure) {
        let number = folder.number
        guard let other = try queries.number(identifier: identifier), other != number, other != .root,
            let item = try queries.item(other)
        else { return }
        var children: [IndexedItem] = []
        try queries.children(of: other) { row throws(IndexFailure) in
            children.append(try row.item())
            return true
        }
        // Its name is free before the children look for places.
        try delete(item)
        for child in children {
            if try takeIdentifier(of: child, in: folder) { continue }
            var moved = child
            moved.parent = number
            try change(child, to: moved)
        }
        if !item.changes.contains(.deleted) { tell(.removed(other, parent: item.parent, name: item.name)) }
    }

    /// Items that waited for this parent come to it.
    func adopt(_ folder: IndexedItem) throws(IndexFailure) {
        for number in try orphans(of: folder.item.identifier) {
            guard number != folder.number, let before = try queries.item(number) else { continue }
            guard folder.item.kind == .folder, before.item.parent == folder.item.identifier else { continue }
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

    /// Removes an item with everything in it, except for what something was done to here, and the folders that lead to it.
    ///
    /// An item that was moved into it here, and so lies elsewhere at the provider, stays with everything in it. An item that was removed
    /// here from the folder has still to be removed there: its row is kept in the root, hidden, until the provider has confirmed that.
    func removeTree(
        _ top: ItemNumber, evenIfChanged: Bool = false, _ removed: inout RemovedItems
    ) throws(IndexFailure) {
        struct Node {
            let number: ItemNumber
            let parent: Int?
            var isKept: Bool
            let isElsewhere: Bool
        }
        guard top != .root else { return }
        var nodes: [Node] = []
        func keeps(_ changes: LocalChanges) -> Bool {
            // What both sides removed is gone.
            !evenIfChanged && !changes.isEmpty && !changes.contains(.deleted)
        }
        guard
            let first = try queries.withRow(
                top,
                { row throws(IndexFailure) in
                    Node(number: top, parent: nil, isKept: keeps(row.changes), isElsewhere: false)
                })
        else { return }
        nodes.append(first)
        var next = 0
        while next < nodes.count {
            let index = next
            let folder = nodes[index]
            var doubtful: [ItemNumber] = []
            try queries.children(of: folder.number) { row throws(IndexFailure) in
                let isLookedAt = row.changes.contains(.deleted) || !evenIfChanged && row.changes.contains(.place)
                if folder.isElsewhere || !isLookedAt {
                    let isKept = folder.isElsewhere || keeps(row.changes)
                    nodes.append(
                        Node(number: row.number, parent: index, isKept: isKept, isElsewhere: folder.isElsewhere))
                } else {
                    doubtful.append(row.number)
                }
                return true
            }
            for number in doubtful {
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
        // Children come after their parents, so this way they come before them.
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
                tell(.removed(item.number, parent: item.parent, name: item.name))
            }
        }
        removed.kept += nodes.lazy.filter { $0.isKept && !$0.isElsewhere }.map(\.number)
    }

    /// Whether an item lies in a folder by what the provider said last. Where it lies that the provider has not confirmed, nobody knows.
    private func isSaidToBe(_ item: IndexedItem, in folder: ItemNumber) throws(IndexFailure) -> Bool {
        guard item.isKnownToProvider else { return false }
        return try queries.item(folder)?.item.identifier == item.item.parent
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
    /// Whether two words of a provider are of the same contents: by the version, or by size and date where it names none.
    package func hasContents(of other: ProviderItem) -> Bool {
        if !contentVersion.isEmpty || !other.contentVersion.isEmpty { return contentVersion == other.contentVersion }
        return size == other.size && modified == other.modified
    }
}
