import FileProvider
import ItemValues
import LinuxSystem

/// Changes at the service, independent of the engine.
extension MemoryProvider {
    /// - Returns: The identifier of the directory.
    @discardableResult
    package func addFolder(
        _ name: String, in parent: String = ProviderItem.rootIdentifier, identifier: String? = nil
    ) -> String {
        add(name, .folder, in: parent, identifier) { _ in }
    }

    @discardableResult
    package func addFile(
        _ name: String, _ contents: [UInt8] = [], in parent: String = ProviderItem.rootIdentifier,
        identifier: String? = nil
    ) -> String {
        add(name, .file, in: parent, identifier) { $0.contents = contents }
    }

    @discardableResult
    package func addFile(
        _ name: String, _ contents: String, in parent: String = ProviderItem.rootIdentifier, identifier: String? = nil
    ) -> String {
        addFile(name, Array(contents.utf8), in: parent, identifier: identifier)
    }

    @discardableResult
    package func addLink(
        _ name: String, to target: String, in parent: String = ProviderItem.rootIdentifier, identifier: String? = nil
    ) -> String {
        add(name, .symbolicLink, in: parent, identifier) { $0.item.linkTarget = target }
    }

    private func add(
        _ name: String, _ kind: ProviderItem.Kind, in parent: String, _ identifier: String?,
        _ change: (inout Node) -> Void
    ) -> String {
        state.withLock { $0.add(name, kind, in: parent, identifier, change) }
    }

    /// Replaces a file's contents, which creates another version.
    package func write(_ contents: [UInt8], to identifier: String) {
        _ = state.withLock { state in
            state.change(identifier) { node, version in node.set(contents, version: version) }
        }
    }

    package func write(_ contents: String, to identifier: String) { write(Array(contents.utf8), to: identifier) }

    /// Changes an item's properties, which the change feed reports.
    package func update(_ identifier: String, _ change: (inout ProviderItem) -> Void) {
        _ = state.withLock { state in state.change(identifier) { node, _ in change(&node.item) } }
    }

    package func rename(_ identifier: String, to name: String, in parent: String? = nil) {
        update(identifier) { item in
            item.filename = name
            if let parent { item.parent = parent }
        }
    }

    /// Removes an item with everything in it.
    package func remove(_ identifier: String) { state.withLock { $0.remove(identifier) } }

    /// Confirms the uploads that were not confirmed.
    package func confirmUploads() {
        state.withLock { state in
            for (identifier, node) in state.nodes where !node.item.flags.contains(.uploaded) {
                state.change(identifier.string) { node, _ in node.item.flags.insert(.uploaded) }
            }
        }
    }

    // MARK: Inspecting

    package func item(of identifier: String) -> ProviderItem? {
        state.withLock { $0.nodes[ExactText(identifier)]?.item }
    }

    /// Returns the item with a ``ProviderItem/key``, or `nil` if it was removed.
    package func item(ofKey key: String) -> ProviderItem? {
        state.withLock { $0.nodes.values.first { $0.key == key }?.item }
    }

    /// Returns the key of an item of the engine's index. After the index was lost, the engine only knows the
    /// identifiers of some items.
    package func key(of item: ProviderItem) -> String {
        guard item.metadataVersion.isEmpty else { return item.key }
        return state.withLock { $0.keys[ExactText(item.identifier)] } ?? item.identifier
    }

    /// Whether the engine has requested the removal of an item.
    package func wasDeleted(key: String) -> Bool { state.withLock { $0.deletedKeys.contains(key) } }

    package func bytes(of identifier: String) -> [UInt8]? {
        state.withLock { $0.nodes[ExactText(identifier)]?.contents }
    }

    /// Returns the identifier of the item at a path such as "Folder/File.txt"; the root's path is empty.
    package func identifier(at path: String) -> String? {
        state.withLock { state in
            var identifier = ProviderItem.rootIdentifier
            for name in path.split(separator: "/") {
                guard let child = state.child(named: String(name), in: identifier) else { return nil }
                identifier = child.item.identifier
            }
            return identifier
        }
    }

    package func bytes(at path: String) -> [UInt8]? { identifier(at: path).flatMap { bytes(of: $0) } }

    package func text(at path: String) -> String? { bytes(at: path).map { String(decoding: $0, as: UTF8.self) } }

    /// All items by path: a file's contents, a link's target after "->", or "/" for a directory. If several items have
    /// the same path, the identifiers of the later ones are appended to it.
    package var tree: [String: String] { Self.plain(exactTree) }

    /// All items by path, as in ``tree``, but with paths that are compared byte by byte.
    package var exactTree: [ExactText: String] { tree { _, _ in true } }

    /// The items by path that are neither in the trash nor in a directory in the trash.
    package var treeOutsideTrash: [String: String] {
        Self.plain(tree { state, node in !state.isInTrash(node) })
    }

    private static func plain(_ tree: [ExactText: String]) -> [String: String] {
        Dictionary(tree.map { ($0.key.string, $0.value) }) { first, _ in first }
    }

    private func tree(where isShown: (State, Node) -> Bool) -> [ExactText: String] {
        state.withLock { state in
            var tree: [ExactText: String] = [:]
            for node in state.nodes.values.sorted(by: { $0.order < $1.order })
            where node.item.identifier != ProviderItem.rootIdentifier && isShown(state, node) {
                var path = ExactText(state.path(of: node))
                if tree[path] != nil { path = ExactText(path.string + " (\(node.item.identifier))") }
                tree[path] = node.shown
            }
            return tree
        }
    }
}

extension ProviderItem {
    /// The key of an item of a ``MemoryProvider``, which stays the same when the identifier changes.
    package var key: String { metadataVersion.isEmpty ? identifier : String(decoding: metadataVersion, as: UTF8.self) }
}

extension MemoryProvider.State {
    mutating func add(
        _ name: String, _ kind: ProviderItem.Kind, in parent: String, _ identifier: String?,
        _ change: (inout MemoryProvider.Node) -> Void
    ) -> String {
        counter += 1
        let key = "item-\(counter)"
        let identifier = identifier ?? (behaviour.identifiersArePaths ? Self.path(of: name, in: parent) : key)
        var node = MemoryProvider.Node(
            item: ProviderItem(identifier: identifier, parent: parent, filename: name, kind: kind), order: counter,
            key: behaviour.identifiersArePaths ? key : identifier)
        if behaviour.identifiersArePaths {
            node.item.metadataVersion = Array(key.utf8)
            keys[ExactText(identifier)] = key
        }
        node.item.modified = 1_600_000_000 + Double(counter)
        change(&node)
        if kind == .file { node.set(node.contents, version: counter) }
        node.limit(to: behaviour.versions)
        nodes[ExactText(identifier)] = node
        log.append(.init(identifier: identifier, from: nil, to: parent))
        return identifier
    }

    /// - Returns: The identifier that the item has afterwards.
    @discardableResult
    mutating func change(
        _ identifier: String, _ change: (inout MemoryProvider.Node, _ version: Int) -> Void
    ) -> String {
        guard var node = nodes[ExactText(identifier)] else { return identifier }
        counter += 1
        let from = node.item.parent
        change(&node, counter)
        node.limit(to: behaviour.versions)
        var wanted = identifier
        if behaviour.identifiersArePaths, identifier != ProviderItem.rootIdentifier {
            wanted = Self.path(of: node.item.filename, in: node.item.parent)
        } else if behaviour.contentsAreIdentifiers, node.item.kind == .file {
            wanted = node.key + " " + String(decoding: node.item.contentVersion, as: UTF8.self)
        }
        guard !wanted.hasSameBytes(as: identifier) else {
            nodes[ExactText(identifier)] = node
            log.append(.init(identifier: identifier, from: from, to: node.item.parent))
            return identifier
        }
        nodes[ExactText(identifier)] = nil
        log.append(.init(identifier: identifier, from: from, to: nil))
        node.item.identifier = wanted
        nodes[ExactText(wanted)] = node
        keys[ExactText(wanted)] = node.key
        log.append(.init(identifier: wanted, from: nil, to: node.item.parent))
        for child in children(of: identifier) {
            self.change(child.item.identifier) { node, _ in node.item.parent = wanted }
        }
        return wanted
    }

    static func path(of name: String, in parent: String) -> String {
        (parent == ProviderItem.rootIdentifier ? "" : parent) + "/" + name
    }

    mutating func remove(_ identifier: String) {
        guard let node = nodes[ExactText(identifier)] else { return }
        for child in nodes.values
        where child.item.parent.hasSameBytes(as: identifier) && !child.item.identifier.hasSameBytes(as: identifier) {
            remove(child.item.identifier)
        }
        nodes[ExactText(identifier)] = nil
        log.append(.init(identifier: identifier, from: node.item.parent, to: nil))
    }

    func children(of folder: String) -> [MemoryProvider.Node] {
        nodes.values.filter { node in
            node.item.parent.hasSameBytes(as: folder) && node.item.identifier != ProviderItem.rootIdentifier
        }.sorted { $0.order < $1.order }
    }

    func child(named name: String, in folder: String) -> MemoryProvider.Node? {
        children(of: folder).first { $0.item.filename.hasSameBytes(as: name) }
    }

    func isInTrash(_ node: MemoryProvider.Node) -> Bool {
        var next: MemoryProvider.Node? = node
        // A test may create a cycle.
        for _ in 0..<100 {
            guard let node = next, node.item.identifier != ProviderItem.rootIdentifier else { return false }
            if node.item.parent == ProviderItem.trashIdentifier { return true }
            next = nodes[ExactText(node.item.parent)]
        }
        return false
    }

    func path(of node: MemoryProvider.Node) -> String {
        var names = [node.item.filename]
        var parent = node.item.parent
        // A test may create a cycle.
        while parent != ProviderItem.rootIdentifier, let folder = nodes[ExactText(parent)], names.count < 100 {
            names.append(folder.item.filename)
            parent = folder.item.parent
        }
        return names.reversed().joined(separator: "/")
    }
}

extension MemoryProvider.Node {
    /// The text for this node in a ``MemoryProvider/tree``.
    fileprivate var shown: String {
        switch item.kind {
        case .folder: "/"
        case .symbolicLink: "->\(item.linkTarget ?? "")"
        case .file: String(decoding: contents, as: UTF8.self)
        }
    }

    mutating func set(_ bytes: [UInt8], version: Int) {
        contents = bytes
        item.size = Int64(bytes.count)
        item.contentVersion = Array("v\(version)".utf8)
    }

    /// Removes what a provider without versions does not give, as ``ProviderItem`` does when it reads an item.
    mutating func limit(to versions: MemoryProvider.Versions) {
        guard item.kind == .file else { return }
        switch versions {
        case .counted: return
        case .sizes:
            item.modified = 1_600_000_000
            item.contentVersion = Array("\(contents.count) 1600000000".utf8)
        case .missing:
            item.modified = nil
            item.size = nil
            item.contentVersion = []
        }
        item.flags.insert(.lacksVersion)
    }
}
