import LinuxSystem

/// Values that the first caller gets, and later callers do not.
final class FirstOnly: Sendable {
    // Innermost.
    private let values: Lock<[String]>

    init(_ values: [String]) { self.values = Lock(values) }

    func take() -> [String] {
        values.withLock { values in
            defer { values = [] }
            return values
        }
    }
}
