import FileProviderEngine
import FileProviderWire
import Fuse
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// The provider's trash in a mount, as file managers expect it: `.Trash-UID` at the top, with `files` and `info`. These
/// directories are never uploaded. See ``LocalTrash``.
///
/// The engine owns the state, so requests are served on the engine's thread. The kernel must not cache names and
/// attributes of the trash. Therefore the kernel need not be notified of changes. The functions that serve requests are
/// in extensions, one file for each subject. No function blocks.
final class TrashView: Sendable {
    let domain: DomainFileSystem
    var engine: DomainEngine { domain.engine }

    /// The time in seconds for which a request may hold the kernel's locks on directories while the provider moves or
    /// removes an item.
    static let longestLockTime = 5.0
    /// The time in seconds for which a request waits until it is known whether the provider has a trash.
    static let longestWaitForSupport = 5.0

    init(_ domain: DomainFileSystem) { self.domain = domain }

    // MARK: Serving

    /// Serves a request on the engine's thread.
    func serve<Content: ReplyContent & SendableMetatype>(
        _ reply: Reply<Content>,
        _ body: @escaping @Sendable (isolated DomainEngine) throws(EditError) -> Content
    ) {
        engine.perform { engine in
            do throws(EditError) {
                reply.reply(try body(engine))
            } catch {
                reply.fail(error.errno)
            }
        }
    }

    /// Serves a request that needs the provider. If the request is interrupted, it fails, but the provider's work
    /// continues.
    ///
    /// - Parameter seconds: The time in seconds after which the request fails with `EBUSY`. The provider's work
    ///   continues. `nil` means no limit.
    func serve<Content: ReplyContent & Sendable>(
        _ reply: Reply<Content>, upTo seconds: Double?,
        waiting body: @escaping @Sendable (isolated DomainEngine) async throws(ProviderError) -> Content
    ) {
        reply.onInterrupt { [weak reply] in reply?.fail(.interrupted) }
        let timer = seconds.map { engine.clock.run(after: $0) { reply.fail(Errno(rawValue: EBUSY)) } }
        Task { [engine] in
            do throws(ProviderError) {
                reply.reply(try await engine.run(body))
            } catch {
                // The program may try again.
                reply.fail(error.kind == .transient ? Errno(rawValue: EBUSY) : Errno(error))
            }
            timer?.cancel()
        }
    }

    /// Lists a directory in the trash if necessary, then calls a function on the engine's thread.
    func whenListed<Content: ReplyContent & SendableMetatype>(
        _ folder: Int64, _ reply: Reply<Content>,
        _ body: @escaping @Sendable (isolated DomainEngine) throws(EditError) -> Content
    ) {
        engine.perform { [self] engine in
            guard !engine.localTrash.isListed(folder) else { return serve(reply, body) }
            reply.onInterrupt { [weak reply] in reply?.fail(.interrupted) }
            Task { [engine = self.engine] in
                do throws(ProviderError) {
                    try await engine.run { engine throws(ProviderError) in try await engine.localTrash.list(folder) }
                    serve(reply, body)
                } catch {
                    reply.fail(error.kind == .noSuchItem ? .staleHandle : Errno(error))
                }
            }
        }
    }

    // MARK: Attributes

    func entry(_ attributes: Attributes) -> Entry {
        Entry(node: attributes.node, attributes: attributes)
    }

    /// Returns the attributes of `.Trash-UID` or of one of the fixed directories in it.
    func folderAttributes(_ target: TrashTarget, _ engine: isolated DomainEngine) -> Attributes {
        attributes(target, mode: UInt32(S_IFDIR) | 0o700, modified: (try? engine.localTrash.modified()) ?? 0)
    }

    /// Returns the attributes of an item in the trash.
    func itemAttributes(_ node: TrashNode, _ engine: isolated DomainEngine) -> Attributes {
        let item = node.item
        var (mode, size): (UInt32, Int64) = (UInt32(S_IFREG) | 0o400, item?.size ?? 0)
        switch item?.kind {
        case .folder: (mode, size) = (UInt32(S_IFDIR) | 0o700, 0)
        case .symbolicLink: (mode, size) = (UInt32(S_IFLNK) | 0o777, Int64(item?.linkTarget?.utf8.count ?? 0))
        case .file, nil: break
        }
        if mode & UInt32(S_IFMT) == UInt32(S_IFREG),
            let status = try? engine.localTrash.openCopy(of: node.number)?.status()
        {
            size = Int64(status.size)
        }
        return attributes(
            .item(node.number), mode: mode, size: max(0, size), modified: item?.modified ?? item?.created ?? node.date)
    }

    /// Returns the attributes of a `.trashinfo` file or a plain file.
    func infoFileAttributes(_ node: TrashNode) -> Attributes {
        attributes(
            .infoFile(node.number), mode: UInt32(S_IFREG) | 0o600, size: Int64(LocalTrash.bytes(of: node).count),
            modified: node.date)
    }

    private func attributes(_ target: TrashTarget, mode: UInt32, size: Int64 = 0, modified: Double) -> Attributes {
        let date = Timestamp(seconds: modified)
        // Programs that copy regard a file without blocks as a hole.
        let blocks = UInt64(clamping: size).advanced(by: 511) / 512
        return Attributes(
            node: target.node, mode: mode, size: size, blocks: blocks, accessed: date, modified: date, changed: date,
            owner: domain.owner, group: domain.group)
    }

    func attributes(of target: TrashTarget, _ reply: Reply<AttributesReply>) {
        serve(reply) { [self] engine throws(EditError) in
            AttributesReply(try attributes(of: target, engine))
        }
    }

    func attributes(of target: TrashTarget, _ engine: isolated DomainEngine) throws(EditError) -> Attributes {
        switch target {
        case .top, .files, .info, .expunged: return folderAttributes(target, engine)
        case .item(let number):
            if let node = try node(number, engine) { return itemAttributes(node, engine) }
            // The item has left the trash, and is still open.
            if let status = try? engine.localTrash.localCopy(of: number)?.status() {
                return attributes(
                    target, mode: UInt32(S_IFREG) | 0o400, size: Int64(status.size), modified: status.modifiedDate)
            }
            throw EditError(.staleHandle)
        case .infoFile(let number):
            guard let node = try node(number, engine) else { throw EditError(.staleHandle) }
            return infoFileAttributes(node)
        }
    }

    /// Returns a node; `nil` if it does not exist any more.
    func node(_ number: Int64, _ engine: isolated DomainEngine) throws(EditError) -> TrashNode? {
        try looking { () throws(IndexError) in try engine.localTrash.node(number) }
    }

    /// Runs a query of the index, and converts the query's failures to error numbers.
    func looking<Value>(_ body: () throws(IndexError) -> Value) throws(EditError) -> Value {
        do throws(IndexError) { return try body() } catch { throw EditError(Errno(error)) }
    }

    func setAttributes(of target: TrashTarget, _ change: AttributeChange, _ reply: Reply<AttributesReply>) {
        serve(reply) { [self] engine throws(EditError) in
            switch target {
            case .item: throw EditError(Errno(rawValue: EROFS))
            // File managers set the mode before they remove a directory. The change is ignored.
            case .top, .files, .info, .expunged: break
            case .infoFile(let number):
                if let size = change.size { try engine.localTrash.setSize(size, of: number) }
            }
            return AttributesReply(try attributes(of: target, engine))
        }
    }

    func readLink(_ target: TrashTarget, _ reply: Reply<Bytes>) {
        serve(reply) { [self] engine throws(EditError) in
            guard case .item(let number) = target, let node = try node(number, engine) else {
                throw EditError(.staleHandle)
            }
            guard node.item?.kind == .symbolicLink else { throw EditError(.invalidArgument) }
            guard let link = node.item?.linkTarget, !link.isEmpty else { throw EditError(.inputOutput) }
            return Bytes(Name(link))
        }
    }
}
