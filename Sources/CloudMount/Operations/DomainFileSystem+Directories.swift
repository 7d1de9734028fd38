import FileProviderEngine
import Fuse
import ItemStore
import ItemValues
import LinuxSystem

/// Serves requests that read directories. The entries are read from the index. If a listing is incomplete, its entries
/// appear page by page as the provider replies.
extension DomainFileSystem {
    // Entries are in the order of their item numbers. An entry's cookie is its item number plus 2, because "." and ".."
    // precede all other entries.
    private static let selfCookie: UInt64 = 1
    private static let parentCookie: UInt64 = 2

    private static func cookie(of number: ItemNumber) -> UInt64 { UInt64(bitPattern: number.rawValue) + parentCookie }

    private static func number(of cookie: UInt64) -> ItemNumber? {
        cookie > parentCookie ? ItemNumber(rawValue: Int64(bitPattern: cookie - parentCookie)) : nil
    }

    func openDirectory(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<OpenReply>) {
        let number = ItemNumber(node)
        do throws(Errno) {
            let (folder, isRemoved) = try item(number)
            guard folder.item.kind == .folder else { throw .notDirectory }
            guard !isRemoved else { return reply.reply(.directory()) }
            let isComplete = folder.listing == .complete
            // An incomplete listing is fetched at once. A complete listing is refreshed in the background.
            _ = engine.list(number, needs: .complete) { _ in }
            if let thumbnails, !readers.refuses(reply.caller) { thumbnails.look(into: number) }
            let keepsPages = isComplete && notifications.openedFolder(number)
            reply.reply(.directory(caches: isComplete, keepsPages: keepsPages))
        } catch {
            reply.fail(error)
        }
    }

    func readDirectory(_ node: NodeID, handle: UInt64, after cookie: UInt64, _ reply: Reply<Listing>) {
        readDirectory(ItemNumber(node), after: cookie, reply)
    }

    private func readDirectory(_ number: ItemNumber, after cookie: UInt64, _ reply: Reply<Listing>) {
        let last = Self.number(of: cookie)
        do throws(Errno) {
            // The state of the listing is read before the entries. If the listing is complete now, the entries that are
            // read later are complete, too.
            guard let folder = try reading({ () throws(IndexError) in try index.item(number) }) else {
                // A directory that was removed while open is empty.
                return reply.reply(reply.listing())
            }
            let listing = reply.listing()
            if cookie < Self.selfCookie {
                listing.append(".", node: number.node, kind: .directory, cookie: Self.selfCookie)
            }
            if cookie < Self.parentCookie {
                // The root's parent has no number in this file system, and programs need a nonzero inode number.
                let parent = number == .root ? number : folder.parent
                listing.append("..", node: parent.node, kind: .directory, cookie: Self.parentCookie)
            }
            try reading { () throws(IndexError) in try fill(listing, from: number, after: last) }
            if !listing.isEmpty || folder.listing == .complete { return reply.reply(listing) }
        } catch {
            return reply.fail(error)
        }
        let waiting = engine.list(number, needs: .more(after: last)) { [self] result in
            switch result {
            case .success: readDirectory(number, after: cookie, reply)
            case .failure(let failure): reply.fail(Errno(failure))
            }
        }
        reply.onInterrupt { waiting.cancel() }
    }

    /// The maximum number of entries read from the index for one reply. The kernel's buffer holds fewer entries.
    private static let entryLimit = 8192

    private func fill(
        _ listing: Listing, from folder: ItemNumber, after last: ItemNumber?
    ) throws(IndexError) {
        let hidesName = folder == .root && engine.trashSupport == .supported
        func shown(_ name: String) -> Name {
            Name(hidesName && name == trashName.own ? trashName.other : name)
        }
        guard listing.wantsAttributes else {
            return try index.names(in: folder, after: last) { number, kind, name in
                listing.append(
                    shown(String(decoding: name, as: UTF8.self)), node: number.node, kind: kind.listingKind,
                    cookie: Self.cookie(of: number))
            }
        }
        try index.children(of: folder, after: last, limit: Self.entryLimit) { item in
            listing.append(shown(item.name), entry(for: item), cookie: Self.cookie(of: item.number))
        }
    }

    func releaseDirectory(_ node: NodeID, handle: UInt64, _ reply: Reply<Done>) { reply.reply() }

    func fsyncDirectory(_ node: NodeID, handle: UInt64, dataOnly: Bool, _ reply: Reply<Done>) {
        engine.durable.synchronize { result in
            switch result {
            case .success: reply.reply()
            case .failure(let error): reply.fail(error)
            }
        }
    }
}

extension ProviderItem.Kind {
    fileprivate var listingKind: Listing.Kind {
        switch self {
        case .file: .file
        case .folder: .directory
        case .symbolicLink: .symbolicLink
        }
    }
}
