import Glibc
import Synchronization

/// Steps at which a test may end this process as kill -9 does: nothing is lost whatever the step is.
///
/// A module lists its steps in one enumeration, so that a test can go through all of them. `PURVEY_FAULT_POINT=name` ends the process
/// when it comes to the step of that name, `name:3` when it comes there for the third time, and `name:3:stop` stops it then, as SIGSTOP
/// does. Everywhere else a step costs one look at a constant.
package protocol FaultPoint: RawRepresentable<String>, CaseIterable, Sendable {}

extension FaultPoint {
    /// Says that the process has come to this step.
    package func reach() { WantedFault.shared?.reach(rawValue) }
}

/// The step at which this process is to end.
private final class WantedFault: Sendable {
    private let name: String
    private let count: Int
    private let signal: CInt
    private let reached = Atomic<Int>(0)

    static let shared = getenv("PURVEY_FAULT_POINT").flatMap { WantedFault(String(cString: $0)) }

    private init?(_ text: String) {
        let parts = text.split(separator: ":")
        guard let name = parts.first else { return nil }
        self.name = String(name)
        count = parts.count > 1 ? Int(parts[1]) ?? 1 : 1
        signal = parts.count > 2 && parts[2] == "stop" ? SIGSTOP : SIGKILL
    }

    func reach(_ name: String) {
        guard name == self.name, reached.wrappingAdd(1, ordering: .relaxed).newValue == count else { return }
        kill(getpid(), signal)
    }
}
