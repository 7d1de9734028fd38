import Exchange
import Foundation
import Glibc
import LinuxSystem

/// Buffered standard output, written in large pieces.
///
/// Call ``flush()`` at the end. Output that was not flushed is lost.
struct StandardOutput: ~Copyable {
    private static let capacity = 1 << 16
    private var buffer: [UInt8] = []

    init() { buffer.reserveCapacity(Self.capacity + 4096) }

    /// Appends text.
    mutating func write(_ text: String) throws(StandardOutputError) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.capacity { try flush() }
    }

    /// Appends bytes unchanged.
    mutating func write(_ bytes: some Sequence<UInt8>) throws(StandardOutputError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.capacity { try flush() }
    }

    /// Appends bytes to the buffer through a closure.
    mutating func append(_ add: (inout [UInt8]) -> Void) throws(StandardOutputError) {
        add(&buffer)
        if buffer.count >= Self.capacity { try flush() }
    }

    /// Writes the buffered output.
    mutating func flush() throws(StandardOutputError) {
        try Self.print(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes text immediately.
    static func print(_ text: String) throws(StandardOutputError) { try print(Array(text.utf8)) }

    /// Writes bytes immediately.
    static func print(_ bytes: some ContiguousBytes) throws(StandardOutputError) {
        do throws(Errno) {
            try writeAll(bytes, to: STDOUT_FILENO)
        } catch {
            throw StandardOutputError(cause: error)
        }
    }

    fileprivate static func writeAll(_ bytes: some ContiguousBytes, to descriptor: CInt) throws(Errno) {
        let failure: Errno? = bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                do throws(Errno) {
                    let count = try retrying { Glibc.write(descriptor, rest.baseAddress, rest.count) }
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                } catch {
                    return error
                }
            }
            return nil
        }
        if let failure { throw failure }
    }
}

/// A failure to write to standard output.
struct StandardOutputError: Error, CustomStringConvertible {
    let cause: Errno

    /// Whether the reader has closed its end, usually because it had read enough.
    var isBrokenPipe: Bool { cause == .brokenPipe }

    var description: String { "standard output: \(cause)" }
}

/// Standard error, for one-line messages.
enum StandardError {
    /// Prints a line that does not report a failure, for commands that write data to standard output.
    static func say(_ message: String) {
        try? StandardOutput.writeAll(Array("\(message)\n".utf8), to: STDERR_FILENO)
    }

    /// Prints a line if standard error is a terminal, usually to explain an empty result. Scripts do not need it.
    static func note(_ message: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        say(OneLine.text(message))
    }

    /// Prints, on a terminal, that a command about all domains found no domain.
    static func noteNoDomain() { note("there is no domain; 'purvey domains add' adds one") }

    /// Prints `purvey: message`. Errors are ignored, because the reader may have closed its end.
    static func complain(_ message: String) {
        // The message may contain text of another process.
        let line = OneLine.text(message.split(whereSeparator: \.isNewline).joined(separator: " "))
        try? StandardOutput.writeAll(Array("purvey: \(line)\n".utf8), to: STDERR_FILENO)
    }
}

/// Warnings about environment variables that Purvey ignores.
enum LocationWarnings {
    /// Prints a line for each warning. Must be called once per command.
    static func complain() {
        // Without locations, the command fails and prints the reason.
        guard let locations = try? ExchangeClient.shared.locations.get() else { return }
        for warning in locations.warnings { StandardError.complain("warning: \(warning)") }
    }
}

/// JSON on standard output, for users and scripts.
enum JSONOutput {
    /// Prints a value and a line end.
    ///
    /// - Parameter onOneLine: `true` for commands that print one value after the other.
    static func print(_ value: some Encodable, onOneLine: Bool = false) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if !onOneLine { encoder.outputFormatting.insert(.prettyPrinted) }
        var output = StandardOutput()
        try output.write(try encoder.encode(value))
        try output.write("\n")
        try output.flush()
    }
}

/// Text of other programs, made safe for one line of output.
enum OneLine {
    /// Returns the text with control characters replaced, so that it does not move the cursor, start a line, or reverse
    /// the direction of the following text.
    static func text(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isHarmless($0) ? $0 : "\u{FFFD}" }))
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        // The excluded scalars change the direction of the following text. Other format characters, such as joiners,
        // are part of words.
        case .format: !(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value)
        default: true
        }
    }
}
