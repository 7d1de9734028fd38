import Glibc
import LinuxSystem
import Synchronization

/// The last of what a program wrote to its standard error.
final class ErrorTail: Sendable {
    private static let limit = 4 << 10
    /// What the program gets as its standard error.
    let input: FileDescriptor
    private let output: FileDescriptor

    init() throws(Errno) {
        (output, input) = try FileDescriptor.pipe()
        let number = output.rawValue
        try retrying { fcntl(number, F_SETFL, O_NONBLOCK) }
    }

    private let kept = Mutex<[UInt8]>([])

    /// Takes what is there, so that the program never waits for a reader. Does not block.
    func drain() {
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = read(output.rawValue, &piece, piece.count)
            guard count > 0 else { return }
            kept.withLock { kept in
                kept.append(contentsOf: piece[..<count])
                if kept.count > Self.limit { kept.removeFirst(kept.count - Self.limit) }
            }
        }
    }

    /// Readable when there is something to take.
    var descriptor: FileDescriptor { output }

    /// The last lines, at most five.
    var lines: [String] {
        let text = String(decoding: kept.withLock { $0 }, as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).suffix(5).map(String.init)
    }
}
