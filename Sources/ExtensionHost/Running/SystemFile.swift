import Glibc
import LinuxSystem

/// Reads files whose contents the kernel generates when they are read; see proc(5).
enum SystemFile {
    /// Returns the text of the file at the given path, or an empty string if it cannot be opened. Foundation cannot be
    /// used, because it treats every such file as empty.
    static func text(_ path: String) -> String {
        var text: [UInt8] = []
        guard let file = try? FileDescriptor.open(path, .readOnly) else { return "" }
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while let count = try? piece.withUnsafeMutableBytes({ buffer in try file.read(into: buffer) }), count > 0 {
            text += piece[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the number in the line `KEY: NUMBER`, which may be followed by a unit; `nil` if no line has the key.
    static func number(_ key: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") where line.hasPrefix(key + ":") {
            return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
        }
        return nil
    }

    /// Returns the number of bytes in the line `KEY: NUMBER kB`; 0 if no line has the key.
    static func bytes(_ key: String, in text: String) -> Int { (number(key, in: text) ?? 0) << 10 }

    /// Calls a function with each line, without the line feed. Reads the file in pieces, because an untrusted process
    /// can determine the size of some of these files, and must not exhaust the memory of this process.
    ///
    /// - Parameter body: Returns whether to continue.
    static func forEachLine(_ path: String, _ body: (ArraySlice<UInt8>) -> Bool) throws(Errno) {
        let file = try FileDescriptor.open(path, .readOnly)
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        var rest: [UInt8] = []
        while true {
            let count = try retrying { read(file.rawValue, &piece, piece.count) }
            guard count > 0 else { break }
            var start = 0
            while let end = piece[start..<count].firstIndex(of: UInt8(ascii: "\n")) {
                let line = rest.isEmpty ? piece[start..<end] : (rest + piece[start..<end])[...]
                rest.removeAll(keepingCapacity: true)
                start = end + 1
                if !body(line) { return }
            }
            rest += piece[start..<count]
        }
        if !rest.isEmpty { _ = body(rest[...]) }
    }
}
