import CLinux
import Glibc

/// A name in a directory and, if the file system's listing includes it, the kind of the file.
package struct DirectoryEntry: Sendable {
    package let name: FileName
    /// The inode number according to the listing. For a mount point, it is the number of the directory on which the
    /// file system is mounted.
    package let inode: UInt64
    /// The kind of the file; `nil` if the file system's listing does not include it.
    package let kind: FileStatus.Kind?
}

extension FileDescriptor {
    /// Returns all entries from the directory's current position on, except `.` and `..`, in no particular order.
    package func entries() throws(Errno) -> [DirectoryEntry] {
        var entries: [DirectoryEntry] = []
        try forEachEntry { entries.append($0) }
        return entries
    }

    /// Calls a function with each of the entries that ``entries()`` would return. Suitable for directories that are too
    /// large to be listed in memory.
    package func forEachEntry(_ body: (DirectoryEntry) -> Void) throws(Errno) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 * 1024, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let filled = try retrying { clinux_getdents(rawValue, buffer.baseAddress, buffer.count) }
            if filled == 0 { return }
            var records = DirectoryRecords(UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
            while let entry = records.next() { body(entry) }
        }
    }
}

/// Parses the records of getdents64(2). Each record consists of the inode number (8 bytes), the next position (8), the
/// length of the record (2), the kind (1), and the name with a terminating NUL.
private struct DirectoryRecords {
    private var rest: UnsafeRawBufferPointer

    init(_ records: UnsafeRawBufferPointer) { rest = records }

    mutating func next() -> DirectoryEntry? {
        while rest.count > 19, let base = rest.baseAddress {
            let length = Int(rest.loadUnaligned(fromByteOffset: 16, as: UInt16.self))
            let type = rest[18]
            let inode = rest.loadUnaligned(as: UInt64.self)
            let name = base.advanced(by: 19).assumingMemoryBound(to: CChar.self)
            // The kernel returns only whole records. If a length were invalid nevertheless, this loop could be endless.
            guard length > 19, length <= rest.count else { return nil }
            rest = UnsafeRawBufferPointer(rebasing: rest[length...])
            if strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { continue }
            return DirectoryEntry(
                name: FileName(cString: name), inode: inode, kind: FileStatus.Kind(directoryType: type))
        }
        return nil
    }
}

extension FileStatus.Kind {
    /// Converts a `DT_…` constant of dirent.h. Returns `nil` for `DT_UNKNOWN` and for constants that are not known.
    fileprivate init?(directoryType: UInt8) {
        switch Int(directoryType) {
        case Int(DT_FIFO): self = .fifo
        case Int(DT_CHR): self = .characterDevice
        case Int(DT_DIR): self = .directory
        case Int(DT_BLK): self = .blockDevice
        case Int(DT_REG): self = .regular
        case Int(DT_LNK): self = .symbolicLink
        case Int(DT_SOCK): self = .socket
        default: return nil
        }
    }
}
