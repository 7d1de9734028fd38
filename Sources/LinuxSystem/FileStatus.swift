import CLinux
import Glibc

/// The status of a file: its kind, size, identity and times.
package struct FileStatus: Sendable {
    package enum Kind: Sendable, Equatable {
        case regular, directory, symbolicLink, fifo, socket, characterDevice, blockDevice, unknown

        init(mode: mode_t) {
            self =
                switch mode & S_IFMT {
                case S_IFREG: .regular
                case S_IFDIR: .directory
                case S_IFLNK: .symbolicLink
                case S_IFIFO: .fifo
                case S_IFSOCK: .socket
                case S_IFCHR: .characterDevice
                case S_IFBLK: .blockDevice
                default: .unknown
                }
        }

        /// A phrase for the kind, to be used in messages.
        package var words: String {
            switch self {
            case .regular: "a file"
            case .directory: "a folder"
            case .symbolicLink: "a symbolic link"
            case .fifo: "a named pipe"
            case .socket: "a socket"
            case .characterDevice, .blockDevice: "a device"
            case .unknown: "of a kind that is not known"
            }
        }
    }

    /// The identity of a file, independent of its names: the device number and the inode number.
    package struct Identity: Hashable, Sendable {
        package let device: UInt64
        package let inode: UInt64

        package init(device: UInt64, inode: UInt64) {
            self.device = device
            self.inode = inode
        }
    }

    package let raw: stat

    package init(_ raw: stat) { self.raw = raw }

    package var kind: Kind { Kind(mode: raw.st_mode) }

    /// The size in bytes.
    package var size: Int { Int(raw.st_size) }
    /// The number of bytes that the file occupies on disk. For a sparse file, this is less than its size.
    package var allocatedSize: Int { Int(raw.st_blocks) * 512 }
    /// The permission bits, without the bits for the kind of file.
    package var permissions: mode_t { raw.st_mode & 0o7777 }
    package var identity: Identity { Identity(device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino)) }
    /// The number of the file's names (hard links); 0 if it has none any more.
    package var linkCount: Int { Int(raw.st_nlink) }
    package var owner: uid_t { raw.st_uid }
    package var modified: timespec { raw.st_mtim }
    package var accessed: timespec { raw.st_atim }
    /// The time of the last change of content, name, owner or mode. Programs cannot set it.
    package var changed: timespec { raw.st_ctim }
    /// The time of the last change of content. Unlike ``modifiedNanoseconds``, the value can represent any year.
    package var modificationTime: FileTime { FileTime(raw.st_mtim) }
    /// The time ``modified`` in nanoseconds since 1970. A time outside of the years 1678 to 2261 is clamped to the
    /// range of `Int64`.
    package var modifiedNanoseconds: Int64 { Self.nanoseconds(raw.st_mtim) }
    /// The time ``changed`` in nanoseconds since 1970. A time outside of the years 1678 to 2261 is clamped to the range
    /// of `Int64`.
    package var changedNanoseconds: Int64 { Self.nanoseconds(raw.st_ctim) }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (whole, isTooFar) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooMuch) = whole.addingReportingOverflow(Int64(time.tv_nsec))
        return isTooFar || isTooMuch ? (time.tv_sec < 0 ? .min : .max) : sum
    }

    /// Returns the status of the file at the given path. If the path leads to a symbolic link and `followingLinks` is
    /// `true`, returns the status of the link's target.
    package static func of(_ path: String, followingLinks: Bool = true) throws(Errno) -> FileStatus {
        var raw = stat()
        try retrying { fstatat(AT_FDCWD, path, &raw, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) }
        return FileStatus(raw)
    }
}

extension FileDescriptor {
    /// Returns the status of the open file. The corresponding C function is `fstat`.
    package func status() throws(Errno) -> FileStatus {
        var raw = stat()
        try retrying { fstat(rawValue, &raw) }
        return FileStatus(raw)
    }

    /// The kind of the open file, from the kernel's cache. No request is sent to a remote or user-space server.
    package var knownKind: FileStatus.Kind {
        var mode: UInt32 = 0
        return clinux_known_mode(rawValue, &mode) == 0 ? FileStatus.Kind(mode: mode_t(mode)) : .unknown
    }

    /// Whether the file is open for reading. An `O_PATH` descriptor is not open for reading.
    package var isOpenForReading: Bool {
        let mode = fcntl(rawValue, F_GETFL)
        return mode >= 0 && mode & OpenOptions.pathOnly.rawValue == 0 && mode & O_ACCMODE != O_WRONLY
    }

    /// Returns the status of the entry of this directory with the given name. A symbolic link is not followed.
    package func status(of name: String) throws(Errno) -> FileStatus {
        var raw = stat()
        try retrying { fstatat(rawValue, name, &raw, AT_SYMLINK_NOFOLLOW) }
        return FileStatus(raw)
    }
}

extension FileStatus {
    /// Whether both statuses have the same identity, size and modification time. If so, the file's content has probably
    /// not changed between them. The owner, the mode and the number of links are not compared.
    package func hasSameContent(as other: FileStatus) -> Bool {
        identity == other.identity && raw.st_size == other.raw.st_size
            && raw.st_mtim.tv_sec == other.raw.st_mtim.tv_sec && raw.st_mtim.tv_nsec == other.raw.st_mtim.tv_nsec
    }

    /// Whether the file occupies less space on disk than its size, so that it probably has holes.
    package var isSparse: Bool { Int(raw.st_blocks) * 512 < size }

    /// The modification time in whole seconds since 1970.
    package var modifiedSeconds: Int { raw.st_mtim.tv_sec }

    /// The kind and the permissions as one number. The upper bits are the kind.
    package var mode: mode_t { raw.st_mode }
}

/// The values that show whether a file was changed. Two states of a file are equal only if the file was not changed
/// between them.
///
/// The size and modification date do not suffice, because programs can restore the date, and a new file may get the
/// inode number of a removed file. Therefore the state includes the ctime, the time of the last change of any kind,
/// which programs cannot set.
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

extension FileDescriptor {
    /// Whether any process has the file open for writing now, through any path or mount. The value is also `true` if
    /// the file system does not support leases.
    ///
    /// The check requests a read lease, which the kernel grants only on a file without writers (F_SETLEASE of
    /// fcntl(2)).
    ///
    /// - Precondition: this descriptor is open for reading only, and the file belongs to this process's user.
    package var hasWriters: Bool {
        // If a process opens the file meanwhile, the kernel signals the holder of the lease. The default signal,
        // SIGIO, would end this process.
        guard fcntl(rawValue, Self.setSignal, SIGURG) == 0, fcntl(rawValue, Self.setLease, F_RDLCK) == 0 else {
            return true
        }
        _ = fcntl(rawValue, Self.setLease, F_UNLCK)
        return false
    }

    /// The value of F_SETSIG, which the Glibc module does not export. `setLease` is the value of F_SETLEASE.
    private static let setSignal: CInt = 10
    private static let setLease: CInt = 1024
}
