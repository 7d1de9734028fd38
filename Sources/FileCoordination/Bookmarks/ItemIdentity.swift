import Conduit
import Glibc
import LinuxSystem

/// What tells a file or folder from every other one, whatever it is called and wherever it lies.
///
/// The inode with its handle, where the file system has one: the handle of a file that comes later differs, though its inode
/// may be the same. Elsewhere the time at which the file was made takes its place.
package struct ItemIdentity: Message, Hashable {
    let device: UInt64
    let inode: UInt64
    /// What statfs(2) calls the file system. Device numbers are given out anew when the machine starts.
    let fileSystem: UInt64?
    let handle: KernelFileHandle?
    let born: Int64?
    let isDirectory: Bool

    /// That of an open file; a descriptor that holds no more than the path will do.
    package init(of file: FileDescriptor) throws(Errno) {
        let status = try file.status()
        device = status.identity.device
        inode = status.identity.inode
        isDirectory = status.kind == .directory
        fileSystem = file.fileSystemIdentifier
        handle = try? file.kernelHandle()
        born = file.birthTime
    }

    /// Whether both are of the same file.
    func isSame(as other: ItemIdentity) -> Bool {
        guard inode == other.inode, isDirectory == other.isDirectory else { return false }
        if let handle, let otherHandle = other.handle, handle != otherHandle { return false }
        // A file system may get another number, and another name, each time it is mounted. Where both of these are the same,
        // down to the nanosecond, the file is.
        if handle != nil, other.handle != nil, let born, born == other.born { return true }
        guard isOnSameFileSystem(as: other) else { return false }
        if let born, let otherBorn = other.born { return born == otherBorn }
        return true
    }

    func isOnSameFileSystem(as other: ItemIdentity) -> Bool {
        device == other.device || (fileSystem != nil && fileSystem == other.fileSystem)
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        device = try decoder.decode(forKey: 0)
        inode = try decoder.decode(forKey: 1)
        fileSystem = try decoder.decodeIfPresent(forKey: 2)
        let type: Int32? = try decoder.decodeIfPresent(forKey: 3)
        let bytes: ByteString? = try decoder.decodeIfPresent(forKey: 4)
        born = try decoder.decodeIfPresent(forKey: 5)
        isDirectory = try decoder.decode(forKey: 6)
        if let type, let bytes {
            handle = KernelFileHandle(type: type, bytes: bytes.bytes)
        } else {
            handle = nil
        }
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(device, forKey: 0)
        encoder.encode(inode, forKey: 1)
        encoder.encodeIfPresent(fileSystem, forKey: 2)
        encoder.encodeIfPresent(handle?.type, forKey: 3)
        encoder.encodeIfPresent(handle.map { ByteString($0.bytes) }, forKey: 4)
        encoder.encodeIfPresent(born, forKey: 5)
        encoder.encode(isDirectory, forKey: 6)
    }
}
