import LinuxSystem

/// The file that receives a response's body. libcurl delivers at most 16 KiB at a time, regardless of the size of
/// libcurl's buffer. The bytes are gathered and written in larger pieces, which takes the kernel less than half of the
/// time.
///
/// Only the client's thread uses it.
final class BodyFile {
    /// The number of bytes that are written at once.
    private static let size = 256 << 10

    private let file: FileDescriptor
    /// The offset in the file at which the first gathered byte belongs.
    private var offset: Int
    private var gathered: UnsafeMutableRawBufferPointer?
    /// The number of gathered bytes, which are not in the file yet.
    private(set) var pending = 0

    init(_ file: FileDescriptor, offset: Int) {
        self.file = file
        self.offset = offset
    }

    deinit { gathered?.deallocate() }

    /// Gathers bytes, and writes them when the buffer is full.
    func add(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
        var rest = bytes
        while !rest.isEmpty {
            let buffer = gathered ?? .allocate(byteCount: Self.size, alignment: 64)
            gathered = buffer
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(buffer.count - pending))
            UnsafeMutableRawBufferPointer(rebasing: buffer[pending...]).copyMemory(from: piece)
            pending += piece.count
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
            if pending == buffer.count { try flush() }
        }
    }

    /// Writes the gathered bytes. If writing fails, they stay pending.
    func flush() throws(Errno) {
        guard let gathered, pending > 0 else { return }
        try file.writeAll(UnsafeRawBufferPointer(rebasing: gathered[..<pending]), at: offset)
        offset += pending
        pending = 0
    }
}
