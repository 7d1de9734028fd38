import CLinux
import Glibc

/// A path as a `sockaddr_un`, for bind(2) and connect(2).
///
/// `sun_path` has space for 108 bytes. For a longer path, the address is `/proc/self/fd/N/name`, where N is a
/// descriptor of the path's directory. Therefore only the last component of the path must be short.
package struct LocalSocketAddress: Sendable {
    private let raw: sockaddr_un
    /// The directory of a long path. It stays open because the address contains the number of its descriptor.
    private let directory: FileDescriptor?

    /// The maximum length in bytes of a path that is used directly.
    package static let pathLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Creates the address of a path of any length.
    ///
    /// - Throws: `nameTooLong` if the last component of the path is too long, `invalidArgument` if the path is empty or
    ///   contains a zero byte, or the error of opening the directory.
    package init(path: String) throws(Errno) {
        guard path.utf8.count > Self.pathLimit, let slash = path.lastIndex(of: "/") else {
            try self.init(verbatim: path, keeping: nil)
            return
        }
        let parent = slash == path.startIndex ? "/" : String(path[..<slash])
        let directory = try FileDescriptor.open(parent, [.pathOnly, .directory])
        try self.init(name: String(path[path.index(after: slash)...]), in: directory)
    }

    /// The maximum length in bytes of a name in an open directory. The limit is valid for every number that the
    /// directory's descriptor can have.
    package static let nameLimit = pathLimit - "/proc/self/fd/2147483647/".utf8.count

    /// Creates the address of a socket with the given name in an open directory.
    ///
    /// - Throws: `nameTooLong` if the name is longer than `nameLimit`.
    package init(name: String, in directory: FileDescriptor) throws(Errno) {
        guard name.utf8.count <= Self.nameLimit else { throw .nameTooLong }
        try self.init(verbatim: "/proc/self/fd/\(directory.rawValue)/\(name)", keeping: directory)
    }

    private init(verbatim path: String, keeping directory: FileDescriptor?) throws(Errno) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .invalidArgument }
        guard path.utf8.count <= Self.pathLimit else { throw .nameTooLong }
        var raw = sockaddr_un()
        raw.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &raw.sun_path) { $0.copyBytes(from: path.utf8) }
        self.raw = raw
        self.directory = directory
    }

    /// Calls a function with the address as a C structure, and the size of the structure in bytes.
    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: raw) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

extension FileDescriptor {
    /// Returns a blocking stream socket that is connected to another program's listening socket.
    ///
    /// If the listener's backlog is full, blocks for at most ten seconds, and then throws `timedOut`.
    package static func connectedStream(to address: LocalSocketAddress) throws(Errno) -> FileDescriptor {
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let stream = FileDescriptor(owning: try retrying { socket(AF_UNIX, kind, 0) })
        try stream.connect(to: address, timeoutMilliseconds: 10_000)
        return stream
    }

    /// Connects this local socket. If the listener's backlog is full, blocks until there is space, and throws
    /// `timedOut` after the given time.
    func connect(to address: LocalSocketAddress, timeoutMilliseconds: Int) throws(Errno) {
        let flags = try retrying { fcntl(rawValue, F_GETFL) }
        // A non-blocking connect(2) fails with EAGAIN if the backlog is full, and poll(2) cannot wait for space in it.
        // A blocking connect(2) with a send timeout waits for space.
        try retrying { fcntl(rawValue, F_SETFL, flags & ~O_NONBLOCK) }
        try setSendTimeout(milliseconds: timeoutMilliseconds)
        do {
            try retrying { address.withSocketAddress { Glibc.connect(rawValue, $0, $1) } }
        } catch {
            throw error == .wouldBlock ? .timedOut : error
        }
        try setSendTimeout(milliseconds: 0)
        try retrying { fcntl(rawValue, F_SETFL, flags) }
    }

    /// Sets the maximum time for which a blocking write or connect waits (SO_SNDTIMEO). 0 means no limit.
    private func setSendTimeout(milliseconds: Int) throws(Errno) {
        var timeout = timeval(tv_sec: milliseconds / 1000, tv_usec: (milliseconds % 1000) * 1000)
        try retrying {
            setsockopt(rawValue, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }
    }
}
