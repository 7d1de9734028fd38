import LinuxSystem

/// Values that only the first call of ``take()`` returns.
final class FirstOnly: Sendable {
    // Leaf lock.
    private let values: Lock<[String]>

    init(_ values: [String]) { self.values = Lock(values) }

    func take() -> [String] {
        values.withLock { values in
            defer { values = [] }
            return values
        }
    }
}
