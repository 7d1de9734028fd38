internal import Fuse
import Glibc
import LinuxSystem

extension MemoryFileSystem.Node {
    /// The attributes with the file's current size.
    var attributesNow: Attributes {
        var attributes = attributes
        guard case .file(let file) = kind, let status = try? file.status() else { return attributes }
        attributes.size = Int64(status.size)
        attributes.blocks = UInt64(status.allocatedSize / 512)
        return attributes
    }
}

extension MemoryFileSystem.State {
    typealias Node = MemoryFileSystem.Node

    func file(_ node: NodeID) -> FileDescriptor? {
        if case .file(let file) = nodes[node]?.kind { file } else { nil }
    }

    private func folder(_ node: NodeID) -> [Name: (node: NodeID, cookie: UInt64)]? {
        if case .folder(let children) = nodes[node]?.kind { children } else { nil }
    }

    func child(_ name: Name, of parent: NodeID) -> NodeID? { folder(parent)?[name]?.node }

    func children(of node: NodeID, after cookie: UInt64) -> [(Name, Node, UInt64)] {
        (folder(node) ?? [:]).filter { $0.value.cookie > cookie }.sorted { $0.value.cookie < $1.value.cookie }
            .compactMap { entry in nodes[entry.value.node].map { (entry.key, $0, entry.value.cookie) } }
    }

    private mutating func attach(_ name: Name, _ node: NodeID, to parent: NodeID) {
        guard var children = folder(parent) else { return }
        lastCookie += 1
        children[name] = (node, lastCookie)
        nodes[parent]?.kind = .folder(children)
        nodes[node]?.attributes.linkCount += 1
    }

    mutating func detach(_ name: Name, from parent: NodeID) -> NodeID? {
        guard var children = folder(parent), let child = children.removeValue(forKey: name) else { return nil }
        nodes[parent]?.kind = .folder(children)
        nodes[child.node]?.attributes.linkCount -= 1
        dropUnused(child.node)
        return child.node
    }

    /// Drops a node that the kernel cannot refer to any more.
    mutating func dropUnused(_ node: NodeID) {
        guard let known = nodes[node], node != .root else { return }
        if known.attributes.linkCount == 0, known.lookups == 0, known.openings == 0 { nodes[node] = nil }
    }

    mutating func insert(
        _ name: Name, in parent: NodeID, _ kind: Node.Kind, mode: UInt32, _ caller: Caller? = nil
    ) -> Result<(node: NodeID, full: Node), Errno> {
        guard folder(parent) != nil else { return .failure(.notDirectory) }
        guard child(name, of: parent) == nil else { return .failure(.fileExists) }
        last += 1
        let node = NodeID(rawValue: last)
        var attributes = Attributes(node: node, mode: mode, linkCount: 0)
        attributes.owner = caller?.userID ?? 0
        attributes.group = caller?.groupID ?? 0
        nodes[node] = Node(kind: kind, attributes: attributes)
        attach(name, node, to: parent)
        return nodes[node].map { .success((node, $0)) } ?? .failure(.inputOutput)
    }

    mutating func link(_ node: NodeID, _ name: Name, in parent: NodeID) -> Result<(node: NodeID, full: Node), Errno> {
        guard child(name, of: parent) == nil else { return .failure(.fileExists) }
        attach(name, node, to: parent)
        nodes[node]?.lookups += 1
        return nodes[node].map { .success((node, $0)) } ?? .failure(.noSuchFile)
    }

    mutating func remove(_ name: Name, from parent: NodeID, folder wantsFolder: Bool) -> Result<Done, Errno> {
        guard let node = child(name, of: parent) else { return .failure(.noSuchFile) }
        let children = folder(node)
        if wantsFolder {
            guard let children else { return .failure(.notDirectory) }
            guard children.isEmpty else { return .failure(.notEmpty) }
        } else if children != nil {
            return .failure(.isDirectory)
        }
        _ = detach(name, from: parent)
        return .success(Done())
    }

    mutating func rename(
        _ name: Name, _ parent: NodeID, _ newName: Name, _ newParent: NodeID, _ flags: RenameFlags
    ) -> Result<Done, Errno> {
        guard let node = child(name, of: parent) else { return .failure(.noSuchFile) }
        let other = child(newName, of: newParent)
        if flags.contains(.exchange) {
            guard let other else { return .failure(.noSuchFile) }
            _ = detach(name, from: parent)
            _ = detach(newName, from: newParent)
            attach(name, other, to: parent)
            attach(newName, node, to: newParent)
            return .success(Done())
        }
        if other != nil {
            guard !flags.contains(.noReplace) else { return .failure(.fileExists) }
            if let children = other.flatMap({ folder($0) }), !children.isEmpty { return .failure(.notEmpty) }
            _ = detach(newName, from: newParent)
        }
        _ = detach(name, from: parent)
        attach(newName, node, to: newParent)
        return .success(Done())
    }

    mutating func change(_ node: NodeID, _ change: AttributeChange) -> Result<Attributes, Errno> {
        guard var known = nodes[node] else { return .failure(.noSuchFile) }
        if let mode = change.mode { known.attributes.mode = known.attributes.mode & S_IFMT | mode & 0o7777 }
        if let owner = change.owner { known.attributes.owner = owner }
        if let group = change.group { known.attributes.group = group }
        let now = Timestamp(seconds: Int64(time(nil)))
        func moment(_ time: AttributeChange.Time) -> Timestamp { if case .to(let time) = time { time } else { now } }
        if let time = change.modified { known.attributes.modified = moment(time) }
        if let time = change.accessed { known.attributes.accessed = moment(time) }
        if let size = change.size {
            guard case .file(let file) = known.kind else { return .failure(.invalidArgument) }
            do throws(Errno) { try file.truncate(to: Int(size)) } catch { return .failure(error) }
        }
        nodes[node] = known
        return .success(known.attributesNow)
    }
}
