import CLinux
import Glibc

/// The permanent handle by which the file system identifies a file, independent of the file's names
/// (name_to_handle_at(2)). A later file with the same inode number has another handle.
package struct KernelFileHandle: Sendable, Hashable {
    package let type: Int32
    package let bytes: [UInt8]

    package init(type: Int32, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }
}

extension FileDescriptor {
    /// Returns the handle of this file.
    ///
    /// - Throws: `notSupported` if the file system has no handles, `notPermitted` in a confined process.
    package func kernelHandle() throws(Errno) -> KernelFileHandle {
        var type: Int32 = 0
        var length = UInt32(CLINUX_HANDLE_ROOM)
        var bytes = [UInt8](repeating: 0, count: Int(length))
        try retrying { clinux_handle_of(rawValue, &type, &bytes, &length) }
        return KernelFileHandle(type: type, bytes: Array(bytes.prefix(Int(length))))
    }

    /// Opens the file with the given handle, which must be on the same file system as this file.
    ///
    /// - Throws: `notPermitted` without CAP_DAC_READ_SEARCH, `ESTALE` if the file does not exist any more.
    package func open(_ handle: KernelFileHandle, _ options: OpenOptions) throws(Errno) -> FileDescriptor {
        FileDescriptor(
            owning: try retrying {
                clinux_open_handle(
                    rawValue, handle.type, handle.bytes, UInt32(handle.bytes.count), options.rawValue | O_CLOEXEC)
            })
    }

    /// The file system's ID according to statfs(2), or `nil` if there is none.
    package var fileSystemIdentifier: UInt64? {
        var identifier: UInt64 = 0
        return clinux_filesystem_identifier(rawValue, &identifier) == 0 && identifier != 0 ? identifier : nil
    }

    /// The UUID of the file system, or `nil` if it has none or the kernel cannot report it.
    package var fileSystemUUID: [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let length = clinux_filesystem_uuid(rawValue, &bytes)
        return length > 0 ? Array(bytes.prefix(Int(length))) : nil
    }

    /// The ID of the mount through which this file was opened, or 0 if the kernel does not report it.
    package var mountIdentifier: UInt64 { clinux_mount_identifier(rawValue) }

    /// Whether the inode numbers of the file system may change at every mount, as on FAT and FUSE.
    package var hasPassingInodes: Bool { clinux_has_passing_inodes(rawValue) != 0 }

    /// The time of the file's creation, in nanoseconds since 1970, or `nil` if the file system does not store it.
    package var birthTime: Int64? {
        var nanoseconds: Int64 = 0
        return clinux_birth_time(rawValue, &nanoseconds) == 0 ? nanoseconds : nil
    }

    /// Returns the status of the entry of this directory with the given name, and the creation time of its file. The
    /// creation time is in nanoseconds since 1970, or 0 if the file system does not store it. A symbolic link is not
    /// followed.
    package func statusAndBirth(of name: FileName) throws(Errno) -> (status: FileStatus, birth: Int64) {
        var (raw, birth) = (stat(), Int64(0))
        try retrying { clinux_status_and_birth(rawValue, name.characters, &raw, &birth) }
        return (FileStatus(raw), birth)
    }

    /// Returns the status of the open file, and its creation time in nanoseconds since 1970, or 0 if the file system
    /// does not store it.
    package func statusAndBirth() throws(Errno) -> (status: FileStatus, birth: Int64) {
        var (raw, birth) = (stat(), Int64(0))
        try retrying { clinux_status_and_birth(rawValue, "", &raw, &birth) }
        return (FileStatus(raw), birth)
    }

    /// Creates a hard link to this open file, with the given name.
    ///
    /// - Throws: `fileExists` if the directory has an entry with this name, `crossDevice` if the directory is on
    ///   another file system.
    package func link(into directory: FileDescriptor, as name: FileName) throws(Errno) {
        try retrying { clinux_link_descriptor(rawValue, directory.rawValue, name.characters) }
    }

    /// Acquires an exclusive advisory lock on this file (flock(2)). The lock is held until the descriptor is closed.
    /// Returns `false` if the lock is already held through another open of the file.
    package func tryLock() -> Bool { clinux_try_lock(rawValue) == 0 }
}
