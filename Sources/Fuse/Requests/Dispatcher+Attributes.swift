import CFuse
import Glibc

/// Decodes requests for attributes, for the targets of symbolic links, and for the statistics of the file system.
extension Dispatcher {
    func getAttributes(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_getattr_in.self) else { return false }
        let handle = body.getattr_flags & UInt32(FUSE_GETATTR_FH) != 0 ? body.fh : nil
        fileSystem.attributes(of: node, handle: handle, Reply(request, on: channel))
        return true
    }

    func setAttributes(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_setattr_in.self), let change = AttributeChange(body) else {
            return false
        }
        fileSystem.setAttributes(of: node, change, Reply(request, on: channel))
        return true
    }

    func readLink(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        fileSystem.readLink(node, Reply(request, room: Int(PATH_MAX) - 1, on: channel))
        return true
    }

    func getStatistics(_ request: Request, on channel: DeviceChannel) -> Bool {
        fileSystem.statistics(Reply(request, on: channel))
        return true
    }

    func setExtendedAttribute(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
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
        return true
    }

    func getExtendedAttribute(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        let size = MemoryLayout<fuse_getxattr_in>.size
        guard let body = request.load(fuse_getxattr_in.self), let name = request.name(at: size) else {
            return false
        }
        fileSystem.extendedAttribute(
            name, of: node, Reply(request, room: Int(body.size), isMeasured: true, on: channel))
        return true
    }

    func listExtendedAttributes(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let body = request.load(fuse_getxattr_in.self) else { return false }
        fileSystem.extendedAttributes(
            of: node, Reply(request, room: Int(body.size), isMeasured: true, on: channel))
        return true
    }

    func removeExtendedAttribute(_ request: Request, on channel: DeviceChannel) -> Bool {
        let node = request.node
        guard let name = request.name() else { return false }
        fileSystem.removeExtendedAttribute(name, of: node, Reply(request, on: channel))
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
