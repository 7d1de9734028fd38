import Foundation
import Glibc
import ProgramTesting
import Testing

/// The running processes of a place.
extension CommandFixture {
    /// Returns the daemon's process, starting a daemon if none runs.
    func daemon() async throws -> pid_t {
        let status = try await purvey("status", "--json")
        let object = try JSONSerialization.jsonObject(with: status.output) as? [String: Any]
        return pid_t(try #require(object?["daemon"] as? Int))
    }

    /// Ends the daemon, and waits for its end.
    func endDaemon(by signal: CInt = SIGTERM) async throws {
        let daemon = try await daemon()
        kill(daemon, signal)
        for _ in 0..<3_000 where kill(daemon, 0) == 0 && !Self.isZombie(daemon) {
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private static func isZombie(_ process: pid_t) -> Bool {
        let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return text.contains(") Z ")
    }

    /// Returns the processes with a program's path on their command line.
    func processes(of program: String) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            FileManager.default.contents(atPath: "/proc/\(process)/cmdline")?.range(of: Data(program.utf8)) != nil
                && !Self.isZombie(process)
        }
    }
}
