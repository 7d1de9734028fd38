import CFuse
import Glibc
import LinuxSystem

/// Decodes requests and calls the file system. A malformed request fails with `EINVAL`, and one that this library
/// does not know with `ENOSYS`.
package struct Dispatcher: Sendable {
    let fileSystem: any FileSystem

    package init(_ fileSystem: any FileSystem) {
        self.fileSystem = fileSystem
    }

    /// Serves one request.
    ///
    /// - Returns: `false` after the last request: the file system is being unmounted.
    @discardableResult
    package func serve(_ request: Request, on channel: DeviceChannel) -> Bool {
        guard let opcode = Opcode(rawValue: request.header.opcode) else {
            refuse(request, .noSystemCall, on: channel)
            return true
        }
        let isServed: Bool
        switch opcode {
        case .forget: isServed = forget(request)
        case .batchForget: isServed = forgetMany(request)
        case .interrupt: isServed = interrupt(request, on: channel)
        case .notifyReply: isServed = true
        case .destroy:
            channel.send(request.header.unique, error: nil, UnsafeRawBufferPointer(start: nil, count: 0))
            return false

        case .lookup, .symbolicLink, .makeNode, .makeFolder, .unlink, .removeFolder, .rename, .rename2, .link:
            isServed = serveNames(opcode, request, channel)
        case .getAttributes, .setAttributes, .readLink, .statistics, .setExtendedAttribute, .getExtendedAttribute,
            .listExtendedAttributes, .removeExtendedAttribute:
            isServed = serveAttributes(opcode, request, channel)
        case .open, .create, .read, .write, .flush, .release, .synchronize, .allocate, .seek, .copyRange:
            isServed = serveFiles(opcode, request, channel)
        case .openFolder, .readFolder, .readFolderPlus, .releaseFolder, .synchronizeFolder:
            isServed = serveFolders(opcode, request, channel)
        case .getLock, .setLock, .setLockWaiting:
            isServed = serveLocks(opcode, request, channel)

        // Other file systems without ioctl(2) reply so.
        case .control:
            refuse(request, Errno(rawValue: ENOTTY), on: channel)
            return true
        // FUSE_INIT comes before a session. The others are not supported by this library.
        case .initialize, .access, .mapBlock, .poll, .setUpMapping, .removeMapping, .synchronizeAll, .temporaryFile:
            refuse(request, .noSystemCall, on: channel)
            return true
        }
        if !isServed { refuse(request, .invalidArgument, on: channel) }
        return true
    }

    private func refuse(_ request: Request, _ error: Errno, on channel: DeviceChannel) {
        channel.send(request.header.unique, error: error, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    // MARK: What nobody waits for

    // Malformed requests are ignored, because they have no reply.
    private func forget(_ request: Request) -> Bool {
        if let body = request.load(fuse_forget_in.self) { fileSystem.forget(request.node, count: body.nlookup) }
        return true
    }

    private func forgetMany(_ request: Request) -> Bool {
        guard let body = request.load(fuse_batch_forget_in.self),
            let rest = request.rest(after: MemoryLayout<fuse_batch_forget_in>.size)
        else { return true }
        let size = MemoryLayout<fuse_forget_one>.size
        for index in 0..<min(Int(body.count), rest.count / size) {
            let one = rest.loadUnaligned(fromByteOffset: index * size, as: fuse_forget_one.self)
            fileSystem.forget(NodeID(rawValue: one.nodeid), count: one.nlookup)
        }
        return true
    }

    private func interrupt(_ request: Request, on channel: DeviceChannel) -> Bool {
        guard let body = request.load(fuse_interrupt_in.self) else { return true }
        if !channel.requests.interrupt(body.unique) {
            // Another thread has read the request and not added it to the table yet. The kernel sends the interrupt
            // again, unless the request has been completed meanwhile.
            refuse(request, .wouldBlock, on: channel)
        }
        return true
    }

    // MARK: Names

    private func serveNames(_ opcode: Opcode, _ request: Request, _ channel: DeviceChannel) -> Bool {
        let parent = request.node
        switch opcode {
        case .lookup:
            guard let name = request.name() else { return false }
            fileSystem.lookup(name, in: parent, Reply(request, on: channel))
        case .unlink:
            guard let name = request.name() else { return false }
            fileSystem.remove(name, in: parent, Reply(request, on: channel))
        case .removeFolder:
            guard let name = request.name() else { return false }
            fileSystem.removeFolder(name, in: parent, Reply(request, on: channel))
        case .symbolicLink:
            guard let (name, target) = request.names(at: 0) else { return false }
            fileSystem.makeSymbolicLink(name, in: parent, target: target, Reply(request, on: channel))
        case .makeNode:
            guard let body = request.load(fuse_mknod_in.self),
                let name = request.name(at: MemoryLayout<fuse_mknod_in>.size)
            else { return false }
            fileSystem.makeNode(
                name, in: parent, mode: body.mode, device: body.rdev, Reply(request, on: channel))
        case .makeFolder:
            guard let body = request.load(fuse_mkdir_in.self),
                let name = request.name(at: MemoryLayout<fuse_mkdir_in>.size)
            else { return false }
            fileSystem.makeFolder(name, in: parent, mode: body.mode & 0o7777, Reply(request, on: channel))
        case .link:
            guard let body = request.load(fuse_link_in.self),
                let name = request.name(at: MemoryLayout<fuse_link_in>.size)
            else { return false }
            let node = NodeID(rawValue: body.oldnodeid)
            fileSystem.makeLink(to: node, name, in: parent, Reply(request, other: node, on: channel))
        case .rename:
            guard let body = request.load(fuse_rename_in.self),
                let (name, newName) = request.names(at: MemoryLayout<fuse_rename_in>.size)
            else { return false }
            let newParent = NodeID(rawValue: body.newdir)
            fileSystem.rename(
                name, in: parent, to: newName, in: newParent, [], Reply(request, other: newParent, on: channel))
        default:
            guard let body = request.load(fuse_rename2_in.self),
                let (name, newName) = request.names(at: MemoryLayout<fuse_rename2_in>.size)
            else { return false }
            let flags = RenameFlags(rawValue: body.flags)
            // Whiteouts are for the lower layers of stacked file systems.
            guard flags.isSubset(of: [.noReplace, .exchange]) else { return false }
            let newParent = NodeID(rawValue: body.newdir)
            fileSystem.rename(
                name, in: parent, to: newName, in: newParent, flags, Reply(request, other: newParent, on: channel))
        }
        return true
    }

    // MARK: Attributes

    private func serveAttributes(_ opcode: Opcode, _ request: Request, _ channel: DeviceChannel) -> Bool {
        let node = request.node
        switch opcode {
        case .getAttributes:
            guard let body = request.load(fuse_getattr_in.self) else { return false }
            let handle = body.getattr_flags & UInt32(FUSE_GETATTR_FH) != 0 ? body.fh : nil
            fileSystem.attributes(of: node, handle: handle, Reply(request, on: channel))
        case .setAttributes:
            guard let body = request.load(fuse_setattr_in.self), let change = AttributeChange(body) else {
                return false
            }
            fileSystem.setAttributes(of: node, change, Reply(request, on: channel))
        case .readLink:
            fileSystem.readLink(node, Reply(request, room: Int(PATH_MAX) - 1, on: channel))
        case .statistics:
            fileSystem.statistics(Reply(request, on: channel))
        case .setExtendedAttribute:
            // Without FUSE_SETXATTR_EXT the structure ends after its first two numbers.
            let size = Int(FUSE_COMPAT_SETXATTR_IN_SIZE)
            guard let (count, flags) = request.load((UInt32, UInt32).self), let name = request.name(at: size),
                let rest = request.rest(after: size + name.count + 1), rest.count >= Int(count)
            else { return false }
            let policy: AttributePolicy
            switch flags {
            case 0: policy = .set
            case 1: policy = .create
            case 2: policy = .replace
            default: return false
            }
            fileSystem.setExtendedAttribute(
                name, of: node, to: UnsafeRawBufferPointer(rebasing: rest.prefix(Int(count))), policy,
                Reply(request, on: channel))
        case .getExtendedAttribute:
            let size = MemoryLayout<fuse_getxattr_in>.size
            guard let body = request.load(fuse_getxattr_in.self), let name = request.name(at: size) else {
                return false
            }
            fileSystem.extendedAttribute(
                name, of: node, Reply(request, room: Int(body.size), isMeasured: true, on: channel))
        case .listExtendedAttributes:
            guard let body = request.load(fuse_getxattr_in.self) else { return false }
            fileSystem.extendedAttributes(
                of: node, Reply(request, room: Int(body.size), isMeasured: true, on: channel))
        default:
            guard let name = request.name() else { return false }
            fileSystem.removeExtendedAttribute(name, of: node, Reply(request, on: channel))
        }
        return true
    }

    // MARK: Files

    private func serveFiles(_ opcode: Opcode, _ request: Request, _ channel: DeviceChannel) -> Bool {
        let node = request.node
        switch opcode {
        case .open:
            guard let body = request.load(fuse_open_in.self) else { return false }
            fileSystem.open(node, OpenFlags(rawValue: body.flags), Reply(request, on: channel))
        case .create:
            guard let body = request.load(fuse_create_in.self),
                let name = request.name(at: MemoryLayout<fuse_create_in>.size)
            else { return false }
            fileSystem.create(
                name, in: node, mode: body.mode, OpenFlags(rawValue: body.flags), Reply(request, on: channel))
        case .read:
            guard let body = request.load(fuse_read_in.self), let offset = Int64(exactly: body.offset) else {
                return false
            }
            let count = min(Int(body.size), channel.buffers.size)
            fileSystem.read(
                node, handle: body.fh, at: offset, count: count, Reply(request, room: count, on: channel))
        case .write:
            guard let body = request.load(fuse_write_in.self), let offset = Int64(exactly: body.offset),
                let rest = request.rest(after: MemoryLayout<fuse_write_in>.size), rest.count >= Int(body.size)
            else { return false }
            let flags = WriteFlags(
                opening: OpenFlags(rawValue: body.flags),
                isFromCache: body.write_flags & UInt32(FUSE_WRITE_CACHE) != 0)
            fileSystem.write(
                node, handle: body.fh, at: offset, UnsafeRawBufferPointer(rebasing: rest.prefix(Int(body.size))),
                flags, Reply(request, on: channel))
        case .flush:
            guard let body = request.load(fuse_flush_in.self) else { return false }
            fileSystem.flush(node, handle: body.fh, lockOwner: body.lock_owner, Reply(request, on: channel))
        case .release:
            guard let body = request.load(fuse_release_in.self) else { return false }
            if body.release_flags & UInt32(FUSE_RELEASE_FLOCK_UNLOCK) != 0 {
                fileSystem.releaseWholeFileLock(node, handle: body.fh, owner: body.lock_owner)
            }
            fileSystem.release(
                node, handle: body.fh, OpenFlags(rawValue: body.flags), Reply(request, on: channel))
        case .synchronize:
            guard let body = request.load(fuse_fsync_in.self) else { return false }
            fileSystem.synchronize(
                node, handle: body.fh, dataOnly: body.fsync_flags & UInt32(FUSE_FSYNC_FDATASYNC) != 0,
                Reply(request, on: channel))
        case .allocate:
            guard let body = request.load(fuse_fallocate_in.self), let offset = Int64(exactly: body.offset),
                let length = Int64(exactly: body.length), !offset.addingReportingOverflow(length).overflow
            else { return false }
            fileSystem.allocate(
                node, handle: body.fh, offset: offset, length: length, AllocationFlags(rawValue: body.mode),
                Reply(request, on: channel))
        case .seek:
            guard let body = request.load(fuse_lseek_in.self), let offset = Int64(exactly: body.offset) else {
                return false
            }
            let target: SeekTarget
            switch body.whence {
            case 3: target = .data
            case 4: target = .hole
            default: return false
            }
            fileSystem.seek(node, handle: body.fh, from: offset, to: target, Reply(request, on: channel))
        default:
            guard let body = request.load(fuse_copy_file_range_in.self), let offset = Int64(exactly: body.off_in),
                let destinationOffset = Int64(exactly: body.off_out)
            else { return false }
            let destination = NodeID(rawValue: body.nodeid_out)
            fileSystem.copyRange(
                from: node, handle: body.fh_in, offset: offset, to: destination, handle: body.fh_out,
                offset: destinationOffset, count: Int(min(body.len, Self.largestCopy)),
                Reply(request, other: destination, on: channel))
        }
        return true
    }

    /// The most bytes of one copy, because the reply is a number of 32 bits. Callers repeat the call for larger
    /// copies.
    private static let largestCopy: UInt64 = 1 << 30

    // MARK: Folders

    private func serveFolders(_ opcode: Opcode, _ request: Request, _ channel: DeviceChannel) -> Bool {
        let node = request.node
        switch opcode {
        case .openFolder:
            guard let body = request.load(fuse_open_in.self) else { return false }
            fileSystem.openFolder(node, OpenFlags(rawValue: body.flags), Reply(request, on: channel))
        case .readFolder, .readFolderPlus:
            guard let body = request.load(fuse_read_in.self) else { return false }
            fileSystem.readFolder(
                node, handle: body.fh, after: body.offset,
                Reply(request, room: Int(body.size), isMeasured: opcode == .readFolderPlus, on: channel))
        case .releaseFolder:
            guard let body = request.load(fuse_release_in.self) else { return false }
            fileSystem.releaseFolder(node, handle: body.fh, Reply(request, on: channel))
        default:
            guard let body = request.load(fuse_fsync_in.self) else { return false }
            fileSystem.synchronizeFolder(
                node, handle: body.fh, dataOnly: body.fsync_flags & UInt32(FUSE_FSYNC_FDATASYNC) != 0,
                Reply(request, on: channel))
        }
        return true
    }

    // MARK: Locks

    private func serveLocks(_ opcode: Opcode, _ request: Request, _ channel: DeviceChannel) -> Bool {
        guard let body = request.load(fuse_lk_in.self) else { return false }
        let kind: FileLock.Kind
        switch Int32(bitPattern: body.lk.type) {
        case F_RDLCK: kind = .reading
        case F_WRLCK: kind = .writing
        case F_UNLCK: kind = .none
        default: return false
        }
        let lock = FileLock(
            kind: kind, start: body.lk.start, end: body.lk.end, processID: Int32(bitPattern: body.lk.pid))
        let wanted = LockRequest(
            owner: body.owner, lock: lock, isWholeFile: body.lk_flags & UInt32(FUSE_LK_FLOCK) != 0,
            waits: opcode == .setLockWaiting)
        if opcode == .getLock {
            fileSystem.conflictingLock(request.node, handle: body.fh, wanted, Reply(request, on: channel))
        } else {
            fileSystem.setLock(request.node, handle: body.fh, wanted, Reply(request, on: channel))
        }
        return true
    }
}

extension AttributeChange {
    /// Decodes a change. Returns `nil` for a size that no file can have.
    init?(_ body: fuse_setattr_in) {
        func has(_ flag: Int32) -> Bool { body.valid & UInt32(flag) != 0 }
        self.init()
        if has(FATTR_MODE) { mode = body.mode }
        if has(FATTR_UID) { owner = body.uid }
        if has(FATTR_GID) { group = body.gid }
        if has(FATTR_SIZE) {
            guard let bytes = Int64(exactly: body.size) else { return nil }
            size = bytes
        }
        func time(_ flag: Int32, _ now: Int32, _ seconds: UInt64, _ nanoseconds: UInt32) -> Time? {
            guard has(flag) else { return nil }
            if has(now) { return .now }
            return .to(Timestamp(seconds: Int64(bitPattern: seconds), nanoseconds: nanoseconds))
        }
        accessed = time(FATTR_ATIME, FATTR_ATIME_NOW, body.atime, body.atimensec)
        modified = time(FATTR_MTIME, FATTR_MTIME_NOW, body.mtime, body.mtimensec)
        if has(FATTR_CTIME) {
            changed = Timestamp(seconds: Int64(bitPattern: body.ctime), nanoseconds: body.ctimensec)
        }
        if has(FATTR_FH) { handle = body.fh }
        if has(FATTR_LOCKOWNER) { lockOwner = body.lock_owner }
    }
}
