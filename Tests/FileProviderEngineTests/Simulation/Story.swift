import LinuxSystem

/// A log of the events of a simulation, for the analysis of a failure.
final class Story: Sendable {
    // Leaf lock.
    private let lines = Lock<[String]>([])

    func tell(_ line: String) { lines.withLock { $0.append(line) } }

    var text: String { lines.withLock { $0 }.joined(separator: "\n") }
}
