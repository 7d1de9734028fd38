import Glibc
import LinuxSystem

/// A directory for the files of one measurement. It is removed with its contents when this object is released.
final class ScratchFolder {
    let path: String
    let descriptor: FileDescriptor
    private let leftover: ExitCleanup

    /// Creates a directory.
    ///
    /// - Parameter parent: a directory on the file system to measure; by default one on a disk.
    init(in parent: String = "/var/tmp") throws {
        let path = "\(parent)/purvey-benchmark-\(getpid())-\(UInt32.random(in: .min ... .max))"
        self.path = path
        try retrying { mkdir(path, 0o700) }
        leftover = ExitCleanup { Self.remove(path) }
        descriptor = try .open(path, [.readOnly, .directory])
    }

    deinit { leftover.remove() }

    private static func remove(_ path: String) {
        guard let cut = path.lastIndex(of: "/"), let name = FileName(String(path[path.index(after: cut)...])),
            let parent = try? FileDescriptor.open(String(path[..<cut]), [.readOnly, .directory])
        else { return }
        try? TreeRemover.remove(name, in: parent)
    }

    /// Creates an empty file, open for reading and writing.
    func file(_ name: String) throws -> FileDescriptor {
        try descriptor.open(name, [.readWrite, .create, .exclusive], permissions: 0o644)
    }

    func folder(_ name: String) throws -> FileDescriptor {
        try retrying { mkdirat(descriptor.rawValue, name, 0o755) }
        return try descriptor.open(name, [.readOnly, .directory])
    }

    func remove(_ name: String) throws {
        guard let name = FileName(name) else { return }
        try TreeRemover.remove(name, in: descriptor)
    }
}

/// Incompressible bytes, as in photos or films. They are the same in every run.
struct IncompressibleBytes {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Fills a buffer, in steps of 8 bytes.
    mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for offset in stride(from: 0, to: buffer.count - 7, by: 8) {
            // xorshift64*
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            buffer.storeBytes(of: state &* 0x2545_F491_4F6C_DD1D, toByteOffset: offset, as: UInt64.self)
        }
    }

    mutating func write(_ count: Int, to file: FileDescriptor) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 8)
        defer { buffer.deallocate() }
        var position = 0
        while position < count {
            fill(buffer)
            let piece = UnsafeRawBufferPointer(rebasing: buffer[..<min(buffer.count, count - position)])
            try file.writeAll(piece, at: position)
            position += piece.count
        }
    }
}
