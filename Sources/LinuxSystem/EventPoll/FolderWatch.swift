import Glibc

/// Tells when a name in a folder is removed or moved away (inotify(7)): its descriptor becomes readable.
///
/// A hint to look again: nothing is said of what happened, and the folder's own end is told only by that of its contents.
package struct FolderWatch: Sendable {
    package let descriptor: FileDescriptor

    package init(_ path: String) throws(Errno) {
        descriptor = FileDescriptor(
            owning: try retrying { inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC)) })
        let events = UInt32(IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
        try retrying { inotify_add_watch(descriptor.rawValue, path, events) }
    }

    /// Makes the descriptor unreadable until something happens again.
    package func reset() {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
            // EAGAIN means that everything has been read.
            while let count = try? descriptor.read(into: buffer), count > 0 {}
        }
    }
}
