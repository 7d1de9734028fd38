import CLinux
import FileProviderEngine
import FileProviderWire
import Fuse
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Serves requests that open, read and close files.
extension DomainFileSystem {
    func open(_ node: NodeID, _ flags: OpenFlags, _ reply: Reply<OpenReply>) {
        let number = ItemNumber(node)
        let isForWriting = flags.allowsWriting || flags.contains(.truncate)
        if !isForWriting, !reply.isRepeated, let (item, opened) = engine.handles.openComplete(number) {
            return reply.reply(openReply(opened, of: item, flags, reply.identifier))
        }
        do throws(Errno) {
            let (item, isRemoved) = try item(number)
            let isAnswered = reply.isRepeated && files.opening(ofRequest: reply.identifier) != nil
            if isRemoved, removed[number] == nil, !isAnswered,
                isForWriting || stale.isSentBack(reply.caller)
            {
                throw .staleHandle
            }
            open(item, flags, reply) { $0 }
        } catch {
            reply.fail(error)
        }
    }

    private func open<Content: SendableMetatype>(
        _ item: IndexedItem, _ flags: OpenFlags, writes: Bool = false, _ reply: Reply<Content>,
        _ content: @escaping @Sendable (OpenReply) -> Content
    ) {
        // The request is repeated: the previous daemon opened the file and died before it replied.
        if reply.isRepeated, let (known, mode) = files.opening(ofRequest: reply.identifier), known.number == item.number
        {
            return reply.reply(content(openReply(known, mode, keepsPages: false)))
        }
        let isCut = flags.contains(.truncate)
        let isForWriting = writes || flags.allowsWriting || isCut
        do throws(Errno) {
            switch item.item.kind {
            case .folder: throw .isDirectory
            case .symbolicLink: throw .tooManySymbolicLinks
            case .file: break
            }
            guard !isForWriting || mayWrite(item) else { throw .permissionDenied }
            guard isForWriting || !isWithheld(item, from: reply.caller, flags) else { throw .permissionDenied }
        } catch {
            return reply.fail(error)
        }
        let purpose: OpenPurpose = isForWriting ? .writing(truncating: isCut) : .reading
        let waiting = engine.handles.open(item.number, for: purpose) { [self] result in
            switch result {
            case .success(let opened): reply.reply(content(openReply(opened, of: item, flags, reply.identifier)))
            case .failure(let failure):
                let error = errno(failure, opening: item.number)
                guard error == .staleHandle, !isForWriting, !stale.isSentBack(reply.caller) else {
                    return reply.fail(error)
                }
                // This is the thread's second attempt, and the provider has just replaced the file. The old version is
                // open under this item number.
                open(item, flags, reply, content)
            }
        }
        reply.onInterrupt { waiting.cancel() }
    }

    /// Returns the error number for an item that could not be opened. For a missing item, this is `ESTALE`, so that the
    /// kernel looks up the name again: another item may have the name now. For an item that was removed through the
    /// mount, and for every other failure, this is the error number of the failure itself.
    func errno(_ failure: ProviderError, opening number: ItemNumber) -> Errno {
        failure.kind == .noSuchItem && removed[number] == nil ? .staleHandle : Errno(failure)
    }

    /// Whether the caller is denied a file because the file is not fully local and ``ReaderPolicies`` refuses the
    /// caller.
    private func isWithheld(_ item: IndexedItem, from caller: Caller, _ flags: OpenFlags) -> Bool {
        guard item.content == .dataless || item.content == .partial, files.view(of: item.number)?.descriptor == nil
        else { return false }
        return readers.refuses(caller, flags)
    }

    func create(
        _ name: Name, in parent: NodeID, mode: UInt32, _ flags: OpenFlags, _ reply: Reply<CreateReply>
    ) {
        edit(reply) { (engine, _) throws(EditError) in
            try engine.localEdits.createFile(
                named: name.asNewName(), in: ItemNumber(parent), mode: UInt16(truncatingIfNeeded: mode & 0o7777), engine
            )
        } failed: { [self] error in
            guard error == .fileExists, !flags.contains(.exclusive) || reply.isRepeated, let text = name.text,
                let item = try? index.item(named: text, in: ItemNumber(parent))
            else { return reply.fail(error) }
            // The provider created the item between the kernel's lookup and this request.
            open(item, flags, writes: reply.isRepeated, reply) { self.createReply(for: item, $0) }
        } succeeded: { [self] item in
            // The creator of a file may write to it regardless of its mode.
            open(item, flags.subtracting(.truncate), writes: true, reply) { self.createReply(for: item, $0) }
        }
    }

    private func createReply(for item: IndexedItem, _ opening: OpenReply) -> CreateReply {
        CreateReply(entry: entry(for: item), opening: opening)
    }

    /// Adds a handle and returns the reply for the kernel.
    func openReply(_ opened: OpenHandle, of item: IndexedItem, _ flags: OpenFlags, _ request: UInt64) -> OpenReply {
        let added = files.add(
            opened, known: item, isForWriting: opened.isForWriting,
            wasCut: flags.contains(.truncate), request: request, passing: { backingFile(for: opened) })
        // From now on, the kernel must request the size and date each time. The kernel does not see writes to a memory
        // mapping, and the size that the provider reported for an incomplete file may be wrong.
        if !opened.isComplete || opened.isForWriting { session?.invalidateAttributes(of: item.number.node) }
        return openReply(added.opening, added.mode, keepsPages: added.keepsPages)
    }

    private func openReply(_ known: HandleTable.Handle, _ mode: HandleTable.AccessMode, keepsPages: Bool) -> OpenReply {
        var reply = OpenReply(handle: known.handle)
        switch mode {
        case .cached:
            reply.mode = .cached(keepsPages: keepsPages)
        case .passthrough(let file):
            reply.mode = .passthrough(file)
        }
        reply.needsNoFlush = !known.isForWriting
        return reply
    }

    private func backingFile(for opened: OpenHandle) -> BackingFile? {
        guard let descriptor = opened.descriptor, let session = passingSession else { return nil }
        // With passthrough, writes bypass the daemon, which could not evict files if the disk became full.
        if opened.isForWriting, !hasRoom(descriptor) { return nil }
        return try? session.backing(for: descriptor)
    }

    /// Whether the disk of a file has enough space for typical writes: 1 GiB.
    private func hasRoom(_ file: FileDescriptor) -> Bool {
        var status = statvfs()
        return fstatvfs(file.rawValue, &status) == 0 && status.f_bavail >= (1 << 30) / max(1, status.f_frsize)
    }

    /// Calls a function as soon as a handle's contents are local, or immediately if they already are. Fails the request
    /// if the contents cannot be fetched.
    func whenReady<Content: SendableMetatype>(
        _ opening: HandleTable.Handle, _ reply: Reply<Content>,
        _ body: @escaping @Sendable (FileDescriptor) -> Void
    ) {
        if let descriptor = opening.item.descriptor { return body(descriptor) }
        // The open may have been permitted because the contents were local at that time, or because another program
        // opened the file.
        guard opening.isForWriting || !readers.refuses(reply.caller) else { return reply.fail(.permissionDenied) }
        let waiting = opening.item.ready { [files] result in
            switch result {
            case .success(let descriptor):
                files.becameReady(opening, descriptor)
                body(descriptor)
            case .failure(let failure): reply.fail(Errno(failure))
            }
        }
        reply.onInterrupt { waiting.cancel() }
    }

    /// Calls a function as soon as the given bytes of a handle's file are local. The function receives a descriptor of
    /// a file that has these bytes at their offsets.
    func whenLocal<Content: SendableMetatype>(
        _ opening: HandleTable.Handle, at offset: Int64, count: Int, _ reply: Reply<Content>,
        _ body: @escaping @Sendable (FileDescriptor) -> Void
    ) {
        if let descriptor = opening.item.localBytes(at: offset, count: count) { return body(descriptor) }
        // A file that is open for writing must be complete.
        if opening.isForWriting { return whenReady(opening, reply, body) }
        guard !readers.refuses(reply.caller) else { return reply.fail(.permissionDenied) }
        let waiting = opening.item.bytes(at: offset, count: count) { [files] result in
            switch result {
            case .success(let descriptor):
                if opening.item.isComplete {
                    files.becameReady(opening, descriptor)
                } else {
                    files.hasBegun(opening, descriptor)
                }
                body(descriptor)
            case .failure(let failure): reply.fail(Errno(failure))
            }
        }
        reply.onInterrupt { waiting.cancel() }
    }

    /// Calls a function as soon as the size of a handle's file is known.
    func whenExtentIsKnown<Content: SendableMetatype>(
        _ opening: HandleTable.Handle, _ reply: Reply<Content>,
        _ body: @escaping @Sendable (OpenHandle.Extent) -> Void
    ) {
        if opening.isForWriting { return whenReady(opening, reply) { body(.whole($0)) } }
        if let descriptor = opening.item.descriptor { return body(.whole(descriptor)) }
        guard !readers.refuses(reply.caller) else { return reply.fail(.permissionDenied) }
        let waiting = opening.item.extent { [files] result in
            switch result {
            case .success(let extent):
                if case .whole(let descriptor) = extent { files.becameReady(opening, descriptor) }
                body(extent)
            case .failure(let failure): reply.fail(Errno(failure))
            }
        }
        reply.onInterrupt { waiting.cancel() }
    }

    func read(_ node: NodeID, handle: UInt64, at offset: Int64, count: Int, _ reply: Reply<Bytes>) {
        guard let opening = files.opening(handle) else { return reply.fail(.staleHandle) }
        whenLocal(opening, at: offset, count: count, reply) { reply.reply(reading: $0, at: offset, count: count) }
    }

    func flush(_ node: NodeID, handle: UInt64, lockOwner: UInt64, _ reply: Reply<Done>) {
        guard let opening = files.opening(handle), opening.isForWriting else { return reply.reply() }
        opening.item.flush { reply.reply(after: $0) }
    }

    func release(_ node: NodeID, handle: UInt64, _ flags: OpenFlags, _ reply: Reply<Done>) {
        // The handle ends before the reply. Otherwise, the next daemon could resume a handle that the kernel no longer
        // knows.
        let ended = files.end(handle)
        reply.reply()
        guard let opening = ended else { return }
        opening.item.close { [self] _ in
            // An attribute reply in flight may contain the row of the index from before the writes. The kernel would
            // cache it once the file is closed. The notification makes the kernel ignore such a reply.
            if opening.isForWriting { session?.invalidateAttributes(of: opening.number.node) }
            files.remove(opening)
        }
    }

    func fsync(_ node: NodeID, handle: UInt64, dataOnly: Bool, _ reply: Reply<Done>) {
        guard let opening = files.opening(handle) else { return reply.fail(.staleHandle) }
        // A handle that does not write has no bytes to flush. However, the file's name may not have been written to the
        // disk yet.
        guard opening.isForWriting else { return opening.item.synchronize { reply.reply(after: $0) } }
        whenReady(opening, reply) { _ in opening.item.synchronize { reply.reply(after: $0) } }
    }

    func seek(_ node: NodeID, handle: UInt64, from offset: Int64, to target: SeekTarget, _ reply: Reply<Int64>) {
        guard let opening = files.opening(handle) else { return reply.fail(.staleHandle) }
        whenExtentIsKnown(opening, reply) { extent in
            guard case .whole(let descriptor) = extent else {
                // The positions of holes are not known, so the whole file counts as data, and its end is the first
                // hole.
                guard case .parts(let size) = extent, offset >= 0, offset < size else {
                    return reply.fail(Errno(rawValue: ENXIO))
                }
                return reply.reply(target == .data ? offset : size)
            }
            // Moving the shared position is harmless, because all reads and writes pass an explicit offset.
            let whence = target == .data ? clinux_seek_data : clinux_seek_hole
            reply.reply(trying: { () throws(Errno) in
                try retrying { Int64(lseek(descriptor.rawValue, off_t(offset), whence)) }
            })
        }
    }
}

extension Reply where Content == Done {
    func reply(after result: Result<Void, ProviderError>) {
        switch result {
        case .success: reply()
        case .failure(let failure): fail(Errno(failure))
        }
    }
}
