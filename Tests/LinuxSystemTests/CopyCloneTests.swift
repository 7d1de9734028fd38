import FileTesting
import LinuxSystem
import TestThreads
import Testing

/// Clones, on file systems that share blocks.
@Suite(.serialized, .ownThreads) struct CopyCloneTests {
    @Test(
        .enabled(
            if: TestDisk.isWanted(.xfs) && TestDisk.isWanted(.btrfs), "no image of xfs or btrfs can be mounted here"),
        arguments: [TestDisk.Kind.xfs, .btrfs])
    func aFileIsClonedWithItsAttributes(kind: TestDisk.Kind) throws {
        let disk = try TestDisk(kind, megabytes: 512)
        let source = try disk.descriptor.open("a", [.readWrite, .create, .exclusive])
        let bytes = pattern(20 << 20)
        try source.overwrite(bytes, at: 0)
        try source.setAttribute("user.colour", "green")
        var seen: [Int] = []
        let method = try FileCopier.copy(
            source, into: disk.descriptor, named: "b", progress: { done, _ in seen.append(done) })
        #expect(method == .clone)
        #expect(seen == [0, 20 << 20])
        let copy = try disk.descriptor.open("b", .readOnly)
        #expect(try copy.everything() == bytes)
        #expect(copy.attribute("user.colour") == "green")
        // Later writes to the original do not change the clone.
        try source.overwrite([1, 2, 3], at: 0)
        #expect(try copy.everything() == bytes)
    }

    @Test(
        .enabled(if: TestDisk.isWanted(.xfs), "no image of xfs can be mounted here"))
    func betweenFileSystemsBytesAreCopied() throws {
        let disk = try TestDisk(.xfs, megabytes: 512)
        let folder = try TestFolder()
        let bytes = pattern(3 << 20)
        let method = try FileCopier.copy(try folder.file("a", bytes), into: disk.descriptor, named: "a")
        #expect(method != .clone)
        #expect(try disk.descriptor.open("a", .readOnly).everything() == bytes)
    }
}
