import LinuxSystem

/// Files that the kernel makes when they are read, such as proc(5) describes.
enum SystemFile {
    /// A file of the kernel's, whole; empty where there is none. Foundation would take it for an empty one.
    static func text(_ path: String) -> String {
        var text: [UInt8] = []
        guard let file = try? FileDescriptor.open(path, .readOnly) else { return "" }
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while let count = try? piece.withUnsafeMutableBytes({ buffer in try file.read(into: buffer) }), count > 0 {
            text += piece[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
