import Glibc

/// A path in the form bind(2) and connect(2) want it.
///
/// `sun_path` holds 108 bytes. A longer path is reached through the descriptor of its directory, as
/// `/proc/self/fd/N/name`, so that only the last component has to be short.
package struct LocalSocketAddress: Sendable {
    private let raw: sockaddr_un
    /// Keeps the directory's number valid for as long as the address that mentions it.
    private let directory: FileDescriptor?

    /// The most bytes a path may have to be used directly.
    package static let pathLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// The address of a path of any length. Fails with `nameTooLong` when the last component alone is too long,
    /// with the reason when the directory cannot be opened, and with `invalidArgument` for a path with a zero byte.
    package init(path: String) throws(Errno) {
        guard path.utf8.count > Self.pathLimit, let slash = path.lastIndex(of: "/") else {
            try self.init(verbatim: path, keeping: nil)
            return
        }
        let parent = slash == path.startIndex ? "/" : String(path[..<slash])
        let directory = try FileDescriptor.open(parent, [.pathOnly, .directory])
        try self.init(name: String(path[path.index(after: slash)...]), in: directory)
    }

    /// The most bytes a name in a directory may have, whatever the number of the directory's descriptor.
    package static let nameLimit = pathLimit - "/proc/self/fd/2147483647/".utf8.count

    /// The address of a name in an open directory. Fails with `nameTooLong` beyond `nameLimit`.
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

    /// Calls a function with the address as C takes it.
    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: raw) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
