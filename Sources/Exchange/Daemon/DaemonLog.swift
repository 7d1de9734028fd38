import Glibc

/// Writes the daemon's log to standard error, with one line per message.
package struct DaemonLog: Sendable {
    /// The level of a message. The cases are in the order from the most important to the most verbose level.
    package enum Level: Int, Sendable, CaseIterable, Comparable {
        case error, warning, info, debug

        package init?(name: String) {
            guard let level = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
            self = level
        }

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    private let level: Level?

    /// Creates a log.
    ///
    /// - Parameter level: The most verbose level that is written; `nil` if no message is written.
    package init(_ level: Level?) { self.level = level }

    package func error(_ message: @autoclosure () -> String) { write(.error, message) }
    package func warning(_ message: @autoclosure () -> String) { write(.warning, message) }
    package func info(_ message: @autoclosure () -> String) { write(.info, message) }
    package func debug(_ message: @autoclosure () -> String) { write(.debug, message) }

    private func write(_ level: Level, _ message: () -> String) {
        guard let limit = self.level, level <= limit else { return }
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var stamp = [CChar](repeating: 0, count: 32)
        strftime(&stamp, stamp.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        let text = String(decoding: stamp.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The message may contain text from a peer, which must not start a new line.
        let line = message().map { $0.isNewline ? " " : $0 }
        let bytes = Array("\(text) \(level) ".utf8) + Array(String(line).utf8) + [UInt8(ascii: "\n")]
        // One write per line, so that lines of several threads do not mix. An error cannot be reported.
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
