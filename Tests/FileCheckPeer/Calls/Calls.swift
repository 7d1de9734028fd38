import CLinux
import FileTesting
import Glibc
import LinuxSystem

/// Creates a file with a text and returns it, open for reading and writing. Paths are relative to the scene's
/// directory.
@discardableResult
func file(_ path: String, _ text: String = "", mode: mode_t = 0o644) throws -> FileDescriptor {
    let file = try FileDescriptor.open(path, [.readWrite, .create, .exclusive], permissions: mode)
    try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
    return file
}

func folder(_ path: String, mode: mode_t = 0o755) throws(Errno) { try retrying { mkdir(path, mode) } }

func link(at path: String, to target: String) throws(Errno) { try retrying { symlink(target, path) } }

func remove(_ path: String) throws(Errno) { try retrying { unlink(path) } }

func removeFolder(_ path: String) throws(Errno) { try retrying { rmdir(path) } }

func move(_ path: String, to newPath: String) throws(Errno) { try retrying { rename(path, newPath) } }

/// Calls renameat2(2) with flags.
func move(_ path: String, to newPath: String, flags: UInt32) throws(Errno) {
    try retrying { clinux_renameat2(AT_FDCWD, path, AT_FDCWD, newPath, flags) }
}

func setMode(_ path: String, _ mode: mode_t) throws(Errno) { try retrying { chmod(path, mode) } }

func cut(_ path: String, to size: Int) throws(Errno) { try retrying { truncate(path, off_t(size)) } }

func status(_ path: String) throws(Errno) -> FileStatus { try .of(path, followingLinks: false) }

func text(_ path: String) throws -> String { try FileDescriptor.open(path, .readOnly).text() }

func target(_ path: String) throws(Errno) -> String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = try retrying { readlink(path, &bytes, bytes.count) }
    return String(decoding: bytes[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Returns the names in a directory, sorted.
func names(_ path: String = ".") throws -> [String] {
    try FileDescriptor.open(path, [.readOnly, .directory]).entries().map(\.name.description).sorted()
}

extension FileDescriptor {
    /// Returns the whole contents.
    func text() throws -> String { String(decoding: try everything(), as: UTF8.self) }

    func write(_ text: String) throws { try Array(text.utf8).withUnsafeBytes { try writeAll($0) } }

    func write(_ text: String, at offset: Int) throws {
        try Array(text.utf8).withUnsafeBytes { try writeAll($0, at: offset) }
    }
}

extension FileDescriptor {
    /// Sets the flags that fcntl(2) can change, and clears the others of them.
    func setFlags(_ flags: CInt) throws(Errno) { try retrying { fcntl(rawValue, F_SETFL, flags) } }
}

/// Returns a path of `bytes` bytes that leads to a name in the working directory.
func path(of name: String, bytes: Int) -> String {
    let filling = bytes - name.utf8.count
    // "././name" and, if the number is odd, ".//".
    return (filling % 2 == 0 ? "" : ".//") + String(repeating: "./", count: (filling - filling % 2 * 3) / 2) + name
}

/// A program that is run from a file of the scene until it is ended.
struct SceneProgram {
    private let program: ChildProgram

    /// Copies a program that only waits into the scene's directory.
    static func copy(to path: String) throws {
        let bytes = try FileDescriptor.open("/bin/sleep", .readOnly).everything()
        let copy = try FileDescriptor.open(path, [.writeOnly, .create, .exclusive], permissions: 0o755)
        try bytes.withUnsafeBytes { try copy.writeAll($0) }
    }

    init(_ path: String) throws {
        program = try ChildProgram.start(path, arguments: ["1000"], descriptors: [])
    }

    func end() throws {
        kill(program.processID, SIGKILL)
        _ = try program.wait()
    }
}
