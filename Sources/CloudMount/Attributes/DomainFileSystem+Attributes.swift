import FileProvider
import FileProviderEngine
import Fuse
import Glibc
import LinuxSystem

extension DomainFileSystem {
    /// How long the kernel may take it that nothing changed: it is told of every change.
    static let validity = Duration.seconds(3600)

    /// An item as stat(2) shows it. What is open is asked itself: its size and date are in the index only when it was closed.
    func answer(for item: IndexedItem, isRemoved: Bool = false) -> AttributesAnswer {
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
        // Programs that archive or copy take a file without blocks for one hole, and write zeros without reading it.
        if item.item.kind == .file, size != 0 { blocks = max(blocks, 1) }
        let date = Timestamp(seconds: modified)
        let attributes = Attributes(
            node: item.number.node, mode: item.fullMode, size: size ?? 0, blocks: blocks,
            linkCount: isRemoved ? 0 : 1,
            accessed: item.item.lastUsed.map { Timestamp(seconds: max($0, modified)) } ?? date,
            modified: date, changed: Timestamp(seconds: item.changedSeconds(modified: modified)), owner: owner,
            group: group)
        // The kernel does not see what is written to a mapping. A size that the provider does not know, or may have got wrong, it
        // asks for again before it reads.
        let mayDiffer = isOpenForWriting || isAwaited || size == nil
        return AttributesAnswer(attributes, validity: mayDiffer ? .zero : Self.validity)
    }

    func entry(for item: IndexedItem) -> Entry {
        let answer = answer(for: item)
        return Entry(
            node: item.number.node, attributes: answer.attributes, nameValidity: Self.validity,
            attributeValidity: answer.validity)
    }

    /// An item of the index, or one that was removed while a program has it open or is in it. Of another one the kernel looks up the name
    /// again.
    func item(_ number: ItemNumber) throws(Errno) -> (item: IndexedItem, isRemoved: Bool) {
        if let item = try reading({ () throws(IndexFailure) in try index.item(number) }) { return (item, false) }
        if let item = removed[number] { return (item, true) }
        if let view = files.view(of: number) { return (view.known, true) }
        throw .staleHandle
    }

    /// Whether a program may change what a file holds: as the provider says, or as a person has just set it and the provider is about to be
    /// told.
    func mayWrite(_ item: IndexedItem) -> Bool {
        item.allowsWriting
            || item.isSetToBeWritable && (try? index.factsSetHere(of: item.number))?.contains(.mode) == true
    }

    /// Reads in the index; what it fails with, a program is told as an input or output error.
    func reading<Value>(_ body: () throws(IndexFailure) -> Value) throws(Errno) -> Value {
        do { return try body() } catch { throw Errno(error) }
    }

    // MARK: Requests

    func attributes(of node: NodeID, handle: UInt64?, _ reply: Reply<AttributesAnswer>) {
        // The kernel names an opening when it is about to read beyond the size, to append or to seek: then the size has to be
        // the right one, which for contents that are not here yet, and are not served in parts, only they tell.
        if let handle, let opening = files.opening(handle), opening.item.descriptor == nil {
            whenExtentIsKnown(opening, reply) { [self] _ in answerAttributes(of: node, reply) }
        } else {
            answerAttributes(of: node, reply)
        }
    }

    func answerAttributes(of node: NodeID, _ reply: Reply<AttributesAnswer>) {
        reply.reply(trying: { () throws(Errno) in
            while true {
                let count = files.endedCount
                let (item, isRemoved) = try item(ItemNumber(node))
                let answer = answer(for: item, isRemoved: isRemoved)
                // The row may be of the time before a file was closed, and its opening not count any more: then nobody has said what
                // was written. The kernel keeps nothing of such an answer, but whoever has asked would get it.
                if files.endedCount == count { return answer }
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
        // What fits on the disk below can be written here; what is not on this machine takes nothing of it.
        var raw = statvfs()
        guard statvfs(engine.configuration.dataFolder, &raw) == 0 else { return reply.fail(.current) }
        var statistics = Statistics()
        statistics.blockSize = UInt32(clamping: raw.f_frsize)
        statistics.blocks = UInt64(raw.f_blocks)
        statistics.freeBlocks = UInt64(raw.f_bfree)
        statistics.availableBlocks = UInt64(raw.f_bavail)
        statistics.files = UInt64(raw.f_files)
        statistics.freeFiles = UInt64(raw.f_ffree)
        reply.reply(statistics)
    }
}
