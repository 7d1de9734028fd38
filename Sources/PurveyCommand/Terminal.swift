import Glibc
import LinuxSystem

/// The controlling terminal of the user, independent of standard input.
final class Terminal: Sendable {
    private let descriptor: FileDescriptor
    /// The counter that is raised to end all prompts.
    private let interrupted: EventCounter

    /// The maximum size of a line in bytes.
    private static let limit = 4096

    /// Opens the terminal, or returns `nil` if there is none.
    init?() {
        guard let descriptor = try? FileDescriptor.open("/dev/tty", .readWrite), let event = try? EventCounter() else {
            return nil
        }
        self.descriptor = descriptor
        interrupted = event
    }

    /// Whether there is a terminal to ask the user on.
    static var isThere: Bool { Terminal() != nil }

    /// Ends the current prompt and all later ones. May be called on any thread.
    func interrupt() { interrupted.raise() }

    /// Writes text.
    func say(_ text: String) throws {
        try Array(text.utf8).withUnsafeBytes { try descriptor.writeAll($0) }
    }

    /// Prompts for a line. Blocks.
    ///
    /// - Parameter isSecret: whether the input is not echoed.
    /// - Returns: the line without its end, or `nil` after ``interrupt()`` or at the end of the input.
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
        // The line end of the input was not echoed, or there was none.
        if isSecret || line == nil { try say("\n") }
        return line
    }

    private func readLine() throws -> String? {
        var line: [UInt8] = []
        // The capacity is reserved at once, because a reallocation would leave a copy of the line in memory.
        line.reserveCapacity(Self.limit)
        var byte = [UInt8](repeating: 0, count: 1)
        // The line may be a password, so it is overwritten.
        defer {
            line.clear()
            byte.clear()
        }
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

extension [UInt8] {
    /// Overwrites the bytes, so that they do not stay in memory after the array is released.
    mutating func clear() {
        withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
        }
    }
}
