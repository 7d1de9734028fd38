import Glibc
import LinuxSystem

/// A device or pipe at the end of a path, also by a link such as `/dev/stdout`: it is written to and never replaced.
struct Sink {
    private let descriptor: FileDescriptor
    private let isCancelled: () -> Bool

    /// How often it is asked, while nobody reads, whether the write was cancelled.
    private static let interval: CInt = 50

    /// Opens what is there for writing; a named pipe when somebody reads from it.
    ///
    /// - Returns: `nil` when it is nothing of the kind.
    /// - Throws: `Errno`, or ``CopyError/cancelled``.
    init?(_ name: FileName, in directory: FileDescriptor, isCancelled: @escaping () -> Bool) throws {
        var raw = stat()
        guard fstatat(directory.rawValue, name.characters, &raw, 0) == 0 else { return nil }
        switch FileStatus(raw).kind {
        case .characterDevice, .blockDevice, .fifo: break
        case .socket: throw Errno.invalidArgument
        default: return nil
        }
        descriptor = try Self.open(name, in: directory, isCancelled)
        self.isCancelled = isCancelled
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

    /// Writes all of it, as fast as it is read.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            if isCancelled() { throw CopyError.cancelled }
            do {
                let count = try descriptor.write(UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 20)))
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } catch {
                guard error == .wouldBlock else { throw error }
                var request = pollfd(fd: descriptor.rawValue, events: CShort(POLLOUT), revents: 0)
                _ = poll(&request, 1, Self.interval)
            }
        }
    }
}
