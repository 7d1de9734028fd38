import CLinux
import Glibc

/// Memory files (memfd) that are sealed against writing, growing and shrinking.
///
/// They transfer data between processes: the receiver maps the pages that the sender filled. A receiver must map only
/// sealed files. The peer could truncate an unsealed file, which would kill the reader with SIGBUS.
package enum MemoryFile {
    /// Creates a memory file, fills it through a closure and seals it.
    ///
    /// - Parameter name: shown in `/proc`, for debugging only.
    package static func sealed(
        name: String, filling fill: (FileDescriptor) throws(Errno) -> Void
    ) throws(Errno) -> FileDescriptor {
        let file = try create(name: name)
        try fill(file)
        try seal(file)
        return file
    }

    /// Creates an empty memory file that can be sealed.
    package static func create(name: String) throws(Errno) -> FileDescriptor {
        FileDescriptor(
            owning: try retrying { clinux_memfd_create(name, clinux_mfd_cloexec | clinux_mfd_allow_sealing) })
    }

    /// The mode of a sealed memory file that an unconfined process created. A confined process cannot set a mode.
    /// Therefore the mode distinguishes files that a confined process created from files that it received.
    package static let unconfinedMode: mode_t = 0o400

    /// Seals a memory file against every further change, sealing included.
    package static func seal(_ file: FileDescriptor) throws(Errno) {
        fchmod(file.rawValue, unconfinedMode)
        let seals = clinux_seal_seal | clinux_seal_shrink | clinux_seal_grow | clinux_seal_write
        try retrying { clinux_add_seals(file.rawValue, seals) }
    }

    /// Whether a received descriptor is a memory file with bytes that cannot change any more.
    package static func isSealed(_ file: FileDescriptor) -> Bool {
        let needed = clinux_seal_shrink | clinux_seal_grow | clinux_seal_write
        let seals = clinux_get_seals(file.rawValue)
        return seals >= 0 && seals & needed == needed
    }
}

/// A mapping of a whole file. It is unmapped when the last reference is released.
///
/// Mapping costs the same for any size, because pages are loaded on access. Map only files that cannot shrink: sealed
/// memory files, or the process's own files.
package final class Mapping: @unchecked Sendable {
    // Safe to share between threads: the pointer is immutable after init, and this class never writes to the pages.
    package let bytes: UnsafeRawBufferPointer

    /// Maps the first `size` bytes of a file for reading.
    ///
    /// - Parameter isWritable: Whether the pages may be written to. Changes do not reach the file, because the kernel
    ///   copies a page on its first write. The writer must be the only user of the mapping.
    package init(_ file: FileDescriptor, size: Int, isWritable: Bool = false) throws(Errno) {
        guard size > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        // Without MAP_NORESERVE, the kernel would reserve memory for a copy of each page.
        let access = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
        let flags = isWritable ? MAP_PRIVATE | MAP_NORESERVE : MAP_SHARED
        let address = mmap(nil, size, access, flags, file.rawValue, 0)
        guard let address, address != MAP_FAILED else { throw Errno.current }
        bytes = UnsafeRawBufferPointer(start: address, count: size)
    }

    deinit {
        if let base = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: base), bytes.count) }
    }
}
