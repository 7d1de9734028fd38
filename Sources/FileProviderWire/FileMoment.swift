import Conduit
import LinuxSystem

/// The status of a file at some moment, used to detect later writes.
package struct FileMoment: SchemaMessage, Hashable {
    package let device: UInt64
    package let inode: UInt64
    package let size: Int64
    /// The modification date, in nanoseconds since 1970.
    package let modified: Int64
    /// The time of the last status change (ctime), in nanoseconds since 1970. A comparison of this time detects writes
    /// by programs that reset the modification date.
    package let changed: Int64

    package init(_ status: FileStatus) {
        (device, inode) = (status.identity.device, status.identity.inode)
        (size, modified) = (Int64(status.size), status.modifiedNanoseconds)
        changed = status.changedNanoseconds
    }

    private init(device: UInt64, inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    package static let schema = Schema(
        Self.init(device:inode:size:modified:changed:), Field(0, \.device), Field(1, \.inode), Field(2, \.size),
        Field(3, \.modified), Field(4, \.changed))

    /// Whether both are the same file with the same size and modification date. Ignores ``changed``, because renaming
    /// the file updates it.
    package func isDated(as other: FileMoment) -> Bool {
        device == other.device && inode == other.inode && size == other.size && modified == other.modified
    }
}
