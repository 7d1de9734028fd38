import Glibc

/// The permanent identity of a directory: the identity of the file system, and the identity of the directory in the
/// file system. It stays the same when a disk is unplugged and plugged in again, and when the machine restarts. If
/// another directory is at the same path, or another disk is mounted there, the identity is different.
///
/// An inode number does not suffice: the top directories of all ext4 file systems have the same number, and the number
/// of a removed directory is reused. Device numbers change when the machine restarts. Therefore the identity of the
/// file system and the creation time of the directory are compared, too. If the file system does not record creation
/// times, the kernel's file handle is compared instead. Some file systems, such as FUSE, have none of these. On them,
/// all directories have the same identity.
package struct FolderIdentity: Sendable, Equatable {
    private let uuid: [UInt8]?
    private let birth: Int64?
    private let inode: UInt64?
    private let handle: KernelFileHandle?
    /// Whether the file system does not supply enough values to identify the directory permanently. The caller must
    /// then store an identifier in the directory.
    package let needsMark: Bool

    /// Reads the identity of an open directory. A descriptor that is opened with O_PATH suffices.
    package init(of folder: FileDescriptor) throws(Errno) {
        let status = try folder.status()
        let hasPassingInodes = folder.hasPassingInodes
        birth = folder.birthTime
        inode = hasPassingInodes ? nil : status.identity.inode
        handle = birth == nil && !hasPassingInodes ? try? folder.kernelHandle() : nil
        // The UUID cannot be read through every O_PATH descriptor. Therefore the directory is opened for reading, if
        // possible.
        uuid = (try? folder.open(".", [.readOnly, .directory]))?.fileSystemUUID ?? folder.fileSystemUUID
        needsMark = birth == nil || hasPassingInodes
    }

    /// The identity as it is stored on disk: values in text form, separated by slashes. A value that the file system
    /// does not supply is empty.
    package var bytes: [UInt8] {
        let parts = [
            uuid.map(Self.digits), birth.map { "\($0)" }, inode.map { "\($0)" },
            handle.map { "\($0.type)-" + Self.digits($0.bytes) },
        ]
        let known = parts.last == .some(.none) ? parts.dropLast() : parts[...]
        return Array(known.map { $0 ?? "" }.joined(separator: "/").utf8)
    }

    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Whether the stored identity `noted` belongs to the same directory. Compares only the values that both identities
    /// have.
    package func isSame(as noted: [UInt8]) -> Bool {
        let (own, other) = (Self.parts(bytes), Self.parts(noted))
        guard own.count >= 3, other.count >= 3 else { return false }
        // An older kernel reports a shorter identifier of the same file system. Identifiers of different lengths are
        // not compared.
        let comparesSystem = own[0].count == other[0].count
        return zip(own, other).dropFirst(comparesSystem ? 0 : 1).allSatisfy { $0 == $1 || $0.isEmpty || $1.isEmpty }
    }

    private static func parts(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }
}

extension FileDescriptor {
    /// Opens a directory with O_PATH, by an absolute path without symbolic links.
    ///
    /// - Throws: `ELOOP` or `ENOTDIR` if a component of the path is a symbolic link or a file.
    package static func openFolder(withoutLinks path: String) throws(Errno) -> FileDescriptor {
        guard path.utf8.first == UInt8(ascii: "/") else { throw .invalidArgument }
        var folder = try open("/", [.pathOnly, .directory])
        for name in path.pathNames {
            guard let name = FileName(name) else { throw .invalidArgument }
            folder = try folder.open(entry: name, [.pathOnly, .directory])
        }
        return folder
    }
}

extension FileDescriptor {
    /// Whether this directory is `folder` or lies beneath it. Compares the device and inode of each ancestor, so that
    /// the result does not depend on the paths with which the directories were opened.
    package func isWithin(_ folder: FileDescriptor) throws(Errno) -> Bool {
        let wanted = try folder.status().identity
        let root = try FileDescriptor.open("/", [.pathOnly, .directory]).status().identity
        var current = self
        var identity = try status().identity
        for _ in 0..<Int(PATH_MAX) {
            if identity == wanted { return true }
            let parent = try current.open("..", [.pathOnly, .directory])
            let parentIdentity = try parent.status().identity
            // A directory that is bind-mounted on itself can be its own parent without being the root.
            if parentIdentity == identity, identity == root { return false }
            (current, identity) = (parent, parentIdentity)
        }
        throw .nameTooLong
    }

    /// Whether the two directories are the same, or one lies beneath the other.
    package func overlaps(_ folder: FileDescriptor) throws(Errno) -> Bool {
        if try isWithin(folder) { return true }
        return try folder.isWithin(self)
    }
}
