import CFuse
import Glibc

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

    /// Returns the handle and the lock of a request, or `nil` if it is malformed.
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
