import FileProviderEngine
import Fuse
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Looks up names in the trash, and lists the trash.
extension TrashView {
    /// Looks up the name of the user's trash in the root of the mount.
    ///
    /// - Parameter other: Called if the provider has no trash, or if this is not known in time.
    func lookupTop(_ reply: Reply<Entry>, otherwise other: @escaping @Sendable () -> Void) {
        engine.whenTrashSupportIsKnown(upTo: Self.longestWaitForSupport) { [self] support in
            switch support {
            case .supported: serve(reply) { [self] engine in entry(folderAttributes(.top, engine)) }
            case .unknown, .unsupported, .refused: other()
            }
        }
    }

    func lookup(_ name: Name, in parent: TrashTarget, _ reply: Reply<Entry>) {
        guard let text = name.text else { return reply.fail(.noSuchFile) }
        guard name.count <= 255 else { return reply.fail(.nameTooLong) }
        if case .item(let folder) = parent {
            return whenListed(folder, reply) { [self] engine throws(EditError) in
                guard let node = engine.localTrash.child(named: text, of: folder) else {
                    throw EditError(.noSuchFile)
                }
                return entry(itemAttributes(node, engine))
            }
        }
        serve(reply) { [self] engine throws(EditError) in
            guard let attributes = try attributes(named: text, in: parent, engine) else {
                throw EditError(.noSuchFile)
            }
            return entry(attributes)
        }
    }

    private func attributes(
        named name: String, in parent: TrashTarget, _ engine: isolated DomainEngine
    ) throws(EditError) -> Attributes? {
        switch parent {
        case .top:
            if let folder = TrashTarget.folders.first(where: { $0.name == name }) {
                return folderAttributes(folder.target, engine)
            }
            return try looking { () throws(IndexError) in try engine.localTrash.plainFile(named: name) }
                .map(infoFileAttributes)
        case .files:
            let node = try looking { () throws(IndexError) in try engine.localTrash.item(named: name) }
            return node.map { itemAttributes($0, engine) }
        case .info:
            return try looking { () throws(IndexError) in try engine.localTrash.infoFile(named: name) }
                .map(infoFileAttributes)
        case .expunged: return nil
        case .item, .infoFile: throw EditError(.notDirectory)
        }
    }

    func openDirectory(_ target: TrashTarget, _ reply: Reply<OpenReply>) {
        guard case .item(let folder) = target else { return reply.reply(.directory()) }
        whenListed(folder, reply) { _ in .directory() }
    }

    // The order of a listing: ".", "..", the fixed directories, then all other entries. The cookie of any other entry
    // is its number, which is greater than these cookies.
    private static let selfCookie: UInt64 = 1
    private static let parentCookie: UInt64 = 2
    private static let firstFolderCookie: UInt64 = 3
    /// The maximum number of nodes that are read from the index for one reply.
    private static let batch = 4096

    func readDirectory(_ target: TrashTarget, after cookie: UInt64, _ reply: Reply<Listing>) {
        guard case .item(let folder) = target else {
            return serve(reply) { [self] engine throws(EditError) in
                try listing(of: target, after: cookie, reply, engine)
            }
        }
        whenListed(folder, reply) { [self] engine throws(EditError) in
            let listing = beginning(of: target, in: parent(of: folder, engine), after: cookie, reply)
            for node in engine.localTrash.children(of: folder) ?? [] where UInt64(node.number) > cookie {
                guard append(node.name, node, to: listing) else { break }
            }
            return listing
        }
    }

    private func parent(of folder: Int64, _ engine: isolated DomainEngine) -> TrashTarget {
        guard let node = try? node(folder, engine), case .folder(let number) = node.place else { return .files }
        return .item(number)
    }

    private func listing(
        of target: TrashTarget, after cookie: UInt64, _ reply: Reply<Listing>, _ engine: isolated DomainEngine
    ) throws(EditError) -> Listing {
        let listing = beginning(of: target, in: .top, after: cookie, reply)
        switch target {
        case .top:
            for (index, folder) in TrashTarget.folders.enumerated() {
                let own = Self.firstFolderCookie + UInt64(index)
                guard own > cookie else { continue }
                listing.append(Name(folder.name), node: folder.target.node, kind: .directory, cookie: own)
            }
            for node in engine.localTrash.plainFiles where UInt64(node.number) > cookie {
                let own = UInt64(node.number)
                let target = TrashTarget.infoFile(node.number)
                guard listing.append(Name(node.name), node: target.node, kind: .file, cookie: own) else { break }
            }
        case .files, .info:
            var last = Int64(clamping: cookie)
            while true {
                let nodes = try looking { () throws(IndexError) in
                    try engine.localTrash.nodes(after: last, limit: Self.batch)
                }
                guard let end = nodes.last else { break }
                last = end.number
                for node in nodes {
                    if target == .files {
                        guard node.item == nil || append(node.name, node, to: listing) else { return listing }
                    } else if let name = node.infoName {
                        let target = TrashTarget.infoFile(node.number).node
                        guard listing.append(Name(name), node: target, kind: .file, cookie: UInt64(node.number)) else {
                            return listing
                        }
                    }
                }
            }
        case .expunged: break
        case .item, .infoFile: throw EditError(.notDirectory)
        }
        return listing
    }

    private func beginning(
        of target: TrashTarget, in parent: TrashTarget, after cookie: UInt64, _ reply: Reply<Listing>
    ) -> Listing {
        let listing = reply.listing()
        if cookie < Self.selfCookie {
            listing.append(".", node: target.node, kind: .directory, cookie: Self.selfCookie)
        }
        if cookie < Self.parentCookie {
            let node = target == .top ? NodeID.root : parent.node
            listing.append("..", node: node, kind: .directory, cookie: Self.parentCookie)
        }
        return listing
    }

    /// Appends an entry to a listing.
    ///
    /// - Returns: `false` if the entry does not fit.
    private func append(_ name: String, _ node: TrashNode, to listing: Listing) -> Bool {
        let kind: Listing.Kind =
            switch node.item?.kind {
            case .folder: .directory
            case .symbolicLink: .symbolicLink
            case .file, nil: .file
            }
        return listing.append(
            Name(name), node: TrashTarget.item(node.number).node, kind: kind, cookie: UInt64(node.number))
    }
}
