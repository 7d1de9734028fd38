import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Processes that are killed while they copy.
@Suite(.ownThreads) struct CopyKilledTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test func aProcessThatIsKilledWhileItCopiesAFileLeavesNothing() async throws {
        try folder.file("a", pattern(40 << 20))
        try folder.folder("out")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            let source = try FileDescriptor.open(path + "/a", .readOnly)
            let out = try FileDescriptor.open(path + "/out", [.readOnly, .directory])
            try FileCopier.copy(
                source, into: out, named: "copy",
                progress: { done, _ in if done > 0 { kill(getpid(), SIGKILL) } })
        }
        #expect(try folder.names("out") == [])
    }

    @Test func remainsOfAKilledCopyAreHiddenAndSweptByTheNext() async throws {
        try folder.folder("tree")
        try folder.file("tree/a", pattern(1 << 20))
        try folder.folder("out")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            let source = try FileDescriptor.open(path + "/tree", [.readOnly, .directory])
            let out = try FileDescriptor.open(path + "/out", [.readOnly, .directory])
            try TreeCopier.copy(
                source, into: out, named: "copy",
                progress: { done, _ in if done > 0 { kill(getpid(), SIGKILL) } })
        }
        let left = try folder.names("out")
        #expect(left.count == 1 && left.allSatisfy { $0.hasPrefix(".purvey-partial-") })
        let tree = try folder.descriptor.open("tree", [.readOnly, .directory])
        let out = try folder.descriptor.open("out", [.readOnly, .directory])
        try TreeCopier.copy(tree, into: out, named: "copy")
        #expect(try folder.names("out") == ["copy"])
    }
}
