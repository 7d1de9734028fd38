import DocumentPicker
import FileTesting
import Testing

/// Tests of pickers whose program misbehaves. The program is a script of the test.
@Suite struct PickerProgramTests {
    private func report(of program: String) async -> PickerProcess.Event {
        await withCheckedContinuation { continuation in
            _ = PickerProcess.start(PickerRequest(.files), program: program) { continuation.resume(returning: $0) }
        }
    }

    /// Runs a picker with a script in place of the program, and returns the failure that it reports.
    private func failure(of script: String) async throws -> String {
        let folder = try TestFolder()
        try folder.file("picker", Array("#!/bin/sh\n\(script)\n".utf8), permissions: 0o755)
        guard case .failed(let error) = await report(of: folder.path + "/picker") else { return "no failure" }
        return error.description
    }

    @Test func aPickerThatCrashesIsReportedAsOne() async throws {
        #expect(try await failure(of: "kill -SEGV $$") == "The document picker crashed (signal 11)")
    }

    @Test func theReasonOfAPickerThatFailsIsReported() async throws {
        #expect(try await failure(of: "echo 'purvey-files: there is no display' >&2; exit 1").contains("no display"))
    }

    @Test func aPickerThatEndsWithoutAWordIsAFailure() async throws {
        #expect(try await failure(of: "exit 0") == "The document picker ended unexpectedly")
    }

    @Test func aMissingProgramIsReported() async throws {
        guard case .failed(let error) = await report(of: "/nowhere/purvey-files") else {
            Issue.record("a program that does not exist ran")
            return
        }
        #expect(error.description.contains("cannot be started"))
    }
}
