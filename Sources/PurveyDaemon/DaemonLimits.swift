import LinuxSystem

/// The limits that this daemon has to live with: those of whoever started it which it may not raise.
enum DaemonLimits {
    /// Fewer descriptors than a process has anywhere else.
    private static let fewDescriptors: UInt64 = 1024

    /// What will fail before its time, one sentence each; empty on an ordinary system.
    static var narrow: [String] {
        ResourceLimit.allCases.compactMap { limit -> String? in
            guard let value = limit.current, let words = words(limit, value) else { return nil }
            return "whoever started this daemon was limited, and it cannot change that: it may \(words)"
        }
    }

    private static func words(_ limit: ResourceLimit, _ value: UInt64) -> String? {
        switch limit {
        case .descriptors:
            value < fewDescriptors ? "have only \(value) files and connections open" : nil
        case .fileSize: "write only \(value) bytes to one file"
        case .processorTime: "run for only \(value) seconds of processor time"
        case .addressSpace, .data: "take only \(value) bytes of memory"
        // Of processes there is a limit everywhere; a stack is either large enough or ends it at once.
        case .processes, .stack: nil
        }
    }
}
