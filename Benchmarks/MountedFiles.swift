import Glibc
import LinuxSystem

/// Operations of programs on the files of a mount.
enum MountedFiles {
    /// Reads a file from its beginning to its end, or until at least `limit` bytes were read. Returns the number of
    /// bytes.
    static func read(_ path: String, upTo limit: Int = .max) throws -> Int {
        let file = try FileDescriptor.open(path, [.readOnly])
        return try withUnsafeTemporaryAllocation(byteCount: min(limit, 1 << 20), alignment: 16) { buffer in
            var count = 0
            while count < limit {
                let read = try file.read(into: buffer, at: count)
                if read == 0 { break }
                count += read
            }
            return count
        }
    }

    /// Reads a whole file.
    ///
    /// - Throws: an error if the file has another size.
    static func read(_ path: String, size: Int) throws {
        let count = try read(path)
        guard count == size else { throw MeasurementError("\(path) has \(count) bytes") }
    }

    /// Lists a directory with `ls`.
    ///
    /// - Throws: an error if the directory has fewer entries.
    static func list(_ folder: String, _ option: String, atLeast entries: Int) throws {
        let lines = try BenchmarkChild.output(ofProgram: "/bin/ls", [option, folder], environment: ["LC_ALL": "C"])
        let count = lines.utf8.count { $0 == UInt8(ascii: "\n") }
        guard count >= entries else { throw MeasurementError("\(folder) has only \(count) entries") }
    }

    /// Waits until a file has the given size, for at most `seconds`.
    static func wait(for path: String, size: Int, seconds: UInt64 = 20) throws {
        let limit = Measure.now() + seconds * 1_000_000_000
        while Measure.now() < limit {
            if let status = try? FileStatus.of(path, followingLinks: false), status.size == size { return }
            usleep(100)
        }
        throw MeasurementError("\(path) was not seen with \(size) bytes")
    }
}
