import Glibc
import LinuxSystem

/// The trash information file of an item, which contains the item's original path and the time at which it was trashed.
struct TrashNote {
    /// The components of the path from the served directory.
    let path: [[UInt8]]
    /// The time at which the item was trashed, in seconds since 1970. Not set when the file is read.
    let deleted: time_t

    private static let largest = 64 << 10
    private static let pathKey = "Path="

    init(path: [[UInt8]], deleted: time_t) {
        self.path = path
        self.deleted = deleted
    }

    /// Reads a trash information file.
    ///
    /// - Returns: `nil` if the file does not exist, or does not contain a path.
    init?(reading name: FileName, in folder: FileDescriptor) throws {
        guard let file = try? folder.open(entry: name, [.readOnly, .nonBlocking]),
            let bytes = try? file.readToEnd(limit: Self.largest)
        else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix(Self.pathKey) }) else { return nil }
        path = line.dropFirst(Self.pathKey.count).split(separator: "/").map { Self.unescaped($0) }
        deleted = 0
    }

    /// Writes the trash information file.
    ///
    /// - Returns: `false` if a file with the name exists.
    func write(to folder: FileDescriptor, named name: FileName) throws -> Bool {
        let text =
            "[Trash Info]\n\(Self.pathKey)\(path.map(Self.escaped).joined(separator: "/"))\n"
            + "DeletionDate=\(Self.date(deleted))\n"
        var staged = try StagedFile(in: folder, permissions: 0o600)
        let file = staged.descriptor
        try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
        do throws(Errno) {
            try staged.publish(as: name)
            return true
        } catch {
            guard error == .fileExists else { throw error }
            return false
        }
    }

    /// Returns a date in the local time zone, as the specification requires.
    private static func date(_ time: time_t) -> String {
        var (time, parts) = (time, tm())
        localtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~".utf8)

    private static func escaped(_ name: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = name.flatMap { byte in
            plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unescaped(_ text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
