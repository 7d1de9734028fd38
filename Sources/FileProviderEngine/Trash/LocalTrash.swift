import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The provider's trash as a directory of this machine, in the layout of the freedesktop.org trash specification. Its
/// items have unique names that do not change. For each item, there is an info file, `NAME.trashinfo`, with the item's
/// former path and the date of its deletion.
///
/// The files and directories (``TrashNode``) are stored in the index, because their numbers, names and info files must
/// not change while the mount exists, which may be longer than this process. An item appears in the trash even before
/// its move to the trash is sent.
///
/// It calls ``Trash``, ``LocalEdits`` and ``EditProgress``. Used only on the engine's thread (see ``EngineContext``).
package final class LocalTrash: EngineComponent {
    let context: EngineContext
    let trash: Trash
    let edits: LocalEdits
    let progress: EditProgress

    /// All nodes by number.
    private(set) var nodes: [Int64: TrashNode] = [:]
    private var items: [ExactText: Int64] = [:]
    private var infoFiles: [ExactText: Int64] = [:]
    private var plain: [ExactText: Int64] = [:]
    /// The numbers of the items in the trash, by their identifiers.
    private var identifiers: [ExactText: Int64] = [:]
    /// The numbers of the nodes whose item may still have to be moved to the provider's trash, by the number of that
    /// item.
    private var waiting: [ItemNumber: Int64] = [:]
    /// The numbers of the nodes whose last change or removal is not in the index, because it could not be written.
    private var unwritten: Set<Int64> = []
    /// The next attempt to write these changes.
    private var nextAttempt: Cancellable?
    /// The numbers of the known items in each trashed directory, whether it was listed or not.
    private(set) var insides: [Int64: Set<Int64>] = [:]
    /// The numbers of the items in each trashed directory that was listed, by name.
    var children: [Int64: [ExactText: Int64]] = [:]
    /// The items in trashed directories that a program has removed. The provider removes them together with the
    /// directory.
    var hidden: Set<Int64> = []
    /// The items that a program is restoring or removing.
    var leaving: Set<Int64> = []
    /// The state of each trashed file that programs have open.
    var contents: [Int64: TrashContents] = [:]
    private var nextNumber: Int64 = 0
    private var isLoaded = false
    private var seenChanges: UInt64 = 0
    /// The last number that was appended to each name to make it unique, so that a free name is found in few attempts
    /// even if many items have the same name.
    private var lastMarks: [ExactText: Int] = [:]
    private var sorted: [Int64]?
    private var changeDate = 0.0

    private static let nextSetting = "trash.next"
    package static let infoSuffix = ".trashinfo"
    /// The maximum length of an item's name in bytes. It leaves room for the suffix of the `.trashinfo` file's name.
    package static let longestName = MountName.limit - infoSuffix.utf8.count

    init(_ context: EngineContext, _ trash: Trash, _ edits: LocalEdits, _ progress: EditProgress) {
        self.context = context
        self.trash = trash
        self.edits = edits
        self.progress = progress
    }

    // MARK: Looking

    /// Returns the item with the given name in the trash; `nil` if there is none.
    package func item(named name: String) throws(IndexError) -> TrashNode? {
        try refresh()
        return items[ExactText(name)].flatMap { nodes[$0] }
    }

    /// Returns the node whose `.trashinfo` file has the given name; `nil` if there is none.
    package func infoFile(named name: String) throws(IndexError) -> TrashNode? {
        try refresh()
        return infoFiles[ExactText(name)].flatMap { nodes[$0] }
    }

    /// Returns the file with the given name that a program created beside the items; `nil` if there is none. See
    /// ``makePlainFile(named:)``.
    package func plainFile(named name: String) throws(IndexError) -> TrashNode? {
        try refresh()
        return plain[ExactText(name)].flatMap { nodes[$0] }
    }

    /// Returns the node with the given number; `nil` if it does not exist or is hidden.
    package func node(_ number: Int64) throws(IndexError) -> TrashNode? {
        try refresh()
        guard let node = nodes[number], !hidden.contains(number) else { return nil }
        return node
    }

    /// Returns at most `limit` nodes whose number is greater than the given one, in the order of their numbers. Only
    /// nodes with an item or a `.trashinfo` file are returned.
    package func nodes(after number: Int64, limit: Int) throws(IndexError) -> [TrashNode] {
        try refresh()
        let all = sorted ?? nodes.values.lazy.filter { $0.place == .files }.map(\.number).sorted()
        sorted = all
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle] > number { high = middle } else { low = middle + 1 }
        }
        return all[low...].prefix(limit).compactMap { nodes[$0] }
    }

    /// Returns the time at which the contents of the mounted trash last changed, in seconds since 1970.
    package func modified() throws(IndexError) -> Double {
        try refresh()
        return changeDate
    }

    /// The files that programs created beside the items.
    package var plainFiles: [TrashNode] { plain.values.compactMap { nodes[$0] }.sorted { $0.number < $1.number } }

    // MARK: Following the trash

    /// Updates the nodes according to the items that the index has in the trash.
    func refresh() throws(IndexError) {
        if !isLoaded { try load() }
        var changed: [TrashNode] = []
        var ended: [Int64] = []
        for (pending, number) in waiting {
            guard var node = nodes[number], node.pending == pending else {
                waiting[pending] = nil
                continue
            }
            let row = try index.itemEvenIfDeleted(pending)
            if let row, row.changes.contains(.deleted) { continue }
            node.pending = nil
            waiting[pending] = nil
            nodes[number] = node
            // Forces the comparison of the nodes with the index's list of trashed items, below.
            seenChanges = 0
            changed.append(node)
        }
        let count = index.trashChanges
        if count != seenChanges {
            seenChanges = count
            let known = try index.trashed()
            changed += try take(known)
            let present = Set(texts: known.lazy.map(\.identifier))
            ended = identifiers.filter { entry in
                !present.contains(entry.key) && nodes[entry.value]?.pending == nil && !leaving.contains(entry.value)
            }.map(\.value)
        }
        if !changed.isEmpty || !ended.isEmpty { store(changed, removing: ended) }
    }

    /// Adds nodes for those of the given items that have none, and updates the nodes of the others.
    ///
    /// - Parameter known: The items in the trash.
    /// - Returns: The nodes that were added or changed.
    private func take(_ known: [ProviderItem]) throws(IndexError) -> [TrashNode] {
        var changed: [TrashNode] = []
        var paths = FolderPaths(index, root: "")
        for item in known {
            if let number = identifiers[ExactText(item.identifier)], var node = nodes[number] {
                guard node.item != item else { continue }
                node.item = item
                nodes[number] = node
                changed.append(node)
                continue
            }
            let folder = try index.item(identifier: item.parent).flatMap { row throws(IndexError) in
                try paths.path(of: row.number)
            }
            let name = freeName(item.filename)
            let node = TrashNode(
                number: takeNumber(), place: .files, name: name, item: item, infoName: name + Self.infoSuffix,
                path: ((folder ?? "") + "/" + item.filename), date: context.clock.now)
            add(node)
            changed.append(node)
        }
        return changed
    }

    /// Returns the given name, or a similar one if an item or a `.trashinfo` file already has this name.
    private func freeName(_ wanted: String) -> String {
        let wanted = shortened(MountName.mended(wanted))
        var (name, mark) = (wanted, lastMarks[ExactText(wanted)] ?? 1)
        while items[ExactText(name)] != nil || infoFiles[ExactText(name + Self.infoSuffix)] != nil {
            mark += 1
            name = shortened(MountName.numbered(wanted, mark))
        }
        lastMarks[ExactText(wanted)] = mark
        return name
    }

    /// Shortens the part of a name before its extension, so that the name of the item's `.trashinfo` file is not too
    /// long.
    private func shortened(_ name: String) -> String {
        guard name.utf8.count > Self.longestName else { return name }
        let dot = name.lastIndex(of: ".").flatMap { name[$0...].utf8.count <= 32 ? $0 : nil } ?? name.endIndex
        let ending = name[dot...]
        var stem = name[..<dot].unicodeScalars
        // The number that distinguishes the name from others is at the end of the stem.
        let mark = stem.lastIndex(of: " ").map { String(stem[$0...]) }.flatMap { Int($0.dropFirst()) == nil ? nil : $0 }
        if let mark { stem.removeLast(mark.unicodeScalars.count) }
        let room = Self.longestName - ending.utf8.count - (mark?.utf8.count ?? 0)
        while String(stem).utf8.count > max(1, room) { stem.removeLast() }
        return String(stem) + (mark ?? "") + ending
    }

    /// Records the identifier that an item has in the trash. Called after the provider has moved the item to the trash,
    /// and before the index records this move.
    func itemWasTrashed(_ number: ItemNumber, as item: ProviderItem) {
        guard (try? loadIfNeeded()) != nil, let known = waiting[number], var node = nodes[known], let old = node.item
        else { return }
        identifiers[ExactText(old.identifier)] = nil
        identifiers[ExactText(item.identifier)] = node.number
        node.item?.identifier = item.identifier
        store([node])
    }

    // MARK: Storing

    private func loadIfNeeded() throws(IndexError) { if !isLoaded { try load() } }

    private func load() throws(IndexError) {
        for node in try index.trashNodes() { add(node) }
        let stored = try index.setting(Self.nextSetting).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
        // If the index was built anew, the kernel may still know earlier numbers, all of which are less than the
        // current time in milliseconds.
        nextNumber = max(stored ?? Int64(context.clock.now * 1000), (nodes.keys.max() ?? 0) + 1, 16)
        changeDate = context.clock.now
        isLoaded = true
    }

    func takeNumber() -> Int64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    private func add(_ node: TrashNode) {
        nodes[node.number] = node
        switch node.place {
        case .top: plain[ExactText(node.name)] = node.number
        case .files:
            sorted = nil
            if let infoName = node.infoName { infoFiles[ExactText(infoName)] = node.number }
            guard let item = node.item else { return }
            items[ExactText(node.name)] = node.number
            identifiers[ExactText(item.identifier)] = node.number
            if let pending = node.pending { waiting[pending] = node.number }
        // The directory is listed again before its items are looked up.
        case .folder(let folder): insides[folder, default: []].insert(node.number)
        }
    }

    private func drop(_ number: Int64) {
        guard let node = nodes.removeValue(forKey: number) else { return }
        sorted = nil
        switch node.place {
        case .top: plain[ExactText(node.name)] = nil
        case .files:
            func forget(_ text: String?, in numbers: inout [ExactText: Int64]) {
                if let key = text.map({ ExactText($0) }), numbers[key] == number { numbers[key] = nil }
            }
            forget(node.infoName, in: &infoFiles)
            forget(node.name, in: &items)
            forget(node.item?.identifier, in: &identifiers)
            if let pending = node.pending, waiting[pending] == number { waiting[pending] = nil }
        case .folder(let folder): insides[folder]?.remove(number)
        }
    }

    /// Stores the new and changed nodes, and removes other nodes with everything in them. If the index cannot be
    /// written, for example because the disk is full, the changes exist only in memory until a later attempt succeeds.
    func store(_ changed: [TrashNode], removing removed: [Int64] = []) {
        changeDate = context.clock.now
        var gone: [Int64] = []
        var next = removed
        while let number = next.popLast() {
            gone.append(number)
            if let inside = insides.removeValue(forKey: number) { next += inside }
            children[number] = nil
            hidden.remove(number)
            endContents(number)
        }
        for number in gone { drop(number) }
        for node in changed where !gone.contains(node.number) {
            drop(node.number)
            add(node)
        }
        unwritten.formUnion(gone)
        unwritten.formUnion(changed.map(\.number))
        write()
    }

    /// Writes the changes that are not in the index. If this fails, tries again later.
    private func write() {
        nextAttempt?.cancel()
        nextAttempt = nil
        let (gone, changed) = (unwritten.filter { nodes[$0] == nil }, unwritten.compactMap { nodes[$0] })
        do throws(IndexError) {
            try index.write(freesSpace: changed.isEmpty) { writer throws(IndexError) in
                for number in gone { try writer.removeTrashNode(number) }
                for node in changed { try writer.put(node) }
                try writer.setSetting(Self.nextSetting, Array("\(nextNumber)".utf8))
            }
            unwritten = []
        } catch {
            context.resources.damage.note(error)
            context.recordBackgroundError(ProviderError(error))
            nextAttempt = later(after: EngineContext.longestWaitForSpace) { engine in
                if !engine.localTrash.isClosed { engine.localTrash.writeUnwritten() }
            }
        }
    }

    /// Writes the changes that could not be written before.
    func writeUnwritten() {
        if !unwritten.isEmpty { write() }
    }

    /// Returns a new node with a new number. The node is not stored.
    func newNode(_ place: TrashNode.Place, named name: String, item: ProviderItem? = nil) -> TrashNode {
        TrashNode(number: takeNumber(), place: place, name: name, item: item, date: context.clock.now)
    }

    /// Removes files that programs left in the trash: `.trashinfo` files without an item, and plain files. Called when
    /// a mount is created, but not when the daemon takes over an existing mount.
    package func beginMount() {
        guard (try? refresh()) != nil else { return }
        let left = nodes.values.filter { $0.item == nil || $0.place == .top }.map(\.number)
        if !left.isEmpty { store([], removing: left) }
        try? folders.empty(folders.trashed)
    }
}
