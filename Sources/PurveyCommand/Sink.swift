import Glibc
import LinuxSystem

/// A destination that is written to and never replaced: a device, a pipe, or a descriptor of this process. It may be
/// reached through a link such as `/dev/stdout`.
struct Sink {
    private let descriptor: FileDescriptor
    /// The maximum number of bytes per write.
    private let piece: Int
    private let isCancelled: () -> Bool

    /// The interval, in milliseconds, of checks for cancellation while there is no reader, or the reader reads nothing.
    private static let interval: CInt = 50
    /// The number of bytes that can be written to a writable pipe without blocking.
    private static let pipePiece = Int(PIPE_BUF)

    /// Opens a destination for writing. Waits for a reader of a named pipe.
    ///
    /// - Returns: `nil` if the destination is neither a device or pipe nor a descriptor of this process.
    /// - Throws: `Errno`, or ``CopyError/cancelled``.
    init?(_ name: FileName, in directory: FileDescriptor, isCancelled: @escaping () -> Bool) throws {
        self.isCancelled = isCancelled
        if let number = Self.ownDescriptor(name, in: directory) {
            // The descriptor is copied rather than opened again, so that the output continues after earlier output.
            descriptor = try .copy(of: number)
            piece = try descriptor.status().kind == .regular ? 1 << 20 : Self.pipePiece
            return
        }
        switch try? directory.status(of: name, followingLinks: true).kind {
        case .characterDevice, .blockDevice, .fifo: break
        case .socket: throw Errno.invalidArgument
        default: return nil
        }
        descriptor = try Self.open(name, in: directory, isCancelled)
        piece = 1 << 20
    }

    /// Returns the number of the descriptor of this process that a name denotes. The name is in `/proc/self/fd`, or is
    /// a chain of links to such a name.
    static func ownDescriptor(_ name: FileName, in directory: FileDescriptor) -> CInt? {
        var (name, directory) = (name, directory)
        // The directory stays open, because its inode number is unique only while it is open.
        guard let own = try? FileDescriptor.open("/proc/self/fd", [.readOnly, .directory]),
            let identity = try? own.status().identity
        else { return nil }
        // The kernel also follows at most 40 links.
        for _ in 0..<40 {
            if let here = try? directory.status().identity, here == identity { return CInt(name.description) }
            guard let target = try? directory.target(ofLink: name) else { return nil }
            let path = String(decoding: target, as: UTF8.self)
            let folder = path.lastSlash.map { path[..<path.utf8.index(after: $0)] } ?? "./"
            guard let last = FileName(path.lastPathName),
                let next = try? folder.hasPrefix("/")
                    ? FileDescriptor.open(String(folder), [.readOnly, .directory])
                    : directory.open(String(folder), [.readOnly, .directory])
            else { return nil }
            (name, directory) = (last, next)
        }
        return nil
    }

    private static func open(
        _ name: FileName, in directory: FileDescriptor, _ isCancelled: () -> Bool
    ) throws -> FileDescriptor {
        while true {
            do {
                return try directory.open(name.description, [.writeOnly, .nonBlocking])
            } catch {
                guard error.rawValue == ENXIO else { throw error }
                if isCancelled() { throw CopyError.cancelled }
                _ = poll(nil, 0, interval)
            }
        }
    }

    /// Writes all bytes, as fast as the reader reads them.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            if isCancelled() { throw CopyError.cancelled }
            var request = pollfd(fd: descriptor.rawValue, events: CShort(POLLOUT), revents: 0)
            guard poll(&request, 1, Self.interval) > 0 else { continue }
            do {
                let count = try descriptor.write(UnsafeRawBufferPointer(rebasing: rest.prefix(piece)))
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } catch {
                guard error == .wouldBlock else { throw error }
            }
        }
    }
}
