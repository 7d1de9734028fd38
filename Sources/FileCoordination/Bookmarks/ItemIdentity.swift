import Conduit
import Glibc
import LinuxSystem

/// The identity of a file or directory, which does not depend on its path.
///
/// It consists of the inode number, and of the file handle and the birth time if the file system supports them. A later
/// file with the same inode number has another handle and another birth time.
package struct ItemIdentity: SchemaMessage, Hashable {
    let device: UInt64
    let inode: UInt64
    /// The file system's identifier according to statfs(2). Device numbers may change when the machine restarts.
    let fileSystem: UInt64?
    let handle: KernelFileHandle?
    let born: Int64?
    let isDirectory: Bool

    /// Reads the identity of an open file. A descriptor opened with `O_PATH` suffices.
    package init(of file: FileDescriptor) throws(Errno) {
        let status = try file.status()
        device = status.identity.device
        inode = status.identity.inode
        isDirectory = status.kind == .directory
        fileSystem = file.fileSystemIdentifier
        handle = try? file.kernelHandle()
        born = file.birthTime
    }

    /// Whether both values identify the same file.
    func isSame(as other: ItemIdentity) -> Bool {
        guard inode == other.inode, isDirectory == other.isDirectory else { return false }
        if let handle, let otherHandle = other.handle, handle != otherHandle { return false }
        // A file system may get another device number and identifier each time it is mounted. If handle and birth
        // time are equal, down to the nanosecond, it is the same file.
        if handle != nil, other.handle != nil, let born, born == other.born { return true }
        guard isOnSameFileSystem(as: other) else { return false }
        if let born, let otherBorn = other.born { return born == otherBorn }
        return true
    }

    func isOnSameFileSystem(as other: ItemIdentity) -> Bool {
        device == other.device || (fileSystem != nil && fileSystem == other.fileSystem)
    }

    private init(
        device: UInt64, inode: UInt64, fileSystem: UInt64?, handleType: Int32?, handleBytes: [UInt8]?, born: Int64?,
        isDirectory: Bool
    ) {
        self.device = device
        self.inode = inode
        self.fileSystem = fileSystem
        handle =
            if let handleType, let handleBytes { KernelFileHandle(type: handleType, bytes: handleBytes) } else { nil }
        self.born = born
        self.isDirectory = isDirectory
    }

    package static let schema = Schema(
        Self.init(device:inode:fileSystem:handleType:handleBytes:born:isDirectory:), Field(0, \.device),
        Field(1, \.inode), Field(2, \.fileSystem), Field(3, \.handle?.type), Field(4, bytes: \.handle?.bytes),
        Field(5, \.born), Field(6, \.isDirectory))
}
