import Glibc
import LinuxSystem

/// A count of the files that any process opens in a directory from now on, by inotify(7).
struct OpenedFiles {
    private let notices: FileDescriptor

    init(in folder: String) throws {
        notices = FileDescriptor(owning: try retrying { inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC)) })
        let descriptor = notices.rawValue
        _ = try retrying { inotify_add_watch(descriptor, folder, UInt32(IN_OPEN)) }
    }

    /// Returns the number of opens since the last call, not counting those of the directory itself.
    func count() throws -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 8)
        defer { buffer.deallocate() }
        var count = 0
        while let size = try? notices.read(into: buffer), size > 0 {
            var offset = 0
            while offset < size {
                let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                if event.mask & UInt32(IN_OPEN) != 0, event.len > 0 { count += 1 }
                offset += MemoryLayout<inotify_event>.size + Int(event.len)
            }
        }
        return count
    }
}
