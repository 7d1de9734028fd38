import Foundation
import Glibc
import ProgramTesting
import Testing

/// Copies of the memory of processes that have passwords in it.
@Suite(.timeLimit(.minutes(10))) struct CoreDumpTests {
    /// The size that a core dump of a process may have, as `/proc` shows it.
    private func limit(of process: pid_t) throws -> String? {
        let text = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        return line?.split(separator: " ").dropFirst(4).first.map(String.init)
    }

    @Test func theDaemonLeavesNoCoreDump() async throws {
        try await CommandFixture.run { place in
            let limit = try limit(of: try await place.daemon())
            // One byte also keeps a program from getting it that the kernel hands dumps to.
            #expect(limit == "1" || limit == "0", "\(limit ?? "none")")
        }
    }

    @Test func coreDumpsCanBeHadToLookForAFault() async throws {
        try await CommandFixture.run { place in
            let run = try await place.shell(
                "export PURVEY_CORE_DUMPS=1; ulimit -c; '\(BuiltProgram.path("purvey"))' list >/dev/null")
            #expect(run.status == 0, "\(run.errors)")
            let usual = run.text.split(separator: "\n").first.map(String.init)
            let limit = try limit(of: try await place.daemon())
            // The shell counts blocks.
            if usual == "0" || usual == "unlimited" { #expect(limit == usual) } else { #expect(limit != "1") }
        }
    }
}
