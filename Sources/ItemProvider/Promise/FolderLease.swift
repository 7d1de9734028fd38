import LinuxSystem

/// A consumer's hold on a folder that a provider in another process offered as a copy.
///
/// The provider may delete the folder as soon as its completion call returns, so that call waits until the consumer has
/// copied what is in it. A file needs no such thing: an open descriptor keeps its bytes, but that of a folder does not keep
/// what is in the folder.
///
/// The hold is an open socket that travels with the folder; closing it, or dying, lets go.
package final class FolderLease: Sendable {
    private let held: Lock<FileDescriptor?>

    package init(_ socket: FileDescriptor) {
        held = Lock(socket)
    }

    /// The socket, while the folder is still held.
    package var socket: FileDescriptor? { held.withLock { $0 } }

    /// Lets go of the folder.
    package func end() {
        let socket = held.withLock { held in
            defer { held = nil }
            return held
        }
        withExtendedLifetime(socket) {}
    }
}
