import Glibc

/// A watch that reports when a name in a directory is removed or moved away (inotify(7)): its descriptor becomes
/// readable.
///
/// It is only a hint to look again, without details. The end of the directory itself is reported only through that of
/// its contents.
package struct FolderWatch: Sendable {
    package let descriptor: FileDescriptor

    package init(_ path: String) throws(Errno) {
        descriptor = FileDescriptor(
            owning: try retrying { inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC)) })
        let events = UInt32(IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
        try retrying { inotify_add_watch(descriptor.rawValue, path, events) }
    }

    /// Makes the descriptor unreadable until the next event.
    package func reset() {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
            // EAGAIN means that everything was read.
            while let count = try? descriptor.read(into: buffer), count > 0 {}
        }
    }
}
