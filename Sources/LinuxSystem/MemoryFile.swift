import CLinux
import Glibc

/// Bytes in a memory file (memfd) that nobody can change any more: sealed against writing, growing and shrinking.
///
/// This is how data crosses a process border: the receiver maps the pages the sender filled. Only a sealed file may
/// be mapped from a peer; from an unsealed one the peer could cut pages away and end the reader with SIGBUS.
package enum MemoryFile {
    /// Fills a new memory file through a closure and seals it.
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

    /// A new empty memory file that can be sealed.
    package static func create(name: String) throws(Errno) -> FileDescriptor {
        FileDescriptor(
            owning: try retrying { clinux_memfd_create(name, clinux_mfd_cloexec | clinux_mfd_allow_sealing) })
    }

    /// The mode of a sealed memory file, unless a confined process made it: such a one has no way to set a mode. So it
    /// tells what was handed to that process from what it made itself.
    package static let unconfinedMode: mode_t = 0o400

    /// Seals a memory file against every further change, sealing included.
    package static func seal(_ file: FileDescriptor) throws(Errno) {
        fchmod(file.rawValue, unconfinedMode)
        let seals = clinux_seal_seal | clinux_seal_shrink | clinux_seal_grow | clinux_seal_write
        try retrying { clinux_add_seals(file.rawValue, seals) }
    }

    /// Whether a descriptor from elsewhere is a memory file whose bytes can no longer change.
    package static func isSealed(_ file: FileDescriptor) -> Bool {
        let needed = clinux_seal_shrink | clinux_seal_grow | clinux_seal_write
        let seals = clinux_get_seals(file.rawValue)
        return seals >= 0 && seals & needed == needed
    }
}

/// A read-only mapping of a whole file, unmapped when its last reference goes.
///
/// Mapping costs the same whatever the size: pages are brought in when they are touched. Map only files that cannot
/// shrink (sealed memory files, or files of our own).
package final class Mapping: @unchecked Sendable {
    // Immutable after init, and the pages are mapped read-only: safe to share between threads.
    package let bytes: UnsafeRawBufferPointer

    /// Maps the first `size` bytes of a file for reading.
    package init(_ file: FileDescriptor, size: Int) throws(Errno) {
        guard size > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        let address = mmap(nil, size, PROT_READ, MAP_SHARED, file.rawValue, 0)
        guard let address, address != MAP_FAILED else { throw Errno.current }
        bytes = UnsafeRawBufferPointer(start: address, count: size)
    }

    deinit {
        if let base = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: base), bytes.count) }
    }
}
