import FileProviderEngine
import Fuse
import Glibc
import ItemStore
import LinuxSystem

/// The file system of a mount: the domain's items, and the trash in the root. Passes each request to
/// ``DomainFileSystem`` or ``TrashView``.
final class MountedFileSystem: FileSystem {
    let domain: DomainFileSystem
    private let trash: TrashView

    init(_ domain: DomainFileSystem) {
        self.domain = domain
        trash = TrashView(domain)
    }

    func start(_ session: Session) { domain.start(session) }

    func end() { domain.end() }

    // MARK: Names in the root

    /// The meaning of a name in the root of the mount.
    private enum RootName {
        /// An item of the domain, with its name in the index.
        case item(Name)
        /// The trash of the domain's user.
        case trash
    }

    /// Returns the meaning of the given name. If the service has an item with the name of the trash, the mount shows
    /// that item under another name.
    private func meaning(of name: Name, in parent: NodeID) -> RootName {
        let names = domain.trashName
        guard parent == .root, domain.engine.trashSupport == .supported, let text = name.text else {
            return .item(name)
        }
        if text == names.own { return .trash }
        guard text == names.other, (try? domain.index.item(named: names.own, in: .root)) != nil else {
            return .item(name)
        }
        return .item(Name(names.own))
    }

    /// Whether no directory may get the given name. Programs would use the directory as a trash, and the trash would be
    /// uploaded to the service as an ordinary directory.
    private func isRefused(_ name: Name, in parent: NodeID) -> Bool {
        guard parent == .root, TrashName.isTrash(name) else { return false }
        switch domain.engine.trashSupport {
        case .supported: return true
        case .unknown: return name.text == domain.trashName.own
        case .unsupported, .refused: return false
        }
    }

    func lookup(_ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {
        if let target = TrashTarget(parent) { return trash.lookup(name, in: target, reply) }
        if parent == .root, name.text == domain.trashName.own {
            return trash.lookupTop(reply) { [domain] in domain.lookup(name, in: parent, reply) }
        }
        guard case .item(let name) = meaning(of: name, in: parent) else { return reply.fail(.noSuchFile) }
        domain.lookup(name, in: parent, reply)
    }

    func forget(_ node: NodeID, count: UInt64) {
        if TrashTarget(node) == nil { domain.forget(node, count: count) }
    }

    func makeDirectory(_ name: Name, in parent: NodeID, mode: UInt32, _ reply: Reply<Entry>) {
        if let target = TrashTarget(parent) { return trash.makeDirectory(name, in: target, reply) }
        if case .trash = meaning(of: name, in: parent) { return reply.fail(.fileExists) }
        guard !isRefused(name, in: parent) else { return reply.fail(.notPermitted) }
        domain.makeDirectory(name, in: parent, mode: mode, reply)
    }

    func makeSymbolicLink(_ name: Name, in parent: NodeID, target link: Name, _ reply: Reply<Entry>) {
        guard TrashTarget(parent) == nil else { return reply.fail(.notPermitted) }
        if case .trash = meaning(of: name, in: parent) { return reply.fail(.fileExists) }
        domain.makeSymbolicLink(name, in: parent, target: link, reply)
    }

    func makeNode(_ name: Name, in parent: NodeID, mode: UInt32, device: UInt32, _ reply: Reply<Entry>) {
        if let target = TrashTarget(parent) { return trash.makeNode(name, in: target, mode: mode, reply) }
        if case .trash = meaning(of: name, in: parent) { return reply.fail(.fileExists) }
        domain.makeNode(name, in: parent, mode: mode, device: device, reply)
    }

    func makeLink(to node: NodeID, _ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {
        domain.makeLink(to: node, name, in: parent, reply)
    }

    func unlink(_ name: Name, in parent: NodeID, _ reply: Reply<Done>) {
        if let target = TrashTarget(parent) { return trash.unlink(name, in: target, reply) }
        guard case .item(let name) = meaning(of: name, in: parent) else { return reply.fail(.isDirectory) }
        domain.unlink(name, in: parent, reply)
    }

    func removeDirectory(_ name: Name, in parent: NodeID, _ reply: Reply<Done>) {
        if let target = TrashTarget(parent) { return trash.removeDirectory(name, in: target, reply) }
        guard case .item(let name) = meaning(of: name, in: parent) else { return reply.fail(.notPermitted) }
        domain.removeDirectory(name, in: parent, reply)
    }

    func rename(
        _ name: Name, in parent: NodeID, to newName: Name, in newParent: NodeID, _ flags: RenameFlags,
        _ reply: Reply<Done>
    ) {
        guard case .item(let name) = meaning(of: name, in: parent),
            case .item(let newName) = meaning(of: newName, in: newParent)
        else { return reply.fail(.notPermitted) }
        guard !isRefused(newName, in: newParent) else { return reply.fail(.notPermitted) }
        if TrashTarget(parent) != nil || TrashTarget(newParent) != nil {
            return trash.rename(name, in: parent, to: newName, in: newParent, flags, reply)
        }
        domain.rename(name, in: parent, to: newName, in: newParent, flags, reply)
    }

    // MARK: Attributes

    func attributes(of node: NodeID, handle: UInt64?, _ reply: Reply<AttributesReply>) {
        if let target = TrashTarget(node) { return trash.attributes(of: target, reply) }
        domain.attributes(of: node, handle: handle, reply)
    }

    func setAttributes(of node: NodeID, _ change: AttributeChange, _ reply: Reply<AttributesReply>) {
        if let target = TrashTarget(node) { return trash.setAttributes(of: target, change, reply) }
        domain.setAttributes(of: node, change, reply)
    }

    func readLink(_ node: NodeID, _ reply: Reply<Bytes>) {
        if let target = TrashTarget(node) { return trash.readLink(target, reply) }
        domain.readLink(node, reply)
    }

    func statistics(_ reply: Reply<Statistics>) { domain.statistics(reply) }

    func extendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Bytes>) {
        guard TrashTarget(node) == nil else { return reply.fail(.notSupported) }
        domain.extendedAttribute(name, of: node, reply)
    }

    func extendedAttributes(of node: NodeID, _ reply: Reply<NameList>) {
        guard TrashTarget(node) == nil else { return reply.reply(NameList([])) }
        domain.extendedAttributes(of: node, reply)
    }

    func setExtendedAttribute(
        _ name: Name, of node: NodeID, to value: UnsafeRawBufferPointer, _ policy: AttributePolicy, _ reply: Reply<Done>
    ) {
        guard TrashTarget(node) == nil else { return reply.fail(.notSupported) }
        domain.setExtendedAttribute(name, of: node, to: value, policy, reply)
    }

    func removeExtendedAttribute(_ name: Name, of node: NodeID, _ reply: Reply<Done>) {
        guard TrashTarget(node) == nil else { return reply.fail(.notSupported) }
        domain.removeExtendedAttribute(name, of: node, reply)
    }

    // MARK: Files

    func open(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<OpenReply>) {
        if let target = TrashTarget(node) { return trash.open(target, flags, reply) }
        domain.open(node, flags, reply)
    }

    func create(_ name: Name, in parent: NodeID, mode: UInt32, _ flags: OpenFlags, _ reply: Reply<CreateReply>) {
        if let target = TrashTarget(parent) { return trash.create(name, in: target, flags, reply) }
        if case .trash = meaning(of: name, in: parent) { return reply.fail(.isDirectory) }
        domain.create(name, in: parent, mode: mode, flags, reply)
    }

    func read(_ node: NodeID, handle: UInt64, at offset: Int64, count: Int, _ reply: Reply<Bytes>) {
        if let target = TrashTarget(node) { return trash.read(target, at: offset, count: count, reply) }
        domain.read(node, handle: handle, at: offset, count: count, reply)
    }

    func write(
        _ node: NodeID, handle: UInt64, at offset: Int64, _ bytes: UnsafeRawBufferPointer, _ flags: WriteFlags,
        _ reply: Reply<Int>
    ) {
        if let target = TrashTarget(node) { return trash.write(target, at: offset, bytes, flags, reply) }
        domain.write(node, handle: handle, at: offset, bytes, flags, reply)
    }

    func flush(_ node: NodeID, handle: UInt64, lockOwner: UInt64, _ reply: Reply<Done>) {
        guard TrashTarget(node) == nil else { return reply.reply() }
        domain.flush(node, handle: handle, lockOwner: lockOwner, reply)
    }

    func release(_ node: NodeID, handle: UInt64, _ flags: OpenFlags, _ reply: Reply<Done>) {
        if let target = TrashTarget(node) { return trash.release(target, reply) }
        domain.release(node, handle: handle, flags, reply)
    }

    func fsync(_ node: NodeID, handle: UInt64, dataOnly: Bool, _ reply: Reply<Done>) {
        if TrashTarget(node) != nil { return domain.fsyncDirectory(.root, handle: 0, dataOnly: dataOnly, reply) }
        domain.fsync(node, handle: handle, dataOnly: dataOnly, reply)
    }

    func allocate(
        _ node: NodeID, handle: UInt64, offset: Int64, length: Int64, _ flags: AllocationFlags, _ reply: Reply<Done>
    ) {
        // After `ENOSYS`, the kernel would not send this request for any other file.
        guard TrashTarget(node) == nil else { return reply.fail(.notSupported) }
        domain.allocate(node, handle: handle, offset: offset, length: length, flags, reply)
    }

    func seek(_ node: NodeID, handle: UInt64, from offset: Int64, to target: SeekTarget, _ reply: Reply<Int64>) {
        if let place = TrashTarget(node) { return trash.seek(place, from: offset, to: target, reply) }
        domain.seek(node, handle: handle, from: offset, to: target, reply)
    }

    func copyFileRange(
        from node: NodeID, handle: UInt64, offset: Int64, to destination: NodeID, handle destinationHandle: UInt64,
        offset destinationOffset: Int64, count: Int, _ reply: Reply<Int>
    ) {
        guard TrashTarget(node) == nil, TrashTarget(destination) == nil else { return reply.fail(.notSupported) }
        domain.copyFileRange(
            from: node, handle: handle, offset: offset, to: destination, handle: destinationHandle,
            offset: destinationOffset, count: count, reply)
    }

    // MARK: Directories

    func openDirectory(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<OpenReply>) {
        if let target = TrashTarget(node) { return trash.openDirectory(target, reply) }
        domain.openDirectory(node, flags, reply)
    }

    func readDirectory(_ node: NodeID, handle: UInt64, after cookie: UInt64, _ reply: Reply<Listing>) {
        if let target = TrashTarget(node) { return trash.readDirectory(target, after: cookie, reply) }
        domain.readDirectory(node, handle: handle, after: cookie, reply)
    }

    func releaseDirectory(_ node: NodeID, handle: UInt64, _ reply: Reply<Done>) { reply.reply() }

    func fsyncDirectory(_ node: NodeID, handle: UInt64, dataOnly: Bool, _ reply: Reply<Done>) {
        domain.fsyncDirectory(node, handle: handle, dataOnly: dataOnly, reply)
    }
}
