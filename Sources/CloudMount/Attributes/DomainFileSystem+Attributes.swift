import FileProviderEngine
import FileProviderWire
import Fuse
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

extension DomainFileSystem {
    /// The time for which the kernel may cache names and attributes. The kernel is notified of every change.
    static let validity = Duration.seconds(3600)

    /// Returns an item's attributes for stat(2). The attributes of an open file come from the local file, because the
    /// index has the size and date only after the file is closed.
    func attributesReply(for item: IndexedItem, isRemoved: Bool = false) -> AttributesReply {
        var size = item.knownSize
        var blocks = UInt64(clamping: (item.sizeHere + 511) / 512)
        var modified = item.modifiedSeconds
        var isOpenForWriting = false
        var isAwaited = false
        if item.item.kind == .file, let view = files.view(of: item.number) {
            isOpenForWriting = view.isOpenForWriting
            if let status = view.status {
                size = Int64(status.size)
                blocks = UInt64(status.allocatedSize / 512)
                if isOpenForWriting, status.modifiedDate != view.modifiedBefore {
                    modified = status.modifiedDate
                }
            } else {
                isAwaited = true
            }
        }
        // Programs that archive or copy regard a file without blocks as a single hole, and write zeros without reading
        // the file.
        if item.item.kind == .file, size != 0 { blocks = max(blocks, 1) }
        let date = Timestamp(seconds: modified)
        let attributes = Attributes(
            node: item.number.node, mode: item.fullMode, size: size ?? 0, blocks: blocks,
            linkCount: isRemoved ? 0 : 1,
            accessed: item.item.lastUsed.map { Timestamp(seconds: max($0, modified)) } ?? date,
            modified: date, changed: Timestamp(seconds: item.changedSeconds(modified: modified)), owner: owner,
            group: group)
        // The kernel must not cache the attributes of a file that is open for writing, because the kernel does not see
        // writes to a mapping. It must not cache them either if the contents are not local yet or the size is unknown,
        // because the size that the provider reports may be missing or wrong.
        let mayDiffer = isOpenForWriting || isAwaited || size == nil
        return AttributesReply(attributes, validity: mayDiffer ? .zero : Self.validity)
    }

    func entry(for item: IndexedItem) -> Entry {
        let reply = attributesReply(for: item)
        return Entry(
            node: item.number.node, attributes: reply.attributes, nameValidity: Self.validity,
            attributeValidity: reply.validity)
    }

    /// Returns an item of the index, or a removed item that is still open or is a program's working directory.
    ///
    /// - Throws: `ESTALE` for any other item. The kernel then looks up the name again.
    func item(_ number: ItemNumber) throws(Errno) -> (item: IndexedItem, isRemoved: Bool) {
        if let item = try reading({ () throws(IndexError) in try index.item(number) }) { return (item, false) }
        if let item = removed[number] { return (item, true) }
        if let view = files.view(of: number) { return (view.known, true) }
        throw .staleHandle
    }

    /// Whether programs are permitted to change a file's contents. A mode that the user has set and that is not
    /// uploaded yet takes precedence over the provider's permission.
    func mayWrite(_ item: IndexedItem) -> Bool {
        item.allowsWriting
            || item.isSetToBeWritable && (try? index.locallySetMetadata(of: item.number))?.contains(.mode) == true
    }

    /// Runs a query of the index, and converts an error of the query: to `ENOSPC` if the disk is full, otherwise to
    /// `EIO`.
    func reading<Value>(_ body: () throws(IndexError) -> Value) throws(Errno) -> Value {
        do { return try body() } catch { throw Errno(error) }
    }

    // MARK: Requests

    func attributes(of node: NodeID, handle: UInt64?, _ reply: Reply<AttributesReply>) {
        // The kernel sends a handle with this request before it reads beyond the size, appends or seeks. Then the size
        // must be exact. If the contents are not local and the provider does not serve byte ranges, the size is known
        // only after the whole file is fetched.
        if let handle, let opening = files.opening(handle), opening.item.descriptor == nil {
            whenExtentIsKnown(opening, reply) { [self] _ in replyWithAttributes(of: node, reply) }
        } else {
            replyWithAttributes(of: node, reply)
        }
    }

    func replyWithAttributes(of node: NodeID, _ reply: Reply<AttributesReply>) {
        reply.reply(trying: { () throws(Errno) in
            while true {
                let count = files.endedCount
                let (item, isRemoved) = try item(ItemNumber(node))
                let attributes = attributesReply(for: item, isRemoved: isRemoved)
                // If a write handle was released meanwhile, the row that was read may be older than the writes through
                // this handle. The reply would then lack these writes. The kernel would not cache such a reply, but
                // would return it to the caller.
                if files.endedCount == count { return attributes }
            }
        })
    }

    func readLink(_ node: NodeID, _ reply: Reply<Bytes>) {
        do throws(Errno) {
            let (item, _) = try item(ItemNumber(node))
            guard item.item.kind == .symbolicLink else { throw .invalidArgument }
            guard let target = item.item.linkTarget, !target.isEmpty else { throw .inputOutput }
            reply.reply(Bytes(Name(target)))
        } catch {
            reply.fail(error)
        }
    }

    func statistics(_ reply: Reply<Statistics>) {
        // Writes are limited by the disk that stores the local files, and by the user's quota at the service. Dataless
        // files take no space on the disk.
        var raw = statvfs()
        guard statvfs(engine.configuration.dataFolder, &raw) == 0 else { return reply.fail(.current) }
        var statistics = Statistics()
        statistics.blockSize = UInt32(clamping: raw.f_frsize)
        statistics.blocks = UInt64(raw.f_blocks)
        statistics.freeBlocks = UInt64(raw.f_bfree)
        statistics.availableBlocks = UInt64(raw.f_bavail)
        statistics.files = UInt64(raw.f_files)
        statistics.freeFiles = UInt64(raw.f_ffree)
        if let state = try? engine.index.domainState(), let free = state.quotaAvailable {
            statistics.limit(free: free, used: state.quotaUsed ?? 0)
        }
        reply.reply(statistics)
    }
}

extension Statistics {
    /// Replaces the total and the free space of the disk by those of the user's quota at the service. The available
    /// space is the smaller of the disk's and the quota's, because both limit writes.
    ///
    /// - Parameters:
    ///   - free: the bytes that can still be written to the service.
    ///   - used: the bytes that are stored at the service.
    fileprivate mutating func limit(free: UInt64, used: UInt64) {
        let size = UInt64(max(blockSize, 1))
        freeBlocks = free / size
        blocks = freeBlocks + (used + size - 1) / size
        availableBlocks = min(availableBlocks, freeBlocks)
    }
}
