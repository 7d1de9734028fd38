import Glibc
import LinuxSystem

/// Space that is held back on a disk, so that what makes space can still be written down when the disk is full.
struct ReserveFile {
    private let path: String
    private static let size: off_t = 1 << 20

    init(besides path: String) { self.path = path + ".reserve" }

    /// Takes the space, as far as there is some; where there is none, there is no reserve until the next time.
    func fill() {
        if let status = try? FileStatus.of(path), status.size >= Self.size { return }
        guard let file = try? FileDescriptor.open(path, [.readWrite, .create]) else { return }
        if posix_fallocate(file.rawValue, 0, Self.size) != 0 { unlink(path) }
    }

    /// Gives the space back.
    ///
    /// - Returns: whether there was any.
    func spend() -> Bool { unlink(path) == 0 }
}
