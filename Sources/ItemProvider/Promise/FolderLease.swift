import LinuxSystem

/// A consumer's hold on a directory that a provider in another process offered as a copy.
///
/// The provider may delete the directory as soon as its completion call returns, so that call waits until the
/// consumer has copied the directory's contents. A file needs no lease: an open descriptor keeps the bytes of a file,
/// but not the entries of a directory.
///
/// The lease is an open socket that is sent with the directory. It ends when the socket is closed or the consumer
/// dies.
package final class FolderLease: Sendable {
    private let held: Lock<FileDescriptor?>

    package init(_ socket: FileDescriptor) {
        held = Lock(socket)
    }

    /// The socket, while the lease is held.
    package var socket: FileDescriptor? { held.withLock { $0 } }

    /// Ends the lease.
    package func end() {
        let socket = held.withLock { held in
            defer { held = nil }
            return held
        }
        withExtendedLifetime(socket) {}
    }
}
