/// The state of a file at a moment: equal to a later one as long as nothing of the file was changed.
///
/// Size and date alone do not tell: programs set dates back, and a new file may get the inode of a removed one. The date of the last
/// change of any kind (ctime) cannot be set.
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
