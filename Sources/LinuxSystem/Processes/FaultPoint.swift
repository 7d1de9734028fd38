import Glibc
import Synchronization

/// Steps at which a test may end this process as kill -9 does: nothing is lost whatever the step is.
///
/// A module lists its steps in one enumeration, so that a test can go through all of them. `PURVEY_FAULT_POINT=name` ends the process
/// when it comes to the step of that name, `name:3` when it comes there for the third time, and `name:3:stop` stops it then, as SIGSTOP
/// does. `PURVEY_FAULT_LOG=path` has it note in that file, a line each, the steps that it comes to. Everywhere else a step costs one look
/// at a constant.
package protocol FaultPoint: RawRepresentable<String>, CaseIterable, Sendable {}

extension FaultPoint {
    /// Says that the process has come to this step.
    package func reach() { FaultWatch.shared?.reach(rawValue) }
}

/// What this process is to do at its steps.
private final class FaultWatch: Sendable {
    /// The step at which the process is to end.
    private struct Wanted {
        let name: String
        let count: Int
        let signal: CInt

        init?(_ text: String) {
            let parts = text.split(separator: ":")
            guard let name = parts.first else { return nil }
            self.name = String(name)
            count = parts.count > 1 ? Int(parts[1]) ?? 1 : 1
            signal = parts.count > 2 && parts[2] == "stop" ? SIGSTOP : SIGKILL
        }
    }

    private let wanted: Wanted?
    private let log: FileDescriptor?
    private let reached = Atomic<Int>(0)

    static let shared = FaultWatch()

    private init?() {
        func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        wanted = variable("PURVEY_FAULT_POINT").flatMap { Wanted($0) }
        log = variable("PURVEY_FAULT_LOG").flatMap { try? .open($0, [.writeOnly, .append]) }
        if wanted == nil, log == nil { return nil }
    }

    func reach(_ name: String) {
        note(name)
        guard let wanted, wanted.name == name,
            reached.wrappingAdd(1, ordering: .relaxed).newValue == wanted.count
        else { return }
        note("fault " + name)
        kill(getpid(), wanted.signal)
    }

    private func note(_ words: String) {
        // Whole, because the file is appended to; a line that cannot be written is not worth a fault.
        try? Array((words + "\n").utf8).withUnsafeBytes { try log?.writeAll($0) }
    }
}
