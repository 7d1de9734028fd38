import LinuxSystem

/// The reason why a path cannot be listened at.
package enum ListenerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process listens at the path.
    case inUse(path: String)
    /// The path exists and is not a socket. It is left alone.
    case notASocket(path: String)
    /// The directory belongs to another user, or other users may enter it.
    case unsafeDirectory(path: String)
    case system(Errno, path: String)

    package var description: String {
        switch self {
        case .inUse(let path): "\(path): another process listens here"
        case .notASocket(let path): "\(path): there is something here that is not a socket"
        case .unsafeDirectory(let path): "\(path): the folder is not this user's alone (owner and mode 0700 are needed)"
        case .system(let error, let path): "\(path): \(error)"
        }
    }
}
