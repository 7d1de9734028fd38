import Glibc
import LinuxSystem

/// A consumer's hold on a directory that a provider in another process offered as a copy.
///
/// The provider may delete the directory as soon as the completion handler that it calls returns. Therefore that
/// handler blocks until the consumer has copied the directory's contents. A file needs no lease: an open descriptor
/// preserves the bytes of a file, but not the entries of a directory.
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

/// A directory on its way to a consumer, with the provider's end of the consumer's ``FolderLease``.
struct LeasedFolder {
    /// The supply for the consumer, with the lease.
    let supply: Supply
    /// The provider's end of the socket. It becomes readable when the consumer ends the lease.
    let end: FileDescriptor

    /// The maximum time for which a provider's thread waits for the end of a lease, in case the consumer's process is
    /// stopped.
    private static let longestWaitMilliseconds: CInt = 60_000

    /// Adds a lease to a supply.
    ///
    /// - Returns: `nil` if the supply needs no lease, or if no socket can be created. In the second case, the
    ///   consumer's copy fails with a specific error if the directory changes during the copy.
    init?(_ supply: Supply) {
        guard case .file(let file) = supply, file.isDirectory, !file.isOfferedInPlace,
            let (near, far) = try? SequencedPacketSocket.pair()
        else { return nil }
        end = near.descriptor
        self.supply = .file(
            SuppliedFile(
                descriptor: file.descriptor, isDirectory: true, path: file.path, name: file.name,
                isOfferedInPlace: false, isCoordinated: file.isCoordinated, lease: FolderLease(far.descriptor)))
    }

    /// Blocks until the consumer has ended the lease. This process must not keep a copy of the consumer's end.
    static func wait(for end: FileDescriptor) {
        var poll = pollfd(fd: end.rawValue, events: Int16(POLLIN), revents: 0)
        while Glibc.poll(&poll, 1, longestWaitMilliseconds) < 0, errno == EINTR {}
    }
}
