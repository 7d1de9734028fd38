import LinuxSystem

/// The resource limits that this daemon inherited and may not raise.
enum DaemonLimits {
    /// The number of descriptors below which the limit is reported. It is lower than the usual minimum.
    private static let fewDescriptors: UInt64 = 1024

    /// Sentences about the operations that will fail because of low limits. Empty on an ordinary system.
    static var narrow: [String] {
        ResourceLimit.allCases.compactMap { limit -> String? in
            guard let value = limit.current, let words = words(limit, value) else { return nil }
            return "this daemon was started with low limits, which it cannot change: it may \(words)"
        }
    }

    private static func words(_ limit: ResourceLimit, _ value: UInt64) -> String? {
        switch limit {
        case .descriptors:
            value < fewDescriptors ? "have only \(value) files and connections open" : nil
        case .fileSize: "write only \(value) bytes to one file"
        case .processorTime: "run for only \(value) seconds of processor time"
        case .addressSpace, .data: "take only \(value) bytes of memory"
        // A limit on processes exists everywhere, and a stack is either large enough or too small to start.
        case .processes, .stack: nil
        }
    }
}
