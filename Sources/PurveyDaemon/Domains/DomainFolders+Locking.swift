import Exchange
import Glibc
import LinuxSystem

/// Locks the domains' directory, so that only one daemon at a time serves the domains.
extension DomainFolders {
    /// A daemon that serves the domains, and listens at a socket other than this daemon's.
    struct OtherDaemon: Sendable {
        let process: pid_t
        let socket: String
    }

    private var lockFile: String { locations.domains + "/.lock" }
    /// The maximum number of bytes read from the lock file. A PID and a socket path are always shorter.
    private static let lockFileLimit = 4096

    /// Locks the domains for this process; returns `nil` if another process has the lock. The lock lasts until the
    /// returned descriptor is closed.
    func take() throws(Errno) -> FileDescriptor? {
        try PrivateFolder.make(locations.domains)
        let file = try FileDescriptor.open(lockFile, [.readWrite, .create, .noFollow])
        guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else { return nil }
        // On a full disk, the domains are served without an entry in the lock file. Other daemons then wait for the
        // lock.
        try? enter(in: file)
        return file
    }

    /// Writes this process's PID and the path of its socket to the lock file, so that other daemons can report them.
    private func enter(in file: FileDescriptor) throws {
        try file.truncate(to: 0)
        let entry = Array("\(getpid())\n\(locations.socket)\n".utf8)
        try entry.withUnsafeBytes { try file.writeAll($0, at: 0) }
    }

    /// Returns the daemon that the lock file names, if that daemon still listens at a socket other than this daemon's.
    ///
    /// Returns `nil` if that daemon is ending and does not listen any more, or if this daemon replaces it at the same
    /// socket. In both cases, the lock is about to become free.
    func otherDaemon() -> OtherDaemon? {
        guard let file = try? FileDescriptor.open(lockFile, [.readOnly, .noFollow]),
            let bytes = try? file.readToEnd(limit: Self.lockFileLimit)
        else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 1)
        // Without its line end, the entry is still being written.
        guard lines.count == 2, let process = pid_t(lines[0]), lines[1].hasSuffix("\n") else { return nil }
        let socket = String(lines[1].dropLast())
        guard socket != locations.socket, let address = try? LocalSocketAddress(path: socket),
            let connection = try? SequencedPacketSocket.connect(to: address),
            (try? connection.peerCredentials().processID) == process
        else { return nil }
        return OtherDaemon(process: process, socket: socket)
    }
}
