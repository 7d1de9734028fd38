import Foundation
import Glibc
import Synchronization

/// Records the names of this process's threads that open watched files and directories.
///
/// The kernel reports these events only to root, and only with thread numbers. A thread looks up the names at once,
/// because a busy process soon reuses a number for another thread.
final class OpenWitness: Sendable {
    private let descriptor: CInt
    private let log = Log()

    /// The state shared with the thread. It outlives the witness while the thread runs.
    private final class Log: Sendable {
        // Held during the kernel's read, so that no event is in flight while it is free.
        let names = Mutex<[String]>([])
        let hasEnded = Atomic(false)
    }

    static let isAllowed = (try? OpenWitness()) != nil

    private struct Refused: Error {
        let number = errno
    }

    // The functions of fanotify(7), whose header Swift's Glibc module hides.
    private typealias Initialize = @convention(c) (CUnsignedInt, CUnsignedInt) -> CInt
    private typealias Mark = @convention(c) (CInt, CUnsignedInt, UInt64, CInt, UnsafePointer<CChar>) -> CInt

    private static func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
        guard let address = dlsym(nil, name) else { throw Refused() }
        // The caller gives the C type of the C library's function of that name.
        return unsafeBitCast(address, to: type)
    }

    init() throws {
        let closeOnExec: CUnsignedInt = 0x1
        let nonBlocking: CUnsignedInt = 0x2
        let reportThread: CUnsignedInt = 0x100
        descriptor = try Self.function("fanotify_init", as: Initialize.self)(
            closeOnExec | nonBlocking | reportThread, CUnsignedInt(O_RDONLY | O_CLOEXEC))
        if descriptor < 0 { throw Refused() }
        Thread.detachNewThread { [descriptor, log] in
            while !log.hasEnded.load(ordering: .acquiring) {
                var request = pollfd(fd: descriptor, events: CShort(POLLIN), revents: 0)
                if poll(&request, 1, 100) > 0 { log.names.withLock { $0 += Self.newNames(descriptor) } }
            }
            close(descriptor)
        }
    }

    deinit { log.hasEnded.store(true, ordering: .releasing) }

    /// Watches a file, or a directory itself.
    func watch(_ path: String) throws {
        let add: CUnsignedInt = 0x1
        let opened: UInt64 = 0x20
        let folders: UInt64 = 0x4000_0000
        let mark = try Self.function("fanotify_mark", as: Mark.self)
        if mark(descriptor, add, opened | folders, AT_FDCWD, path) < 0 { throw Refused() }
    }

    /// Returns the thread's name for each opening since the last call. The name is empty for a thread that ended at
    /// once.
    func threads() -> [String] {
        log.names.withLock { names in
            defer { names = [] }
            return names + Self.newNames(descriptor)
        }
    }

    private static func newNames(_ descriptor: CInt) -> [String] {
        var names: [String] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count <= 0 { return names }
            var offset = 0
            while offset < count {
                let (length, file, thread) = buffer.withUnsafeBytes { bytes in
                    (
                        bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
                        bytes.loadUnaligned(fromByteOffset: offset + 16, as: Int32.self),
                        bytes.loadUnaligned(fromByteOffset: offset + 20, as: Int32.self)
                    )
                }
                if file >= 0 { close(file) }
                let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
                names.append((name ?? "").trimmingCharacters(in: .newlines))
                offset += Int(length)
            }
        }
    }
}
