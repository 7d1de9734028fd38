import CLinux
import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct CopyTreeTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// Makes a tree of files, directories, links within it and out of it, a read-only directory and a pipe.
    private func makeTree() throws -> FileDescriptor {
        try folder.folder("tree")
        try folder.folder("tree/sub")
        try folder.folder("tree/empty")
        let file = try folder.file("tree/a.txt", Array("hello".utf8))
        try file.setAttribute("user.colour", "green")
        try folder.file("tree/sub/b.bin", pattern(2_000_000))
        try folder.link("tree/out", to: "/etc/hostname")
        try folder.link("tree/sub/up", to: "../a.txt")
        try retrying { mkfifo(folder.path + "/tree/sub/pipe", 0o600) }
        try retrying { chmod(folder.path + "/tree/sub", 0o555) }
        return try folder.descriptor.open("tree", [.readOnly, .directory])
    }

    @Test func aTreeIsCopiedWithModesAttributesAndLinksAsLinks() throws {
        let tree = try makeTree()
        let old = timespec(tv_sec: 3000, tv_nsec: 0)
        try retrying { futimens(tree.rawValue, [old, old]) }
        var last = (0, 0)
        let report = try TreeCopier.copy(
            tree, into: folder.descriptor, named: "copy", progress: { last = ($0, $1) })
        #expect(report.files == 2)
        #expect(report.bytes == 2_000_005)
        #expect(report.skipped == [.init(path: "sub/pipe", kind: .fifo)])
        #expect(last == (2_000_005, 2_000_005))
        #expect(try folder.names() == ["copy", "tree"])
        #expect(try folder.names("copy") == ["a.txt", "empty", "out", "sub"])
        #expect(try folder.names("copy/sub") == ["b.bin", "up"])
        #expect(try folder.content("copy/sub/b.bin") == pattern(2_000_000))
        #expect(try folder.descriptor.open("copy/a.txt", .readOnly).attribute("user.colour") == "green")
        #expect(try folder.status("copy/out").kind == .symbolicLink)
        #expect(try folder.status("copy/sub").permissions == 0o555)
        #expect(try folder.status("copy").modified.tv_sec == 3000)
        let up = try folder.descriptor.open("copy/sub", [.readOnly, .directory])
        #expect(try up.target(ofLink: #require(FileName("up"))) == Array("../a.txt".utf8))
    }

    @Test func aCancelledTreeLeavesNothing() throws {
        let tree = try makeTree()
        var asked = 0
        #expect(throws: CopyError.cancelled) {
            try TreeCopier.copy(
                tree, into: folder.descriptor, named: "copy",
                isCancelled: {
                    asked += 1
                    return asked > 8
                })
        }
        #expect(try folder.names() == ["tree"])
    }

    @Test func aFolderIsNotCopiedIntoItself() throws {
        let tree = try makeTree()
        let inside = try folder.descriptor.open("tree/empty", [.readOnly, .directory])
        #expect(throws: CopyError.destinationInsideSource) {
            try TreeCopier.copy(tree, into: inside, named: "copy")
        }
        #expect(throws: CopyError.destinationInsideSource) {
            try TreeCopier.copy(tree, into: tree, named: "copy")
        }
        #expect(try folder.names("tree/empty") == [])
        #expect(try folder.names("tree") == ["a.txt", "empty", "out", "sub"])
    }

    @Test func aTakenNameIsNotOverwritten() throws {
        let tree = try makeTree()
        try folder.folder("copy")
        #expect(throws: CopyError.alreadyExists(name: "copy")) {
            try TreeCopier.copy(tree, into: folder.descriptor, named: "copy")
        }
        #expect(try folder.names() == ["copy", "tree"])
        #expect(try folder.names("copy") == [])
    }

    @Test func anEntryAddedWhileTheTreeIsCopiedFailsTheCopy() throws {
        let tree = try makeTree()
        // Two changes within a tick of the kernel's clock have the same modification time.
        let old = timespec(tv_sec: 3000, tv_nsec: 0)
        try retrying { futimens(tree.rawValue, [old, old]) }
        var done = false
        #expect(throws: CopyError.changedDuringWalk(path: ".")) {
            try TreeCopier.copy(
                tree, into: folder.descriptor, named: "copy",
                progress: { completed, _ in
                    guard completed > 5, !done else { return }
                    done = true
                    _ = try? folder.file("tree/new")
                })
        }
        #expect(try folder.names() == ["tree"])
    }

    @Test func anEntryThatVanishesWhileTheTreeIsCopiedFailsTheCopy() throws {
        let tree = try makeTree()
        try folder.file("tree/z", [1])
        #expect(throws: CopyError.changedDuringWalk(path: "z")) {
            try TreeCopier.copy(
                tree, into: folder.descriptor, named: "copy",
                progress: { completed, _ in if completed == 5 { unlink(folder.path + "/tree/z") } })
        }
        #expect(try folder.names() == ["tree"])
    }

    @Test func aVeryDeepTreeIsCopiedWithFewDescriptors() throws {
        var bottom = try folder.folder("tree")
        let root = bottom
        let name = try #require(FileName("deeper"))
        for _ in 0..<1500 {
            try bottom.makeDirectory(name, permissions: 0o755)
            bottom = try bottom.open(entry: name, [.readOnly, .directory])
        }
        _ = try bottom.createFile(#require(FileName("file")), permissions: 0o600)
        let report = try TreeCopier.copy(root, into: folder.descriptor, named: "copy")
        #expect(report.files == 1)
        let size = try TreeSize.of(try folder.descriptor.open("copy", [.readOnly, .directory]))
        #expect(size?.entries == 1501)
    }

    @Test func namesThatAreNotUTF8AreKept() throws {
        let tree = try folder.folder("tree")
        let name = try #require(FileName(bytes: [0x61, 0xFF, 0xFE]))
        _ = try tree.createFile(name, permissions: 0o600)
        try TreeCopier.copy(tree, into: folder.descriptor, named: "copy")
        let copy = try folder.descriptor.open("copy", [.readOnly, .directory])
        #expect(try copy.entries().map(\.name) == [name])
    }

    @Test func filesOfARunningCopyAreNotSwept() throws {
        let tree = try makeTree()
        let busy = try StagedTree(in: folder.descriptor)
        try TreeCopier.copy(tree, into: folder.descriptor, named: "copy")
        #expect(try folder.names().count == 3)
        #expect(try busy.descriptor.status().linkCount > 0)
    }

    /// Only a mark that belongs to the directory itself counts. Neither a name nor a copied mark does.
    @Test func filesOfTheUserAreNotSweptWhateverTheirNames() throws {
        let tree = try makeTree()
        let own = [".purvey-partial-0123456789abcdef", ".purvey-partial-fedcba9876543210"]
        let staged = try StagedTree(in: folder.descriptor)
        for name in own {
            let made = try folder.folder(name)
            _ = try made.createFile(#require(FileName("mine")), permissions: 0o600)
        }
        let copied = try folder.descriptor.open(own[1], [.readOnly, .directory])
        let mark = try #require(staged.descriptor.attribute("user.purvey.partial"))
        try copied.setAttribute("user.purvey.partial", mark)
        try TreeCopier.copy(tree, into: folder.descriptor, named: "copy")
        for name in own { #expect(try folder.names(name) == ["mine"]) }
        let copy = try folder.descriptor.open("copy", [.readOnly, .directory])
        #expect(copy.attribute("user.purvey.partial") == nil)
    }
}
