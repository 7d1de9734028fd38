import Glibc
import LinuxSystem

/// A file that reserves disk space. When the disk is full, freeing the reserve makes it possible to record changes that
/// free more space.
struct ReserveFile {
    private let path: String
    private static let size: off_t = 1 << 20

    init(besides path: String) { self.path = path + ".reserve" }

    /// Allocates the reserve. If the disk has no space, there is no reserve until the next call.
    func fill() {
        if let status = try? FileStatus.of(path), status.size >= Self.size { return }
        guard let file = try? FileDescriptor.open(path, [.readWrite, .create]) else { return }
        if posix_fallocate(file.rawValue, 0, Self.size) != 0 { unlink(path) }
    }

    /// Frees the reserve.
    ///
    /// - Returns: Whether the reserve existed.
    func spend() -> Bool { unlink(path) == 0 }
}
