import LinuxSystem

/// A watcher that reports the kernel's notifications of changes in directories.
package protocol FolderWatcher: Sendable {
    /// The notifications.
    var notices: FolderNotices { get }

    /// Adds a directory. Blocks. In an extension's process, waits for the daemon.
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
