import Glibc
import LinuxSystem

/// A path at which a socket of this process listens. No other process can listen at the path. The socket file is
/// removed when this object is released.
///
/// A lock on a file beside the socket (`NAME.lock`) decides which process listens. A process that holds the lock knows
/// that an existing socket is left over from a process that has ended, and replaces it atomically. The lock file is
/// never removed: otherwise, two processes could lock two different files.
final class ListeningPath: Sendable {
    let socket: SequencedPacketSocket
    private let path: String
    private let directory: FileDescriptor
    private let name: String
    private let identity: FileStatus.Identity
    /// The locked file. The kernel unlocks it when it is closed, or when the process ends for any reason.
    private let lock: FileDescriptor

    /// Locks the path, and listens at it.
    ///
    /// - Parameter lost: the object for the same path that this process used until its socket or directory was removed;
    ///   `nil` if there is none.
    init(path: String, after lost: ListeningPath? = nil) throws(ListenerError) {
        let parent: String
        let name: String
        if let slash = path.lastSlash {
            parent = slash == path.startIndex ? "/" : String(path[..<slash])
            name = path.lastPathName
        } else {
            parent = "."
            name = path
        }
        let directory = try Self.privateDirectory(parent)
        (self.path, self.directory, self.name) = (path, directory, name)
        do throws(Errno) {
            // Clients cannot connect to a path whose name is too long for an address. Such a path is refused, although
            // it would be possible to listen at it, because the socket is created under another name.
            _ = try LocalSocketAddress(path: path)
            lock = try Self.lock("\(name).lock", in: directory, after: lost?.lock)
            try Self.checkLeftover(name, in: directory)
            let temporary = ".\(getpid()).socket"
            _ = unlinkat(directory.rawValue, temporary, 0)
            socket = try .bound(to: LocalSocketAddress(name: temporary, in: directory))
            do throws(Errno) {
                try retrying { fchmodat(directory.rawValue, temporary, 0o600, 0) }
                // The path appears only after the socket listens.
                try socket.listen()
                identity = try directory.status(of: temporary).identity
                try retrying { renameat(directory.rawValue, temporary, directory.rawValue, name) }
            } catch {
                _ = unlinkat(directory.rawValue, temporary, 0)
                throw error
            }
        } catch .addressInUse {
            throw .inUse(path: path)
        } catch .notASocket {
            throw .notASocket(path: path)
        } catch {
            throw .system(error, path: path)
        }
    }

    /// Whether connections to the path reach this socket.
    var isHeld: Bool { (try? FileStatus.of(path, followingLinks: false).identity) == identity }

    deinit {
        // Removes only the own socket, which no other process can replace while this one holds the lock.
        guard let found = try? directory.status(of: name).identity, found == identity else { return }
        _ = unlinkat(directory.rawValue, name, 0)
    }

    /// Opens a directory that must be private to this user. Creates the directory if it is missing.
    private static func privateDirectory(_ path: String) throws(ListenerError) -> FileDescriptor {
        let directory: FileDescriptor
        let status: FileStatus
        do throws(Errno) {
            if mkdir(path, 0o700) != 0, Errno.current != .fileExists { throw .current }
            directory = try .open(path, [.readOnly, .directory])
            status = try directory.status()
        } catch {
            throw .system(error, path: path)
        }
        guard status.owner == geteuid(), status.permissions & 0o077 == 0 else { throw .unsafeDirectory(path: path) }
        return directory
    }

    /// Locks the file with the given name. Creates the file if it is missing. Throws `EADDRINUSE` if another process
    /// has locked the file.
    private static func lock(
        _ name: String, in directory: FileDescriptor, after held: FileDescriptor?
    ) throws(Errno) -> FileDescriptor {
        let file = try directory.open(name, [.readWrite, .create, .noFollow], permissions: 0o600)
        if let held, try file.status().identity == held.status().identity { return held }
        do throws(Errno) {
            try retrying { flock(file.rawValue, LOCK_EX | LOCK_NB) }
        } catch .wouldBlock {
            throw .addressInUse
        }
        return file
    }

    /// Checks that no file exists under the given name, or only a socket at which no process listens. Throws an error
    /// otherwise.
    private static func checkLeftover(_ name: String, in directory: FileDescriptor) throws(Errno) {
        do throws(Errno) {
            guard try directory.status(of: name).kind == .socket else { throw .notASocket }
            _ = try SequencedPacketSocket.connect(
                to: LocalSocketAddress(name: name, in: directory), timeoutMilliseconds: 1)
        } catch .noSuchFile {
            return
        } catch .connectionRefused {
            return
        } catch {
            // The path is also in use if the listener has another socket type, or is too busy to accept a connection.
            throw error == .wrongSocketType || error == .timedOut ? .addressInUse : error
        }
        throw .addressInUse
    }
}
