import CLinux
import Glibc

/// What a file system calls a file for good, whatever its names: name_to_handle_at(2). A file that gets the same inode after
/// this one was deleted has another handle.
package struct KernelFileHandle: Sendable, Hashable {
    package let type: Int32
    package let bytes: [UInt8]

    package init(type: Int32, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }
}

extension FileDescriptor {
    /// The handle of this file. Fails with `notSupported` where the file system has none, and with `notPermitted` in a
    /// confined process.
    package func kernelHandle() throws(Errno) -> KernelFileHandle {
        var type: Int32 = 0
        var length = UInt32(CLINUX_HANDLE_ROOM)
        var bytes = [UInt8](repeating: 0, count: Int(length))
        try retrying { clinux_handle_of(rawValue, &type, &bytes, &length) }
        return KernelFileHandle(type: type, bytes: Array(bytes.prefix(Int(length))))
    }

    /// Opens a file of this file system by its handle. Fails with `notPermitted` without CAP_DAC_READ_SEARCH, and with
    /// `ESTALE` when there is no such file any more.
    package func open(_ handle: KernelFileHandle, _ options: OpenOptions) throws(Errno) -> FileDescriptor {
        FileDescriptor(
            owning: try retrying {
                clinux_open_handle(
                    rawValue, handle.type, handle.bytes, UInt32(handle.bytes.count), options.rawValue | O_CLOEXEC)
            })
    }

    /// What statfs(2) calls the file system; `nil` where that says nothing.
    package var fileSystemIdentifier: UInt64? {
        var identifier: UInt64 = 0
        return clinux_filesystem_identifier(rawValue, &identifier) == 0 && identifier != 0 ? identifier : nil
    }

    /// The identity that the file system was given when it was made; `nil` where it has none or the kernel cannot be asked.
    package var fileSystemUUID: [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let length = clinux_filesystem_uuid(rawValue, &bytes)
        return length > 0 ? Array(bytes.prefix(Int(length))) : nil
    }

    /// Tells the mount through which this was opened from others; 0 where the kernel does not.
    package var mountIdentifier: UInt64 { clinux_mount_identifier(rawValue) }

    /// Whether the file system has other inodes each time that it is mounted, as FAT.
    package var hasPassingInodes: Bool { clinux_has_passing_inodes(rawValue) != 0 }

    /// When the file was made, in nanoseconds since 1970; `nil` where the file system does not know.
    package var birthTime: Int64? {
        var nanoseconds: Int64 = 0
        return clinux_birth_time(rawValue, &nanoseconds) == 0 ? nanoseconds : nil
    }

    /// The status of a name in this folder, a link not followed, with the time at which the file was made, in nanoseconds since 1970: 0
    /// where the file system does not know.
    package func statusAndBirth(of name: FileName) throws(Errno) -> (status: FileStatus, birth: Int64) {
        var (raw, birth) = (stat(), Int64(0))
        try retrying { clinux_status_and_birth(rawValue, name.characters, &raw, &birth) }
        return (FileStatus(raw), birth)
    }

    /// The same of the open file.
    package func statusAndBirth() throws(Errno) -> (status: FileStatus, birth: Int64) {
        var (raw, birth) = (stat(), Int64(0))
        try retrying { clinux_status_and_birth(rawValue, "", &raw, &birth) }
        return (FileStatus(raw), birth)
    }

    /// Gives this open file one more name. Fails with `fileExists` where that is taken, and with `crossDevice` on another
    /// file system.
    package func link(into directory: FileDescriptor, as name: FileName) throws(Errno) {
        try retrying { clinux_link_descriptor(rawValue, directory.rawValue, name.characters) }
    }

    /// Takes this file's advisory lock for as long as the descriptor is open. `false` where another open has it.
    package func tryLock() -> Bool { clinux_try_lock(rawValue) == 0 }
}
