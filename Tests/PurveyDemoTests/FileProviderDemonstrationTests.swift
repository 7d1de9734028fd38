import Foundation
import Glibc
import ProgramTesting
import Testing

/// The script of `make run`: a directory that is served as a cloud and mounted.
@Suite(.timeLimit(.minutes(10))) struct FileProviderDemonstrationTests {
    @Test func aFileThatWasNotHereIsFetchedAndAnEditArrives() async throws {
        let run = try await start(stay: false).end()
        #expect(run.status == 0, "\(run)")
        #expect(run.text.contains("dataless  156515      "), "\(run)")
        #expect(run.text.contains("state       current"))
        #expect(run.text.contains("Written through the mount."))
        #expect(!run.text.contains("Ctrl-C"))
    }

    @Test func itStaysUntilItIsInterruptedAndLeavesNothing() async throws {
        let demonstration = try start(stay: true)
        #expect(try await demonstration.hasPrinted("Ctrl-C"))
        demonstration.send(SIGTERM)
        let run = try await demonstration.end()
        #expect(run.status == 0, "\(run)")
        let home = try #require(
            run.text.split(separator: "\n").compactMap { $0.firstMatch(of: /PURVEY_HOME=([^ ]+)/) }.first)
        #expect(!FileManager.default.fileExists(atPath: String(home.1)))
    }

    /// Starts the script.
    private func start(stay: Bool) throws -> RunningProgram {
        let programs = (try BuiltProgram.path("purveyd") as NSString).deletingLastPathComponent
        return try RunningProgram(
            Repository.path("Scripts/demonstrate-file-provider"), [programs, Repository.path("Examples")],
            environment: ["STAY": stay ? "yes" : "no"])
    }
}
