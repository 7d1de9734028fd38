import FileProvider
import FileProviderEngine
import FileTesting
import Foundation
import LinuxSystem
import ProgramTesting
import ProviderTesting
import TestThreads
import Testing

/// Tests of a file that grows at the provider while programs have it open.
@Suite(.ownThreads, .enabled(if: canMount))
struct GrowingFileTests {
    @Test(arguments: [true, false]) func tailFollowsItAndAnAppendMakesNoConflict(passing: Bool) async throws {
        try await withMount(passing: passing) {
            $0.addFile("f", "one\n")
        } _: { (mount) throws in
            let tail = try start("tail", "-n", "+1", "-s", "0.1", "-f", mount("f"))
            #expect(try await tail.lines(1) == ["one"])
            mount.provider.write("one\ntwo\n", to: try #require(mount.provider.identifier(at: "f")))
            mount.engine.signal(container: nil)
            #expect(try await tail.lines(2) == ["one", "two"])
            #expect(try mount.text("f") == "one\ntwo\n")
            #expect(try FileStatus.of(mount("f")).size == 8)
            _ = try start("sh", "-c", "echo three >>\"$1\"", "sh", mount("f")).waitForEnd()
            mount.waitUntilSent()
            #expect(try await tail.lines(3) == ["one", "two", "three"])
            #expect(mount.provider.tree == ["f": "one\ntwo\nthree\n"])
            tail.send(SIGTERM)
            _ = try tail.waitForEnd()
        }
    }
}
