import LinuxSystem

/// What happened, line by line, for whoever looks into a failure.
final class Story: Sendable {
    // Innermost.
    private let lines = Lock<[String]>([])

    func tell(_ line: String) { lines.withLock { $0.append(line) } }

    var text: String { lines.withLock { $0 }.joined(separator: "\n") }
}
