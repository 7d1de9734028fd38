import Glibc
import Synchronization

/// A step at which a test may end this process, as `kill -9` does. The process must not lose data if it ends at any of
/// these steps.
///
/// A module lists its steps in one enumeration, so that a test can go through all of them. `PURVEY_FAULT_POINT=name`
/// ends the process when it reaches the step of that name, and `name:3` when it reaches the step for the third time.
/// `name:3:stop` suspends it at this moment, as SIGSTOP does. `PURVEY_FAULT_LOG=path` makes the process append the name
/// of every reached step to that file, one per line. Without these variables, ``reach()`` only loads a constant.
package protocol FaultPoint: RawRepresentable<String>, CaseIterable, Sendable {}

extension FaultPoint {
    /// Records that the process has reached this step. Ends or suspends the process if a test has requested it.
    package func reach() { FaultWatch.shared?.reach(rawValue) }
}

/// The actions that the environment variables request at the steps of this process.
private final class FaultWatch: Sendable {
    /// A request to end or suspend the process when it reaches the step `name` for the `count`th time.
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
        // The file is opened for appending, so lines of several processes stay whole. A failed write is ignored.
        try? Array((words + "\n").utf8).withUnsafeBytes { try log?.writeAll($0) }
    }
}
