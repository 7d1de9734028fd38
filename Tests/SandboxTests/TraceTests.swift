import FileTesting
import Foundation
import LinuxSystem
import ProgramTesting
import TestThreads
import Testing

/// Scripts/trace-extension, which prints the system calls that a confined program needed and lacked.
@Suite(.ownThreads, .enabled(if: Requirement.isWanted(program: "strace"))) struct TraceTests {
    @Test func theCallsThatAProgramNeededAndLackedArePrinted() throws {
        let folder = try TestFolder()
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Scripts/trace-extension").path
        let output = try MemoryFile.create(name: "output")
        let child = try ChildProgram.start(
            "/usr/bin/python3",
            arguments: [
                script, try BuiltProgram.path("SandboxPeer"), folder.path, "/usr/bin/python3", "-c",
                "import os\ntry: os.truncate('/etc/hosts', 0)\nexcept OSError as error: print(error.strerror)",
            ], descriptors: [nil, output, output])
        #expect(try child.wait() == .exited(0))
        let text = String(decoding: try output.everything(), as: UTF8.self)
        #expect(text.contains("Operation not permitted\n"))
        let parts = text.components(separatedBy: "lacked:")
        #expect(parts.count == 2 && parts[0].contains("needed:\n") && parts[0].contains(" openat\n"))
        #expect(parts.last?.contains(" truncate EPERM\n") == true, "\(text)")
        // The program that starts it is not confined.
        #expect(!text.contains(" landlock_add_rule"))
    }
}
