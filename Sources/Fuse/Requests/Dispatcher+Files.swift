import CFuse
import Glibc

/// Decodes requests for the contents of files.
extension Dispatcher {
    func open(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_open_in.self) else { return false }
        fileSystem.open(node, OpenFlags(rawValue: body.flags), Reply(request, on: channel))
        return true
    }

    func create(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_create_in.self),
            let name = request.name(at: MemoryLayout<fuse_create_in>.size)
        else { return false }
        fileSystem.create(
            name, in: node, mode: body.mode, OpenFlags(rawValue: body.flags), Reply(request, on: channel))
        return true
    }

    func read(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_read_in.self), let offset = Int64(exactly: body.offset) else {
            return false
        }
        let count = min(Int(body.size), channel.buffers.size)
        fileSystem.read(
            node, handle: body.fh, at: offset, count: count, Reply(request, room: count, on: channel))
        return true
    }

    func write(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_write_in.self), let offset = Int64(exactly: body.offset),
            let rest = request.rest(after: MemoryLayout<fuse_write_in>.size), rest.count >= Int(body.size)
        else { return false }
        let flags = WriteFlags(
            opening: OpenFlags(rawValue: body.flags),
            isFromCache: body.write_flags & UInt32(FUSE_WRITE_CACHE) != 0)
        fileSystem.write(
            node, handle: body.fh, at: offset, UnsafeRawBufferPointer(rebasing: rest.prefix(Int(body.size))),
            flags, Reply(request, on: channel))
        return true
    }

    func flush(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_flush_in.self) else { return false }
        fileSystem.flush(node, handle: body.fh, lockOwner: body.lock_owner, Reply(request, on: channel))
        return true
    }

    func release(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_release_in.self) else { return false }
        if body.release_flags & UInt32(FUSE_RELEASE_FLOCK_UNLOCK) != 0 {
            fileSystem.releaseWholeFileLock(node, handle: body.fh, owner: body.lock_owner)
        }
        fileSystem.release(
            node, handle: body.fh, OpenFlags(rawValue: body.flags), Reply(request, on: channel))
        return true
    }

    func fsync(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_fsync_in.self) else { return false }
        fileSystem.fsync(
            node, handle: body.fh, dataOnly: body.fsync_flags & UInt32(FUSE_FSYNC_FDATASYNC) != 0,
            Reply(request, on: channel))
        return true
    }

    func allocate(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_fallocate_in.self), let offset = Int64(exactly: body.offset),
            let length = Int64(exactly: body.length), !offset.addingReportingOverflow(length).overflow
        else { return false }
        fileSystem.allocate(
            node, handle: body.fh, offset: offset, length: length, AllocationFlags(rawValue: body.mode),
            Reply(request, on: channel))
        return true
    }

    func seek(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
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
        return true
    }

    func copyFileRange(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_copy_file_range_in.self), let offset = Int64(exactly: body.off_in),
            let destinationOffset = Int64(exactly: body.off_out)
        else { return false }
        let destination = NodeID(rawValue: body.nodeid_out)
        fileSystem.copyFileRange(
            from: node, handle: body.fh_in, offset: offset, to: destination, handle: body.fh_out,
            offset: destinationOffset, count: Int(min(body.len, Self.largestCopy)),
            Reply(request, other: destination, on: channel))
        return true
    }

    /// The maximum number of bytes of one copy. It is limited because the reply is a number of 32 bits. Callers repeat
    /// the call for larger copies.
    private static let largestCopy: UInt64 = 1 << 30
}

/// Decodes requests for directories.
extension Dispatcher {
    func openDirectory(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_open_in.self) else { return false }
        fileSystem.openDirectory(node, OpenFlags(rawValue: body.flags), Reply(request, on: channel))
        return true
    }

    func readDirectory(_ request: Request, withAttributes: Bool, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_read_in.self) else { return false }
        fileSystem.readDirectory(
            node, handle: body.fh, after: body.offset,
            Reply(request, room: Int(body.size), isMeasured: withAttributes, on: channel))
        return true
    }

    func releaseDirectory(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_release_in.self) else { return false }
        fileSystem.releaseDirectory(node, handle: body.fh, Reply(request, on: channel))
        return true
    }

    func fsyncDirectory(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_fsync_in.self) else { return false }
        fileSystem.fsyncDirectory(
            node, handle: body.fh, dataOnly: body.fsync_flags & UInt32(FUSE_FSYNC_FDATASYNC) != 0,
            Reply(request, on: channel))
        return true
    }
}

/// Decodes requests for locks.
extension Dispatcher {
    func getLock(_ request: Request, on channel: DeviceChannel) -> Bool {
        guard let (handle, wanted) = lock(request, waits: false) else { return false }
        fileSystem.conflictingLock(request.node, handle: handle, wanted, Reply(request, on: channel))
        return true
    }

    func setLock(_ request: Request, waits: Bool, on channel: DeviceChannel) -> Bool {
        guard let (handle, wanted) = lock(request, waits: waits) else { return false }
        fileSystem.setLock(request.node, handle: handle, wanted, Reply(request, on: channel))
        return true
    }

    /// Returns the handle and the lock in a request, or `nil` if the request is malformed.
    private func lock(_ request: Request, waits: Bool) -> (handle: UInt64, LockRequest)? {
        guard let body = request.load(fuse_lk_in.self) else { return nil }
        let kind: FileLock.Kind
        switch Int32(bitPattern: body.lk.type) {
        case F_RDLCK: kind = .reading
        case F_WRLCK: kind = .writing
        case F_UNLCK: kind = .none
        default: return nil
        }
        let lock = FileLock(
            kind: kind, start: body.lk.start, end: body.lk.end, processID: Int32(bitPattern: body.lk.pid))
        let wanted = LockRequest(
            owner: body.owner, lock: lock, isWholeFile: body.lk_flags & UInt32(FUSE_LK_FLOCK) != 0,
            waits: waits)
        return (body.fh, wanted)
    }
}
