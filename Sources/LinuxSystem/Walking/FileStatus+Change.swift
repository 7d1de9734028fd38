import CLinux
import Glibc

extension FileStatus {
    /// Whether the file has the same content as at another status, as far as the file system reports: same identity,
    /// size and modification time. A change of owner, mode, name or links does not count.
    package func hasSameContent(as other: FileStatus) -> Bool {
        identity == other.identity && raw.st_size == other.raw.st_size
            && raw.st_mtim.tv_sec == other.raw.st_mtim.tv_sec && raw.st_mtim.tv_nsec == other.raw.st_mtim.tv_nsec
    }

    /// Whether the file takes less room on disk than its size, so that it probably has holes.
    package var isSparse: Bool { Int(raw.st_blocks) * 512 < size }

    /// The time of the last change of content, in whole seconds since 1970.
    package var modifiedSeconds: Int { raw.st_mtim.tv_sec }

    /// The kind and permissions as one number, the kind in the upper bits.
    package var mode: mode_t { raw.st_mode }
}
