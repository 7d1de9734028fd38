import LinuxSystem

/// Has the kernel tell of what happens in folders.
package protocol FolderWatcher: Sendable {
    /// Where it is told.
    var notices: FolderNotices { get }

    /// Adds a folder. Blocks, on the daemon in an extension's process.
    ///
    /// - Parameter folder: open for reading.
    /// - Throws: `noSpace` when as many folders are watched as may be.
    func watch(_ folder: FileDescriptor) throws(Errno) -> FolderNotices.Number
}

/// In a process that is not confined.
struct OwnFolderWatcher: FolderWatcher {
    let notices: FolderNotices

    init() throws(Errno) { notices = try FolderNotices() }

    func watch(_ folder: FileDescriptor) throws(Errno) -> FolderNotices.Number { try notices.add(folder) }
}
