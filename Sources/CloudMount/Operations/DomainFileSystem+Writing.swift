import CLinux
import FileProviderEngine
import Fuse
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Serves requests that write to files, and that set attributes.
extension DomainFileSystem {
    func write(
        _ node: NodeID, handle: UInt64, at offset: Int64, _ bytes: UnsafeRawBufferPointer, _ flags: WriteFlags,
        _ reply: Reply<Int>
    ) {
        guard let opening = files.opening(handle) else { return reply.fail(.staleHandle) }
        if let descriptor = opening.item.descriptor {
            do throws(Errno) {
                return reply.reply(try Self.write(bytes, at: offset, appends: flags.appends, descriptor, reply))
            } catch .noSpace {
                // Eviction may still free space.
            } catch {
                return reply.fail(error)
            }
        }
        // The rest of the file must be fetched first, or space must be freed. The bytes are copied, because they are
        // valid only during this call.
        let copy = [UInt8](bytes)
        whenReady(opening, reply) { [self] descriptor in
            makingRoom(for: { Int64(copy.count) }, reply) { () throws(Errno) in
                try Self.write(copy, at: offset, appends: flags.appends, descriptor, reply)
            }
        }
    }

    private static func write(
        _ bytes: [UInt8], at offset: Int64, appends: Bool, _ descriptor: FileDescriptor, _ reply: Reply<Int>
    ) throws(Errno) -> Int {
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(Errno) in try write(bytes, at: offset, appends: appends, descriptor, reply) }
        }.get()
    }

    private static func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, appends: Bool, _ descriptor: FileDescriptor,
        _ reply: Reply<Int>
    ) throws(Errno) -> Int {
        // The kernel computes the offset of an append from the size that it knows, which may be the size that the
        // provider reported. Therefore the local file's size is used instead.
        var place = appends ? try descriptor.status().size : Int(offset)
        var written = 0
        // The previous daemon may have written the bytes of a repeated append, or the first part of them, before it was
        // killed. Those bytes must not be written twice.
        if appends, reply.isRepeated {
            written = writtenCount(of: bytes, from: Int(offset), to: place, descriptor)
            place -= written
        }
        while written < bytes.count {
            let rest = bytes[written...]
            do throws(Errno) {
                let count = try retrying {
                    pwrite(
                        descriptor.rawValue, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count,
                        off_t(place + written))
                }
                if count == 0 { break }
                written += count
            } catch {
                guard written > 0 else { throw error }
                break
            }
        }
        return written
    }

    /// Returns how many of the given bytes a file already contains from `offset` to its end, which is at `end`. Returns
    /// 0 if the file's bytes after `offset` differ from the given bytes.
    private static func writtenCount(
        of bytes: UnsafeRawBufferPointer, from offset: Int, to end: Int, _ descriptor: FileDescriptor
    ) -> Int {
        guard offset < end, end - offset <= bytes.count else { return 0 }
        var there = [UInt8](repeating: 0, count: end - offset)
        let count = try? there.withUnsafeMutableBytes { there in try descriptor.read(into: there, at: offset) }
        return count == there.count && there.elementsEqual(bytes.prefix(there.count)) ? there.count : 0
    }

    func allocate(
        _ node: NodeID, handle: UInt64, offset: Int64, length: Int64, _ flags: AllocationFlags, _ reply: Reply<Done>
    ) {
        guard let opening = files.opening(handle) else { return reply.fail(.staleHandle) }
        // The first attempt may have been carried out, and these operations must not be performed twice.
        guard !reply.isRepeated || flags.isDisjoint(with: [.collapseRange, .insertRange]) else {
            return reply.fail(.inputOutput)
        }
        whenReady(opening, reply) { [self] descriptor in
            makingRoom(for: { Self.lack(of: length, on: descriptor) }, reply) { () throws(Errno) in
                try retrying {
                    clinux_fallocate(descriptor.rawValue, CInt(bitPattern: flags.rawValue), offset, length)
                }
                return Done()
            }
        }
    }

    func copyFileRange(
        from node: NodeID, handle: UInt64, offset: Int64, to destination: NodeID, handle destinationHandle: UInt64,
        offset destinationOffset: Int64, count: Int, _ reply: Reply<Int>
    ) {
        guard let source = files.opening(handle), let target = files.opening(destinationHandle) else {
            return reply.fail(.staleHandle)
        }
        // The request may span the whole file. Only the first part is copied, as soon as it is local. The caller
        // requests the rest again.
        let part = source.item.isComplete ? Self.copyLimit : Self.partLimit
        whenLocal(source, at: offset, count: min(max(0, count), part), reply) { [self] from in
            whenReady(target, reply) { to in
                // The copy blocks on the disk, so it runs on another thread. If the disk's file system does not support
                // copy_file_range(2), the kernel reads and writes the bytes instead.
                HandlerThreads.shared.run { [self] in
                    let most = min(max(0, count), part)
                    // On a nearly full disk, there is more likely to be room for a small part.
                    let length = Self.lack(of: Int64(most), on: to) > 0 ? min(most, Self.partLimit) : most
                    makingRoom(for: { Int64(length) }, reply) { () throws(Errno) in
                        var (start, end) = (offset, destinationOffset)
                        let copied = clinux_copy_file_range(from.rawValue, &start, to.rawValue, &end, length)
                        guard copied < 0 else { return copied }
                        throw Errno.current == .noSpace ? .noSpace : .notSupported
                    }
                }
            }
        }
    }

    /// Runs a function that needs disk space, and replies with its result. If the disk is full, evicts clean files and
    /// runs the function once more.
    ///
    /// - Parameters:
    ///   - lack: Returns the number of bytes that do not fit on the disk.
    ///   - body: The function, which may block on the disk.
    private func makingRoom<Content: ReplyContent & Sendable>(
        for lack: () -> Int64, _ reply: Reply<Content>, _ body: @escaping @Sendable () throws(Errno) -> Content
    ) {
        do throws(Errno) {
            reply.reply(try body())
        } catch .noSpace {
            engine.makeRoom(for: lack()) { hasRoom in
                guard hasRoom else { return reply.fail(.noSpace) }
                HandlerThreads.shared.run { reply.reply(trying: body) }
            }
        } catch {
            reply.fail(error)
        }
    }

    /// Returns the number of bytes by which a write exceeds the free space on a file's disk.
    private static func lack(of bytes: Int64, on descriptor: FileDescriptor) -> Int64 {
        var status = statvfs()
        guard fstatvfs(descriptor.rawValue, &status) == 0 else { return bytes }
        return bytes - Int64(clamping: status.f_bavail.multipliedFullWidth(by: status.f_frsize).low)
    }

    /// The maximum number of bytes copied at once, so that a signal can interrupt the copy.
    private static let copyLimit = 64 << 20
    /// The maximum number of bytes copied at once from a file that is not fully local, or to a nearly full disk.
    private static let partLimit = 4 << 20

    // MARK: Attributes

    func setAttributes(of node: NodeID, _ change: AttributeChange, _ reply: Reply<AttributesReply>) {
        let number = ItemNumber(node)
        if change.owner.map({ $0 != owner }) ?? false || change.group.map({ $0 != group }) ?? false {
            // Providers do not store owners.
            return reply.fail(.notPermitted)
        }
        guard let size = change.size else { return setRest(of: number, change, reply) }
        guard size >= 0 else { return reply.fail(.invalidArgument) }
        // The file is truncated through the caller's own handle. Another handle may be closed meanwhile, and the engine
        // would miss a change through it.
        if let opening = change.handle.flatMap({ files.opening($0) }), opening.isForWriting {
            return whenReady(opening, reply) { [self] descriptor in
                cut(descriptor, to: size, reply) { self.setRest(of: number, change, reply) }
            }
        }
        do throws(Errno) {
            let (item, _) = try item(number)
            guard item.item.kind == .file else { throw item.item.kind == .folder ? .isDirectory : .invalidArgument }
            guard mayWrite(item) else { throw .permissionDenied }
        } catch {
            return reply.fail(error)
        }
        let waits = CancellableSet()
        reply.onInterrupt { waits.cancel() }
        let opening = engine.handles.open(number, for: .writing(truncating: size == 0)) { [self] result in
            switch result {
            case .success(let opened):
                let waiting = opened.ready { [self] result in
                    switch result {
                    case .success(let descriptor):
                        cut(descriptor, to: size, reply) {
                            // The reply is sent after the index has the new size.
                            opened.close { [self] result in
                                switch result {
                                case .success: setRest(of: number, change, reply)
                                case .failure(let failure): reply.fail(Errno(failure))
                                }
                            }
                        }
                    case .failure(let failure): reply.fail(Errno(failure))
                    }
                }
                waits.add(waiting)
            case .failure(let failure): reply.fail(errno(failure, opening: number))
            }
        }
        waits.add(opening)
    }

    private func cut(
        _ descriptor: FileDescriptor, to size: Int64, _ reply: Reply<AttributesReply>, then rest: () -> Void
    ) {
        do throws(Errno) {
            if try descriptor.status().size != Int(size) { try descriptor.truncate(to: Int(size)) }
        } catch {
            return reply.fail(error)
        }
        rest()
    }

    /// Sets the changed attributes, except for the size.
    private func setRest(of number: ItemNumber, _ change: AttributeChange, _ reply: Reply<AttributesReply>) {
        let modified: Double? =
            switch change.modified {
            // Truncating the file has set a new date already.
            case .now: change.size == nil ? engine.dateNow : nil
            case .to(let time): time.secondsSince1970
            case nil: nil
            }
        let mode = change.mode.map { UInt16(truncatingIfNeeded: $0 & 0o7777) }
        // Access times and owners are not stored, but a request to set them changes the ctime, as on any file system.
        let isAsked = change.accessed != nil || change.owner != nil || change.group != nil
        guard isAsked || mode != nil || modified != nil else { return replyWithAttributes(of: number.node, reply) }
        guard (try? index.item(number)) != nil else {
            // The item was removed or replaced, and another item may have its name by now. Of the old item only the
            // open contents remain, so its attributes are not set.
            guard removed[number] != nil else {
                return change.handle == nil ? reply.fail(.staleHandle) : replyWithAttributes(of: number.node, reply)
            }
            // This change is visible only to processes that have the item open.
            removed.update(number) { item in
                if let mode { item.mode = mode }
                if let modified { item.localModified = modified }
            }
            if modified != nil { files.noteDateIsSet(number) }
            return replyWithAttributes(of: number.node, reply)
        }
        edit(reply) { (engine, files) throws(EditError) in
            let item = try Self.ofNode { () throws(EditError) in
                try engine.localEdits.setAttributes(of: number, mode: mode, modified: modified, engine)
            }
            // The date of the local file is not set, because the engine would regard another date as a change of the
            // contents.
            if modified != nil { files.files.noteDateIsSet(number) }
            return files.attributesReply(for: item)
        }
    }
}
