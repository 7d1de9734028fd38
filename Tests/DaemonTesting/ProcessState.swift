import Foundation
import Glibc

/// The state of processes, according to the kernel.
package enum ProcessState {
    /// Whether a process is a zombie: it has ended, except possibly for threads that cannot end yet.
    package static func isDead(_ process: pid_t) -> Bool { fields(of: process).first == "Z" }

    /// Whether a process is stopped, as after SIGSTOP.
    package static func isStopped(_ process: pid_t) -> Bool { fields(of: process).first == "T" }

    /// Whether a process exists and is no zombie.
    package static func isAlive(_ process: pid_t) -> Bool { kill(process, 0) == 0 && !isDead(process) }

    /// Returns a memory size of a process in bytes; `nil` if it is not known.
    ///
    /// - Parameter key: A key of `/proc/PID/status`: `VmRSS` for the current size, `VmHWM` for the peak.
    package static func memory(of process: pid_t, _ key: String) -> Int? {
        let lines = ((try? Files.read("/proc/\(process)/status")) ?? "").split(separator: "\n")
        let words = lines.first { $0.hasPrefix(key + ":") }?.split(whereSeparator: \.isWhitespace)
        return words.flatMap { $0.count > 1 ? Int($0[1]) : nil }.map { $0 << 10 }
    }

    /// Returns the living child processes of a process.
    package static func children(of parent: pid_t) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            let fields = fields(of: process)
            return fields.count > 1 && pid_t(fields[1]) == parent && fields[0] != "Z"
        }
    }

    /// Returns the fields of `/proc/PID/stat` from the third on.
    private static func fields(of process: pid_t) -> [Substring] {
        let text = (try? Files.read("/proc/\(process)/stat")) ?? ""
        // The name, in parentheses, may contain any characters.
        return text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ").dropFirst().map { $0 }
    }
}
