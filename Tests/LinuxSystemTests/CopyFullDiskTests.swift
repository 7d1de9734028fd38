import FileTesting
import LinuxSystem
import TestThreads
import Testing

/// A disk of 4 MB, which is too small for the copy.
@Suite(.enabled(if: TestDisk.isWanted(.tmpfs), "no tmpfs can be mounted here"), .ownThreads)
struct CopyFullDiskTests {
    let folder: TestFolder
    let disk: TestDisk

    init() throws {
        folder = try TestFolder()
        disk = try TestDisk(.tmpfs, megabytes: 4)
    }

    @Test func aFileThatDoesNotFitSaysSoAndLeavesNothing() throws {
        let source = try folder.file("a", pattern(8 << 20))
        #expect(throws: CopyError.noSpace(path: "b")) {
            try FileCopier.copy(source, into: disk.descriptor, named: "b")
        }
        #expect(try disk.names() == [])
        try FileCopier.copy(try folder.file("small", pattern(3 << 20)), into: disk.descriptor, named: "small")
        #expect(try disk.names() == ["small"])
    }

    @Test func aTreeThatDoesNotFitSaysWhereAndLeavesNothing() throws {
        let tree = try folder.folder("tree")
        for name in ["a", "b", "c", "d", "e"] { try folder.file("tree/\(name)", pattern(1 << 20)) }
        let failure = #expect(throws: CopyError.self) {
            try TreeCopier.copy(tree, into: disk.descriptor, named: "copy")
        }
        #expect(failure == .noSpace(path: "d") || failure == .noSpace(path: "e"))
        #expect(try disk.names() == [])
    }
}
