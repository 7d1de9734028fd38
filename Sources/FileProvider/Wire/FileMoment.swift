import Conduit
import LinuxSystem

/// The status of a file at some moment, used to detect later writes.
package struct FileMoment: Message, Hashable {
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

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        device = try decoder.decode(forKey: 0)
        inode = try decoder.decode(forKey: 1)
        size = Int64(try decoder.decode(forKey: 2) as Int)
        modified = Int64(try decoder.decode(forKey: 3) as Int)
        changed = Int64(try decoder.decode(forKey: 4) as Int)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(device, forKey: 0)
        encoder.encode(inode, forKey: 1)
        encoder.encode(Int(size), forKey: 2)
        encoder.encode(Int(modified), forKey: 3)
        encoder.encode(Int(changed), forKey: 4)
    }

    /// Whether both are the same file with the same size and modification date. Ignores ``changed``, because renaming
    /// the file updates it.
    package func isDated(as other: FileMoment) -> Bool {
        device == other.device && inode == other.inode && size == other.size && modified == other.modified
    }
}
