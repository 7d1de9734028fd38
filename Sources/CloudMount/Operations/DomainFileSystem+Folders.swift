import FileProvider
import FileProviderEngine
import Fuse
import LinuxSystem

/// Reading folders: from the index, and page by page as the provider's answers arrive where not everything is known yet.
extension DomainFileSystem {
    // Entries are in the order of their numbers, and go on after a number. Two come before them all.
    private static let selfCookie: UInt64 = 1
    private static let parentCookie: UInt64 = 2

    private static func cookie(of number: ItemNumber) -> UInt64 { UInt64(bitPattern: number.rawValue) + parentCookie }

    private static func number(of cookie: UInt64) -> ItemNumber? {
        cookie > parentCookie ? ItemNumber(rawValue: Int64(bitPattern: cookie - parentCookie)) : nil
    }

    func openFolder(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<Opening>) {
        let number = ItemNumber(node)
        do throws(Errno) {
            let (folder, isRemoved) = try item(number)
            guard folder.item.kind == .folder else { throw .notDirectory }
            guard !isRemoved else { return reply.reply(.folder()) }
            let isComplete = folder.listing == .complete
            // What is not known is asked for at once, and what is known is refreshed behind the reader.
            _ = engine.list(number, needs: .complete) { _ in }
            if let thumbnails, !readers.refuses(reply.caller) { thumbnails.look(into: number) }
            let keepsPages = isComplete && notifications.openedFolder(number)
            reply.reply(.folder(caches: isComplete, keepsPages: keepsPages))
        } catch {
            reply.fail(error)
        }
    }

    func readFolder(_ node: NodeID, handle: UInt64, after cookie: UInt64, _ reply: Reply<Listing>) {
        readFolder(ItemNumber(node), after: cookie, reply)
    }

    private func readFolder(_ number: ItemNumber, after cookie: UInt64, _ reply: Reply<Listing>) {
        let last = Self.number(of: cookie)
        do throws(Errno) {
            // In this order: a folder that was complete before has no more than what is found then.
            guard let folder = try reading({ () throws(IndexFailure) in try index.item(number) }) else {
                // Removed while it is open: it is empty.
                return reply.reply(reply.listing())
            }
            let listing = reply.listing()
            if cookie < Self.selfCookie {
                listing.append(".", node: number.node, kind: .folder, cookie: Self.selfCookie)
            }
            if cookie < Self.parentCookie {
                // What the root is in has no number here, and a name without one is none to programs.
                let parent = number == .root ? number : folder.parent
                listing.append("..", node: parent.node, kind: .folder, cookie: Self.parentCookie)
            }
            try reading { () throws(IndexFailure) in try fill(listing, from: number, after: last) }
            if !listing.isEmpty || folder.listing == .complete { return reply.reply(listing) }
        } catch {
            return reply.fail(error)
        }
        let waiting = engine.list(number, needs: .more(after: last)) { [self] result in
            switch result {
            case .success: readFolder(number, after: cookie, reply)
            case .failure(let failure): reply.fail(Errno(failure))
            }
        }
        reply.onInterrupt { waiting.cancel() }
    }

    /// More than fit into what the kernel asks for.
    private static let entryLimit = 8192

    private func fill(
        _ listing: Listing, from folder: ItemNumber, after last: ItemNumber?
    ) throws(IndexFailure) {
        guard listing.wantsAttributes else {
            return try index.names(in: folder, after: last) { number, kind, name in
                listing.append(
                    Name(String(decoding: name, as: UTF8.self)), node: number.node, kind: kind.inFolder,
                    cookie: Self.cookie(of: number))
            }
        }
        try index.children(of: folder, after: last, limit: Self.entryLimit) { item in
            listing.append(Name(item.name), entry(for: item), cookie: Self.cookie(of: item.number))
        }
    }

    func releaseFolder(_ node: NodeID, handle: UInt64, _ reply: Reply<Done>) { reply.reply() }

    func synchronizeFolder(_ node: NodeID, handle: UInt64, dataOnly: Bool, _ reply: Reply<Done>) {
        engine.synchronize { result in
            switch result {
            case .success: reply.reply()
            case .failure(let error): reply.fail(error)
            }
        }
    }
}

extension ProviderItem.Kind {
    fileprivate var inFolder: Listing.Kind {
        switch self {
        case .file: .file
        case .folder: .folder
        case .symbolicLink: .symbolicLink
        }
    }
}
