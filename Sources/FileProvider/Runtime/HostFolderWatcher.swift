import Conduit
import LinuxSystem

/// In an extension's process, which may not have the kernel watch anything: its host adds the folders that the extension has been
/// able to open, and the kernel tells the extension.
struct HostFolderWatcher: FolderWatcher {
    let notices: FolderNotices
    private let connection: Connection

    /// Blocks on the host.
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
