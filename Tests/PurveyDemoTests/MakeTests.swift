import FileTesting
import Foundation
import ProgramTesting
import Testing

/// Tests of make's goals up to the start of the build.
@Suite(.timeLimit(.minutes(10))) struct MakeTests {
    @Test(arguments: [
        "run", "build", "demo", "lint", "test-debug", "thread-sanitizer", "benchmark", "faults", "install", "deb",
    ])
    func aMissingToolchainIsNoticedFirst(goal: String) async throws {
        let run = try await Repository.make(goal, "SWIFT=swift-of-no-machine", "DESTDIR=/dev/null")
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
        #expect(run.errors.hasPrefix("make \(goal): 'swift-of-no-machine' is no program: install a Swift "), "\(run)")
    }

    @Test(arguments: [
        (["HAS_ADWAITA=yes", "DISPLAY=:0"], true), (["HAS_ADWAITA=yes", "DISPLAY=:0", "STAY=yes"], true),
        (["HAS_ADWAITA=yes", "DISPLAY=:0", "STAY=no"], false), (["HAS_ADWAITA=", "DISPLAY=:0"], false),
        (["HAS_ADWAITA=yes", "DISPLAY=", "WAYLAND_DISPLAY="], false),
    ])
    func theWindowIsBuiltOnlyForARunThatShowsIt(settings: [String], isBuilt: Bool) async throws {
        let run = try await Repository.make(["--dry-run", "run"] + settings)
        #expect(run.status == 0 && run.text.contains("PurveyDaemon"), "\(run)")
        #expect(run.text.contains("PurveyFiles") == isBuilt, "\(run)")
    }

    @Test func theFullTestSaysAtOnceThatItNeedsRoot() async throws {
        let folder = try TestFolder()
        // Without the check for root, make would report the missing toolchain.
        let script = """
            mkdir tools; printf '#!/bin/sh\\necho 1000\\n' >tools/id; chmod a+x tools/id
            PATH=$PWD/tools:$PATH make -C "$0" test-full SWIFT=swift-of-no-machine
            """
        let run = try await RunningProgram(
            "/bin/sh", ["-c", script, Repository.folder.path], environment: Repository.environmentOfMake,
            in: folder.path
        ).end()
        #expect(run.status == 2 && run.errors.hasPrefix("make test-full: its last step "), "\(run)")
        #expect(run.errors.contains("which needs root: "), "\(run)")
    }
}
