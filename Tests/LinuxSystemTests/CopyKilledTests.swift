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

    @Test func anIncompleteFileIsRecognizedByItsMark() throws {
        func incomplete() throws -> [String] {
            try folder.names().filter { TemporaryName.isIncomplete($0, in: folder.descriptor) }
        }
        let copy = ".purvey-partial-0123456789abcdef"
        try folder.file(copy, [1])
        var staged = try StagedFile(in: folder.descriptor, permissions: 0o600)
        let name = try #require(try folder.names().first { $0 != copy })
        #expect(try incomplete() == [name])
        try staged.publish(as: try #require(FileName("a")))
        #expect(try incomplete() == [] && folder.names() == [copy, "a"])
        #expect(staged.descriptor.attribute("user.purvey.partial") == nil)
    }

    @Test func theFileOfAProcessThatIsKilledBeforeItReplacesAnotherIsSwept() async throws {
        try folder.file("a", [1, 2])
        try folder.file("b", [3])
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            setenv("PURVEY_FAULT_POINT", StagedFileStep.linked.rawValue, 1)
            let source = try FileDescriptor.open(path + "/a", .readOnly)
            let directory = try FileDescriptor.open(path, [.readOnly, .directory])
            try FileCopier.copy(source, into: directory, named: "b", replacing: true)
        }
        #expect(try folder.content("b") == [3])
        let left = try #require(try folder.names().first { $0.hasPrefix(".purvey-partial-") })
        // A user keeps the leftover by a hard link, and has a copy with the same attribute and a name of the same form.
        let copy = ".purvey-partial-0123456789abcdef"
        try folder.file(copy, [1, 2])
        let leftover = try folder.descriptor.open(left, .readOnly)
        let mark = try #require(leftover.attribute("user.purvey.partial"))
        try folder.descriptor.open(copy, .readWrite).setAttribute("user.purvey.partial", mark)
        let names = [".purvey-partial-0", copy, "a", "b", "kept"]
        for name in ["kept", names[0]] { try retrying { link(folder.path + "/" + left, folder.path + "/" + name) } }
        TemporaryName.sweepMarked(folder.descriptor)
        #expect(try folder.names() == names)
        let source = try folder.descriptor.open("a", .readOnly)
        try FileCopier.copy(source, into: folder.descriptor, named: "b", replacing: true)
        #expect(try folder.content("b") == [1, 2])
        #expect(try folder.names() == names)
        let replaced = try folder.descriptor.open("b", .readOnly)
        #expect(replaced.attribute("user.purvey.partial") == nil)
    }
}
