import Glibc

/// The lasting identity of a folder: its file system, and the folder there. A disk that was unplugged and plugged in
/// again, or a machine that was started anew, gives the same one. Another folder at the same path, or another disk that
/// is mounted there, gives another.
///
/// An inode alone says little: the top of every ext4 has the same one, and a deleted folder's is given again. Device
/// numbers change with each start. So the identity of the file system and the time at which the folder was made are
/// compared too, and the kernel's file handle where the file system knows no such time. File systems on which none of
/// these last, such as FUSE, tell nothing: there all folders are alike.
package struct FolderIdentity: Sendable, Equatable {
    private let uuid: [UInt8]?
    private let birth: Int64?
    private let inode: UInt64?
    private let handle: KernelFileHandle?
    /// Whether the file system tells too little for good.
    package let needsMark: Bool

    /// Reads the identity of an open folder, which need not be open for reading.
    package init(of folder: FileDescriptor) throws(Errno) {
        let status = try folder.status()
        let hasPassingInodes = folder.hasPassingInodes
        birth = folder.birthTime
        inode = hasPassingInodes ? nil : status.identity.inode
        handle = birth == nil && !hasPassingInodes ? try? folder.kernelHandle() : nil
        // The file system is not asked over a mere handle to the folder.
        uuid = (try? folder.open(".", [.readOnly, .directory]))?.fileSystemUUID ?? folder.fileSystemUUID
        needsMark = birth == nil || hasPassingInodes
    }

    /// The identity as it is kept on disk: texts between slashes, empty where the file system says nothing.
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

    /// Whether a folder that was noted is this one, as far as both say.
    package func isSame(as noted: [UInt8]) -> Bool {
        let (own, other) = (Self.parts(bytes), Self.parts(noted))
        guard own.count >= 3, other.count >= 3 else { return false }
        // An older kernel tells a shorter identity of the same file system.
        let comparesSystem = own[0].count == other[0].count
        return zip(own, other).dropFirst(comparesSystem ? 0 : 1).allSatisfy { $0 == $1 || $0.isEmpty || $1.isEmpty }
    }

    private static func parts(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }
}

extension FileDescriptor {
    /// Opens a folder as a mere handle, by an absolute path that leads over no symbolic link.
    ///
    /// - Throws: `ELOOP` or `ENOTDIR` where one of the names is a link or a file.
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
    /// Whether this directory is `folder` or lies beneath it, by whatever paths the two were opened. Compares the
    /// device and inode of each ancestor.
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

    /// Whether one of two directories is the other or lies beneath it.
    package func overlaps(_ folder: FileDescriptor) throws(Errno) -> Bool {
        if try isWithin(folder) { return true }
        return try folder.isWithin(self)
    }
}
