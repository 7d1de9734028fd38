import LinuxSystem

/// The body of a request. It can be sent again if the server requests credentials or is busy.
public enum HTTPBody: Sendable {
    case none
    case bytes([UInt8])
    /// A part of a regular file. The file must not change while it is sent, so callers pass a clone or a copy.
    case file(FileDescriptor, offset: Int, count: Int)

    /// Returns a body of a text in UTF-8.
    public static func text(_ text: String) -> HTTPBody { .bytes(Array(text.utf8)) }

    var count: Int {
        switch self {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .file(_, _, let count): max(0, count)
        }
    }

    /// Copies bytes of the body.
    ///
    /// - Returns: the number of bytes; 0 at the end of the body, or of a file that is shorter than it should be.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(Errno) -> Int {
        let count = min(buffer.count, self.count - position)
        guard count > 0 else { return 0 }
        switch self {
        case .none: return 0
        case .bytes(let bytes):
            bytes.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position...].prefix(count)))
            }
            return count
        case .file(let file, let offset, _):
            return try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset + position)
        }
    }
}
