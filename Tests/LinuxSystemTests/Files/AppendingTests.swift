import LinuxSystem
import Testing

/// Byte ranges that the kernel copies between files.
@Suite struct AppendingTests {
    private func file(_ text: String) throws -> FileDescriptor {
        let file = try MemoryFile.create(name: "appending")
        try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
        return file
    }

    private func text(of file: FileDescriptor) throws -> String {
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    @Test func aRangeComesBehindWhatIsThere() throws {
        let (target, source) = (try file("begun "), try file("0123456789"))
        try target.appendAll(of: source, 3..<6)
        try target.appendAll(of: source, 0..<0)
        try target.appendAll(of: source, 0..<10)
        #expect(try text(of: target) == "begun 3450123456789")
    }

    @Test func aFileThatEndsBeforeIsAnError() throws {
        let (target, source) = (try file(""), try file("0123456789"))
        #expect(throws: Errno.invalidArgument) { try target.appendAll(of: source, 8..<11) }
        #expect(throws: Errno.invalidArgument) { try target.appendAll(of: source, 100..<101) }
    }
}
