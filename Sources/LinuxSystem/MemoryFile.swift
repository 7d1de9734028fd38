import CLinux
import Glibc

/// Memory files (memfd) that are sealed against writing, growing and shrinking.
///
/// They are used to transfer data between processes: the receiver maps the pages that the sender has filled. A receiver
/// must map only sealed files. The sender could truncate an unsealed file, and the receiver would then be killed by
/// SIGBUS.
package enum MemoryFile {
    /// Creates a memory file, calls a closure that fills the file, and seals it.
    ///
    /// - Parameter name: a name that is shown in `/proc`, for debugging only.
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

    /// The mode of a sealed memory file that an unconfined process has created. A confined process cannot set a mode.
    /// Therefore, if one of its open memory files has this mode, the confined process has received the file, and not
    /// created it.
    package static let unconfinedMode: mode_t = 0o400

    /// Seals a memory file against every further change, including further seals.
    package static func seal(_ file: FileDescriptor) throws(Errno) {
        fchmod(file.rawValue, unconfinedMode)
        let seals = clinux_seal_seal | clinux_seal_shrink | clinux_seal_grow | clinux_seal_write
        try retrying { clinux_add_seals(file.rawValue, seals) }
    }

    /// Whether a received descriptor refers to a memory file that is sealed, so that its bytes cannot change any more.
    package static func isSealed(_ file: FileDescriptor) -> Bool {
        let needed = clinux_seal_shrink | clinux_seal_grow | clinux_seal_write
        let seals = clinux_get_seals(file.rawValue)
        return seals >= 0 && seals & needed == needed
    }
}

/// A mapping of a file in memory. The file is unmapped when the last reference to this object is released.
///
/// Mapping costs the same for any size, because pages are loaded on access. Map only files that cannot shrink: sealed
/// memory files, or the process's own files.
package final class Mapping: @unchecked Sendable {
    // Safe to share between threads: the pointer is immutable after init, and this class never writes to the pages.
    package let bytes: UnsafeRawBufferPointer

    /// Maps the first `size` bytes of a file for reading.
    ///
    /// - Parameter isWritable: Whether the mapped memory may be written to. The file is not changed by this, because
    ///   the kernel copies a page when it is first written to. Only one thread may use a mapping that is written to.
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
