import CloudTesting
import FileTesting
import ProgramTesting
import Testing

/// Tests by independent programs: synchronization clients and litmus test the tests' Nextcloud server, and other
/// programs test the servers and the proxy.
@Suite(.timeLimit(.minutes(TestSample.minutes(10)))) struct JudgeTests {
    /// The modules of `Tests/CloudServers/judge`; in a sample, those that need no client of another package.
    static let modules =
        TestSample.isWhole
        ? [
            "test_accounts", "test_files", "test_litmus", "test_nextcloudcmd", "test_owncloudcmd", "test_push",
            "test_rclone", "test_servers", "test_stage", "test_state", "test_trash", "test_uploads",
        ] : ["test_litmus", "test_stage"]

    @Test(arguments: Self.modules)
    func `clients and judges by others find nothing wrong`(module: String) async throws {
        // A missing program fails a test where this variable is set.
        let isEnforced = Requirement.isEnforced || TestSample.isWhole
        let run = try await RunningProgram(
            "/usr/bin/python3", [CloudServer.folder + "/test", module], environment: ["CI": isEnforced ? "true" : nil]
        ).end()
        #expect(run.status == 0, "\(run)")
    }
}
