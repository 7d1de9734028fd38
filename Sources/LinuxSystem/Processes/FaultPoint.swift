import Glibc
import Synchronization

/// A step at which a test may end this process as kill -9 does: nothing is lost whatever the step is.
///
/// `PURVEY_FAULT_POINT=name` ends the process when it comes to that step, `name:3` when it comes there for the third time. Everywhere
/// else a step costs one look at a constant.
package enum FaultPoint {
    private struct Wanted: Sendable {
        let name: String
        let count: Int
    }

    private static let wanted: Wanted? = {
        guard let text = getenv("PURVEY_FAULT_POINT").map({ String(cString: $0) }), !text.isEmpty else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1)
        return Wanted(name: String(parts[0]), count: parts.count > 1 ? Int(parts[1]) ?? 1 : 1)
    }()

    private static let reached = Atomic<Int>(0)

    /// Says that the process has come to a step.
    package static func reach(_ name: StaticString) {
        guard let wanted, wanted.name == name.description else { return }
        if reached.wrappingAdd(1, ordering: .relaxed).newValue == wanted.count { kill(getpid(), SIGKILL) }
    }
}
