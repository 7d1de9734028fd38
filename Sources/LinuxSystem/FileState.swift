/// The state of a file at a moment. It equals a later state as long as nothing of the file was changed.
///
/// Size and modification date alone do not suffice: programs set dates back, and a new file may get the inode of a
/// removed one. Programs cannot set the date of the last change of any kind (ctime).
package struct FileState: Equatable, Sendable {
    private let identity: FileStatus.Identity
    private let size: Int
    private let modified: FileTime
    private let changed: FileTime

    package init(_ status: FileStatus) {
        identity = status.identity
        size = status.size
        modified = FileTime(status.modified)
        changed = FileTime(status.changed)
    }
}
