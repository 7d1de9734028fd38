import AppExtension
import Glibc
import LinuxSystem

/// The part of an extension's log that one process writes.
final class LogLines: Sendable {
    private let log: ExtensionLog
    // Leaf lock.
    private let process = Lock<pid_t>(0)

    init(_ log: ExtensionLog) { self.log = log }

    /// Writes the first line of the process. Called before any output of the process is read.
    func begin(_ number: pid_t, _ bundle: ExtensionBundle) {
        process.withLock { $0 = number }
        let network = bundle.usesNetwork ? "" : ", without the network (no \(ExtensionBundle.networkKey))"
        write(["started: \(bundle.executable)\(network)"])
    }

    /// Appends lines. Blocks on the file system.
    func write(_ lines: [String]) {
        let number = process.withLock { $0 }
        log.write(lines, of: number)
    }
}
