import CLinux
import Glibc

/// A watch of many directories (inotify(7)). The descriptor is readable while there are notices.
///
/// The notices report changes that programs on this machine make to names and files. They report neither changes
/// through a memory map, nor changes that other machines make on a shared file system.
package struct FolderNotices: Sendable {
    package let descriptor: FileDescriptor

    /// The inotify watch descriptor of a directory. It is unique within one ``FolderNotices``, and is not reused.
    package typealias Number = CInt

    package enum Notice: Sendable, Hashable {
        /// A name was removed from the directory or moved into it, or the attributes of the file with this name were
        /// changed. If the name is `nil`, the dates or permissions of the directory itself were changed.
        case changed(Number, FileName?)
        /// The file with this name was created, written, or closed after it was open for writing. Its contents may have
        /// changed.
        case written(Number, FileName)
        /// The watch of the directory has ended, because the directory was removed or its file system was unmounted.
        case ended(Number)
        /// The kernel's queue overflowed, so that notices were lost. Any watched directory may have changed.
        case lost
    }

    /// Creates a watch that watches no directories yet.
    package init() throws(Errno) {
        descriptor = FileDescriptor(
            owning: try retrying { inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC)) })
    }

    /// Wraps an inotify descriptor that another process has created. That process adds the directories.
    package init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    /// The type numbers, according to statfs(2), of shared file systems: NFS, SMB in three versions, FUSE, 9P, Ceph,
    /// AFS in two implementations, Coda, the shared folders of VirtualBox and VMware, OCFS2, GFS2, Lustre.
    private static let shared: Set<Int64> = [
        0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x00C3_6400, 0x5346_414F, 0x6B41_4653,
        0x7375_7245, 0x786F_4256, 0xBACB_ACBC, 0x7461_636F, 0x0116_1970, 0x0BD0_0BD0,
    ]

    /// The events after which a file may have other contents.
    private static let writes = UInt32(IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE)
    private static let events = UInt32(
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_ONLYDIR
            | IN_EXCL_UNLINK)

    /// Adds a directory, and returns its watch descriptor. If the directory is already watched, returns its existing
    /// watch descriptor.
    ///
    /// - Parameter folder: the directory, which must be open for reading. This proves that the process may list it.
    /// - Throws: `noSpace` if the user's limit of watches is reached; `notSupported` for a file system on which other
    ///   machines or user-space servers make changes that the kernel does not know.
    package func add(_ folder: FileDescriptor) throws(Errno) -> Number {
        guard folder.isOpenForReading else { throw .permissionDenied }
        guard !Self.shared.contains(clinux_filesystem_type(folder.rawValue)) else { throw .notSupported }
        return try retrying {
            inotify_add_watch(descriptor.rawValue, "/proc/self/fd/\(folder.rawValue)", Self.events)
        }
    }

    /// Stops watching a directory. Does nothing if the directory was removed.
    package func remove(_ folder: Number) { inotify_rm_watch(descriptor.rawValue, folder) }

    /// Returns the number of directories that are watched now. Directories that were removed do not count.
    package func folderCount() throws(Errno) -> Int {
        let file = try FileDescriptor.open("/proc/self/fdinfo/\(descriptor.rawValue)", [.readOnly])
        return try file.readToEnd(limit: 64 << 20).split(separator: UInt8(ascii: "\n")).count {
            $0.starts(with: "inotify ".utf8)
        }
    }

    /// The maximum number of reads per call of ``take()``. Because of this limit, the call returns even if events keep
    /// arriving.
    private static let mostReads = 64

    /// Returns the notices since the last call, without duplicates. Never blocks.
    package func take() throws(Errno) -> Set<Notice> {
        var notices: Set<Notice> = []
        try withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer throws(Errno) in
            for _ in 0..<Self.mostReads {
                let count: Int
                do throws(Errno) {
                    count = try descriptor.read(into: buffer)
                } catch .wouldBlock {
                    return
                }
                guard count > 0 else { return }
                Self.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &notices)
            }
        }
        return notices
    }

    private static func read(_ bytes: UnsafeRawBufferPointer, into notices: inout Set<Notice>) {
        let head = MemoryLayout<inotify_event>.size
        var position = 0
        while position + head <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: position, as: inotify_event.self)
            let name = bytes[(position + head)...].prefix(Int(event.len)).prefix { $0 != 0 }
            position += head + Int(event.len)
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                notices.insert(.lost)
            } else if event.mask & UInt32(IN_IGNORED) != 0 {
                notices.insert(.ended(event.wd))
            } else {
                let name = FileName(bytes: Array(name))
                if let name, event.mask & writes != 0 {
                    notices.insert(.written(event.wd, name))
                } else {
                    notices.insert(.changed(event.wd, name))
                }
            }
        }
    }
}

/// A watch that reports when a name in a directory is removed or moved away (inotify(7)): its descriptor becomes
/// readable.
///
/// The watch reports no details, so the caller must examine the directory. The removal of the directory itself is not
/// reported as long as a process uses the directory. The removal of its contents is reported in any case.
package struct FolderWatch: Sendable {
    package let descriptor: FileDescriptor

    package init(_ path: String) throws(Errno) {
        descriptor = FileDescriptor(
            owning: try retrying { inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC)) })
        let events = UInt32(IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
        try retrying { inotify_add_watch(descriptor.rawValue, path, events) }
    }

    /// Discards the reported events. The descriptor is not readable until the next event.
    package func reset() {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
            // EAGAIN means that everything was read.
            while let count = try? descriptor.read(into: buffer), count > 0 {}
        }
    }
}
