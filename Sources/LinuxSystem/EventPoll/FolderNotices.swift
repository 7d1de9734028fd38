import CLinux
import Glibc

/// What happens in many folders (inotify(7)): the descriptor is readable when there is news.
///
/// Told is what programs of this machine do to names and files. A change through a memory map is not told, nor what another
/// machine does on a file system that both have.
package struct FolderNotices: Sendable {
    package let descriptor: FileDescriptor

    /// Stands for a folder among those of one descriptor. It is not given to another one.
    package typealias Number = CInt

    package enum Notice: Sendable, Hashable {
        /// A name came or went in the folder, or its file was written; without a name, the folder itself is another one by its
        /// date or permissions.
        case changed(Number, FileName?)
        /// Nothing more is told of the folder: it was removed, or its file system unmounted.
        case ended(Number)
        /// More happened than the kernel keeps: anything may have changed.
        case lost
    }

    /// Of no folders yet.
    package init() throws(Errno) {
        descriptor = FileDescriptor(
            owning: try retrying { inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC)) })
    }

    /// Those that somebody else has made, who also adds the folders.
    package init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    /// By the numbers that statfs(2) gives: NFS, SMB in three ages, FUSE, 9P, Ceph, AFS in two kinds, Coda, VirtualBox's and
    /// VMware's shared folders, OCFS2, GFS2, Lustre.
    private static let shared: Set<Int64> = [
        0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x00C3_6400, 0x5346_414F, 0x6B41_4653,
        0x7375_7245, 0x786F_4256, 0xBACB_ACBC, 0x7461_636F, 0x0116_1970, 0x0BD0_0BD0,
    ]

    private static let events = UInt32(
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_ONLYDIR
            | IN_EXCL_UNLINK)

    /// Adds a folder. One that is among them already keeps its number.
    ///
    /// - Parameter folder: open for reading, as only those can have it who may see what is in it.
    /// - Throws: `noSpace` when the user has as many watches as the system allows; `notSupported` for a folder on a file system
    ///   that other machines, or servers of this one, change without the kernel's knowing.
    package func add(_ folder: FileDescriptor) throws(Errno) -> Number {
        guard folder.isOpenForReading else { throw .permissionDenied }
        guard !Self.shared.contains(clinux_filesystem_type(folder.rawValue)) else { throw .notSupported }
        return try retrying {
            inotify_add_watch(descriptor.rawValue, "/proc/self/fd/\(folder.rawValue)", Self.events)
        }
    }

    /// Lets go of a folder. One that is gone is ignored.
    package func remove(_ folder: Number) { inotify_rm_watch(descriptor.rawValue, folder) }

    /// How many folders there are, without those that went.
    package func folderCount() throws(Errno) -> Int {
        let file = try FileDescriptor.open("/proc/self/fdinfo/\(descriptor.rawValue)", [.readOnly])
        return try file.readToEnd(limit: 64 << 20).split(separator: UInt8(ascii: "\n")).count {
            $0.starts(with: "inotify ".utf8)
        }
    }

    /// Reads at once: what has happened since, not for ever while more happens.
    private static let mostReads = 64

    /// Takes what has happened, each thing once. Never blocks.
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
                notices.insert(.changed(event.wd, FileName(bytes: Array(name))))
            }
        }
    }
}
