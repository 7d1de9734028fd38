import CLinux
import Glibc

extension FileStatus {
    /// Whether the content is, as far as the file system tells, what it was when the other status was read: same file,
    /// same size, same time of modification. A change of owner, mode, name or links is not one of content.
    package func hasSameContent(as other: FileStatus) -> Bool {
        identity == other.identity && raw.st_size == other.raw.st_size
            && raw.st_mtim.tv_sec == other.raw.st_mtim.tv_sec && raw.st_mtim.tv_nsec == other.raw.st_mtim.tv_nsec
    }

    /// Whether the file takes less room than its size, so that it probably has holes.
    package var isSparse: Bool { Int(raw.st_blocks) * 512 < size }

    /// When the content was last changed, in whole seconds since 1970.
    package var modifiedSeconds: Int { raw.st_mtim.tv_sec }

    /// Kind and permissions as one number, the kind above.
    package var mode: mode_t { raw.st_mode }
}
