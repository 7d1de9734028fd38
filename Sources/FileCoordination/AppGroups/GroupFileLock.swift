import Glibc
import LinuxSystem

/// The file lock (flock(2)) that programs of a group hold while they change the file of the group's user defaults.
///
/// Every program of the group can replace the lock file. A lock of a replaced file does not count. If the lock file
/// cannot be opened, for example because a symbolic link has its name, the lock of its directory is used instead.
struct GroupFileLock: Sendable {
    let folder: FileDescriptor
    let name: FileName

    /// The maximum number of polls while another program of the group holds the lock. Polls are 10 ms apart. A limit is
    /// needed because a program that never releases the lock must not block this process.
    private static let polls = 200
    /// The pause in microseconds after an attempt that failed for another reason than a lock of another program.
    private static let pause: UInt32 = 100_000

    /// Acquires the lock. The lock is held until the returned descriptor is released.
    ///
    /// - Parameter isPatient: Whether to poll for up to two seconds if another program holds the lock.
    /// - Returns: `nil` if another program holds the lock.
    func acquire(isPatient: Bool) -> FileDescriptor? {
        for attempt in 0..<(isPatient ? Self.polls : 1) {
            if attempt > 0 { usleep(10_000) }
            if let file = lockFile(), isLocked(file, LOCK_EX | LOCK_NB) { return file }
        }
        return nil
    }

    /// Acquires the lock, and blocks without limit while another program holds it. The lock is held until the returned
    /// descriptor is released.
    func wait() -> FileDescriptor {
        while true {
            if let file = lockFile(), isLocked(file, LOCK_EX) { return file }
            usleep(Self.pause)
        }
    }

    private func lockFile() -> FileDescriptor? {
        if let made = try? folder.createFile(name, permissions: 0o600) { return made }
        if let known = try? folder.open(entry: name, [.readOnly, .nonBlocking]) { return known }
        return try? folder.open(".", [.readOnly, .directory])
    }

    /// Locks a file, and returns whether this process holds the lock now. Without support for locks in the file system,
    /// no program can hold one, and the result is `true`.
    private func isLocked(_ file: FileDescriptor, _ operation: Int32) -> Bool {
        if flock(file.rawValue, operation) < 0, [.wouldBlock, .interrupted].contains(Errno.current) { return false }
        guard let identity = try? file.status().identity else { return false }
        let current = [try? folder.status(of: name), try? folder.status()]
        return current.contains { $0?.identity == identity }
    }
}
