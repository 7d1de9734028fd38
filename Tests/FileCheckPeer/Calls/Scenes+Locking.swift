import CLinux
import Glibc
import LinuxSystem

/// flock(2), and the locking commands of fcntl(2).
extension Transcript {
    mutating func locking() throws {
        try scene("locks of files") { scene in
            var (one, other) = (try file("a"), try FileDescriptor.open("a", .readWrite))
            scene.note("the first") { try one.lock() }
            scene.note("another opening") { try other.lock() }
            scene.tell("another program") { try flockProgram("--nonblock", "a") }
            scene.note("a new name") { try move("a", to: "b") }
            scene.tell("another program by that") { try flockProgram("--nonblock", "b") }
            one = try FileDescriptor.open("b", .readOnly)
            // The kernel sends FUSE_RELEASE asynchronously after a close.
            scene.tell("after it was closed, who waits") { try flockProgram("--timeout", "60", "b") }
            scene.note("another opening then") { try other.lock() }
            scene.note("one that may only read") { try one.lock() }
            other = one
            scene.tell("who waits to share it") { try flockProgram("--shared", "--timeout", "60", "b") }
            scene.note("a folder") { try FileDescriptor.open(".", [.readOnly, .directory]).lock() }
        }
        try scene("locks of parts") { scene in
            let (one, other) = (try file("a", "0123456789"), try FileDescriptor.open("a", .readWrite))
            let reader = try FileDescriptor.open("a", .readOnly)
            scene.note("some bytes") { try one.lock(F_WRLCK, from: 2, count: 4) }
            scene.note("some of these by another opening") { try other.lock(F_WRLCK, from: 5, count: 2) }
            scene.note("to read them") { try reader.lock(F_RDLCK, from: 3, count: 1) }
            scene.tell("what is in the way") { try other.lockInTheWay(from: 0) }
            scene.note("those behind, to the end") { try other.lock(F_WRLCK, from: 6, count: 0) }
            scene.note("far behind the end") { try reader.lock(F_RDLCK, from: 1 << 40, count: 1) }
            scene.note("some are let go of") { try one.lock(F_UNLCK, from: 4, count: 2) }
            scene.note("those by another opening") { try other.lock(F_WRLCK, from: 4, count: 2) }
            scene.note("shared") { try one.lock(F_RDLCK, from: 2, count: 2) }
            scene.note("shared by another opening") { try reader.lock(F_RDLCK, from: 2, count: 2) }
            scene.note("to write, by one that only reads") { try reader.lock(F_WRLCK, from: 0, count: 1) }
            scene.note("a lock of the whole file beside them") { try reader.lock() }
            scene.note("written to all the same") { try other.write("written", at: 0) }
            scene.tell("its bytes") { try text("a") }
        }
    }
}

/// Returns the exit status of flock(1).
private func flockProgram(_ arguments: String...) throws -> String {
    let program = try ChildProgram.start("/usr/bin/flock", arguments: arguments + ["/bin/true"], descriptors: [])
    return "\(try program.wait())"
}

extension FileDescriptor {
    /// Locks the whole file exclusively, without waiting.
    fileprivate func lock() throws(Errno) { try retrying { clinux_try_lock(rawValue) } }

    /// Locks bytes for this open file description, without waiting.
    ///
    /// - Parameters:
    ///   - kind: `F_RDLCK`, `F_WRLCK` or `F_UNLCK`.
    ///   - count: The number of bytes, or 0 for all that follow.
    fileprivate func lock(_ kind: CInt, from start: Int, count: Int) throws(Errno) {
        var lock = Self.lock(kind, from: start, count: count)
        try retrying { fcntl(rawValue, Self.setOpeningLock, &lock) }
    }

    /// Returns a description of the first lock that prevents this open file description from writing from `start` on.
    fileprivate func lockInTheWay(from start: Int) throws(Errno) -> String {
        var lock = Self.lock(F_WRLCK, from: start, count: 0)
        try retrying { fcntl(rawValue, Self.getOpeningLock, &lock) }
        return lock.l_type == Int16(F_UNLCK) ? "none" : "\(lock.l_type): \(lock.l_start), \(lock.l_len)"
    }

    private static func lock(_ kind: CInt, from start: Int, count: Int) -> flock {
        flock(l_type: Int16(kind), l_whence: Int16(SEEK_SET), l_start: off_t(start), l_len: off_t(count), l_pid: 0)
    }

    /// F_OFD_GETLK and F_OFD_SETLK, which fcntl.h defines only with GNU extensions.
    private static let getOpeningLock: CInt = 36
    private static let setOpeningLock: CInt = 37
}
