import Glibc
import LinuxSystem

/// A path at which a socket listens, taken for this process alone and given back at the end.
///
/// A lock on a file beside the socket (`NAME.lock`) decides who listens. Holding it, a socket that is found there is
/// known to be left over from a process that ended, and is replaced in one step. The lock file stays: removing it
/// would let two processes lock two different files.
final class ListeningPlace: Sendable {
    let socket: SequencedPacketSocket
    private let path: String
    private let directory: FileDescriptor
    private let name: String
    private let identity: FileStatus.Identity
    /// Unlocked when it is closed, in whatever way the process ends.
    private let lock: FileDescriptor

    /// Takes the path.
    ///
    /// - Parameter lost: this process's place at the path before, whose socket or folder somebody has removed.
    init(path: String, after lost: ListeningPlace? = nil) throws(ListenerError) {
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
            // What nobody could connect to is not listened at, though the system would let us.
            _ = try LocalSocketAddress(path: path)
            lock = try Self.lock("\(name).lock", in: directory, after: lost?.lock)
            try Self.checkLeftover(name, in: directory)
            let temporary = ".\(getpid()).socket"
            _ = unlinkat(directory.rawValue, temporary, 0)
            socket = try .bound(to: LocalSocketAddress(name: temporary, in: directory))
            do throws(Errno) {
                try retrying { fchmodat(directory.rawValue, temporary, 0o600, 0) }
                // Nobody finds the path before there is somebody to answer.
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

    /// Whether whoever connects to the path comes here.
    var isHeld: Bool { (try? FileStatus.of(path, followingLinks: false).identity) == identity }

    deinit {
        // Only our own socket is removed, and it can only be replaced by one who has the lock.
        guard let found = try? directory.status(of: name).identity, found == identity else { return }
        _ = unlinkat(directory.rawValue, name, 0)
    }

    /// Opens a directory, made if it is missing, that nobody else can reach into.
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

    /// Locks a file, made if it is missing; EADDRINUSE when another process has it locked.
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

    /// Makes sure that what stands at the path, if anything, is a socket at which nobody listens.
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
            // A listener of another kind of socket, or one that is too busy to let us in, is a listener.
            throw error == .wrongSocketType || error == .timedOut ? .addressInUse : error
        }
        throw .addressInUse
    }
}
