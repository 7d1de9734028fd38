import Conduit
import FileProviderWire
import LinuxSystem

/// A directory watcher for an extension's process, which is confined and may not create watches itself. The host passes
/// a descriptor from which the extension reads the kernel's notifications, and adds watches for directories that the
/// extension has open.
struct HostFolderWatcher: FolderWatcher {
    let notices: FolderNotices
    private let connection: Connection

    /// Creates the watcher. Blocks until the host replies.
    init(_ connection: Connection) throws(Errno) {
        self.connection = connection
        notices = FolderNotices(try Self.ask(ProviderNoticesCall(), connection).descriptor)
    }

    func watch(_ folder: FileDescriptor) throws(Errno) -> FolderNotices.Number {
        try Self.ask(ProviderWatchCall(folder: folder), connection).number
    }

    private static func ask<C: Call>(_ request: C, _ connection: Connection) throws(Errno) -> C.Reply {
        do throws(ConduitError) {
            return try connection.callAndWait(request)
        } catch {
            guard case .remote(let failure) = error, failure.domain == ProviderWatchCall.failureDomain else {
                throw .inputOutput
            }
            throw Errno(rawValue: CInt(truncatingIfNeeded: failure.code))
        }
    }
}

/// A watcher that reports the kernel's notifications of changes in directories.
package protocol FolderWatcher: Sendable {
    /// The notifications.
    var notices: FolderNotices { get }

    /// Adds a directory. In an extension's process, blocks until the host replies.
    ///
    /// - Parameter folder: the directory, open for reading.
    /// - Throws: `noSpace` if the limit of watched directories is reached.
    func watch(_ folder: FileDescriptor) throws(Errno) -> FolderNotices.Number
}

/// The watcher of a process that is not confined.
struct OwnFolderWatcher: FolderWatcher {
    let notices: FolderNotices

    init() throws(Errno) { notices = try FolderNotices() }

    func watch(_ folder: FileDescriptor) throws(Errno) -> FolderNotices.Number { try notices.add(folder) }
}
