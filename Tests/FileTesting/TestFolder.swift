import CLinux
import Glibc
import LinuxSystem

/// A directory for one test. It is removed with its contents when this object is released.
package final class TestFolder: Sendable {
    package let path: String
    package let descriptor: FileDescriptor

    /// - Parameter parent: The parent directory, which determines the file system; by default a directory on a disk.
    package init(in parent: String = "/var/tmp") throws {
        let path = "\(parent)/purvey-test-\(UInt64.random(in: .min ... .max))"
        self.path = path
        try retrying { mkdir(path, 0o700) }
        descriptor = try .open(path, [.readOnly, .directory])
    }

    deinit {
        let cut = path.lastIndex(of: "/") ?? path.startIndex
        guard let name = FileName(String(path[path.index(after: cut)...])),
            let parent = try? FileDescriptor.open(String(path[..<cut]), [.readOnly, .directory])
        else { return }
        // An object that a test abandoned may still create files, so that an emptied directory is not empty.
        for _ in 0..<3_000 {
            do {
                return try TreeRemover.remove(name, in: parent)
            } catch {
                if (try? FileStatus.of(path)) == nil { return }
                usleep(10_000)
            }
        }
    }

    /// Makes a file and returns it, open for reading and writing.
    @discardableResult
    package func file(
        _ relative: String, _ content: [UInt8] = [], permissions: mode_t = 0o644
    ) throws -> FileDescriptor {
        let file = try descriptor.open(relative, [.readWrite, .create, .exclusive], permissions: permissions)
        try file.overwrite(content, at: 0)
        return file
    }

    @discardableResult
    package func folder(_ relative: String) throws -> FileDescriptor {
        try retrying { mkdirat(descriptor.rawValue, relative, 0o755) }
        return try descriptor.open(relative, [.readOnly, .directory])
    }

    package func link(_ relative: String, to target: String) throws {
        try retrying { symlinkat(target, descriptor.rawValue, relative) }
    }

    package func content(_ relative: String) throws -> [UInt8] {
        try descriptor.open(relative, [.readOnly, .noFollow]).everything()
    }

    /// Returns the names in a directory, including hidden ones.
    package func names(_ relative: String = ".") throws -> [String] {
        try descriptor.open(relative, [.readOnly, .directory]).entries().map(\.name.description).sorted()
    }

    package func status(_ relative: String) throws -> FileStatus {
        var raw = stat()
        try retrying { fstatat(descriptor.rawValue, relative, &raw, AT_SYMLINK_NOFOLLOW) }
        return FileStatus(raw)
    }
}

extension FileDescriptor {
    package func everything() throws -> [UInt8] {
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let count = try read(into: buffer, at: bytes.count)
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    package func overwrite(_ bytes: [UInt8], at offset: Int) throws {
        try bytes.withUnsafeBytes { try writeAll($0, at: offset) }
    }

    /// - Parameter isThere: Whether the attribute must already exist (`true`) or must not exist (`false`); `nil`
    ///   permits both.
    package func setAttribute(_ name: String, _ value: String, if isThere: Bool? = nil) throws {
        // The flags are XATTR_REPLACE and XATTR_CREATE.
        let flags: CInt = isThere.map { $0 ? 2 : 1 } ?? 0
        try retrying { clinux_fsetxattr(rawValue, name, value, value.utf8.count, flags) }
    }

    package func removeAttribute(_ name: String) throws {
        try retrying { clinux_fremovexattr(rawValue, name) }
    }

    /// Returns the names of all attributes, sorted.
    package func attributeNames() throws -> [String] {
        var bytes = [CChar](repeating: 0, count: 1 << 16)
        let count = try retrying { clinux_flistxattr(rawValue, &bytes, bytes.count) }
        return bytes[..<count].split(separator: 0).map { name in
            String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }.sorted()
    }

    package func attribute(_ name: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = clinux_fgetxattr(rawValue, name, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}

/// Returns varied bytes: the same 64 KiB of noise again and again, each time preceded by a different number.
package func pattern(_ count: Int) -> [UInt8] {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    let noise = (0..<65536).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + noise.count)
    while bytes.count < count {
        let number = UInt8(truncatingIfNeeded: bytes.count >> 16)
        bytes.append(number)
        bytes.append(contentsOf: noise.dropFirst())
    }
    bytes.removeSubrange(count...)
    return bytes
}
