import Glibc
import LinuxSystem

/// The terminal that a person sits at, whatever standard input is.
final class Terminal: Sendable {
    private let descriptor: FileDescriptor
    /// Raised when the person wants to be asked no more.
    private let interrupted: EventCounter

    /// The most bytes of a line.
    private static let limit = 4096

    /// `nil` where there is none.
    init?() {
        guard let descriptor = try? FileDescriptor.open("/dev/tty", .readWrite), let event = try? EventCounter() else {
            return nil
        }
        self.descriptor = descriptor
        interrupted = event
    }

    /// Whether there is a person to ask.
    static var isThere: Bool { Terminal() != nil }

    /// Ends what is being asked, and what is asked later. Called on any thread.
    func interrupt() { interrupted.raise() }

    /// Writes something.
    func say(_ text: String) throws {
        try Array(text.utf8).withUnsafeBytes { try descriptor.writeAll($0) }
    }

    /// Asks for a line. Blocks.
    ///
    /// - Parameter isSecret: the terminal shows nothing of the answer.
    /// - Returns: the line without its end; `nil` when there is none, because of ``interrupt()`` or because the person ended the
    ///   input.
    func ask(_ question: String, isSecret: Bool = false) throws -> String? {
        var before = termios()
        guard tcgetattr(descriptor.rawValue, &before) == 0 else {
            throw CommandError("the terminal cannot be asked: \(Errno.current)")
        }
        if isSecret {
            var quiet = before
            quiet.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(descriptor.rawValue, TCSAFLUSH, &quiet)
        }
        defer { if isSecret { tcsetattr(descriptor.rawValue, TCSAFLUSH, &before) } }
        try say(question)
        let line = try readLine()
        // The person's own line end was not shown, or there was none.
        if isSecret || line == nil { try say("\n") }
        return line
    }

    private func readLine() throws -> String? {
        var line: [UInt8] = []
        var byte = [UInt8](repeating: 0, count: 1)
        while line.count < Self.limit {
            var sources = [
                pollfd(fd: interrupted.descriptor.rawValue, events: CShort(POLLIN), revents: 0),
                pollfd(fd: descriptor.rawValue, events: CShort(POLLIN), revents: 0),
            ]
            try retrying { poll(&sources, nfds_t(sources.count), -1) }
            if sources[0].revents != 0 { return nil }
            let count = try byte.withUnsafeMutableBytes { try descriptor.read(into: $0) }
            guard count == 1 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
            if byte[0] == UInt8(ascii: "\n") { break }
            line += byte
        }
        return String(decoding: line, as: UTF8.self)
    }
}
