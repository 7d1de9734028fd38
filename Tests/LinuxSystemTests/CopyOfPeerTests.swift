import CLinux
import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Copies of files that another process chose.
@Suite(.ownThreads) struct CopyOfPeerTests {
    let folder: TestFolder
    private let mask = CreationMask.current

    init() throws { folder = try TestFolder() }

    @Test func theMaskIsTheOneThatNewFilesAreMadeWith() throws {
        let made = try folder.file("made", permissions: 0o777)
        #expect(try made.status().permissions == 0o777 & ~mask)
    }

    @Test func aCopyHasNeitherSpecialBitsNorMoreThanANewFileHas() throws {
        let source = try folder.file("a", [1])
        for mode: mode_t in [0o7777, 0o4755, 0o2755, 0o1777, 0o666, 0o640, 0o400] {
            try retrying { fchmod(source.rawValue, mode) }
            let name = "copy \(String(mode, radix: 8))"
            try FileCopier.copy(source, into: folder.descriptor, named: name, origin: .peer)
            #expect(try folder.status(name).permissions == mode & 0o777 & ~mask, "\(name)")
        }
    }

    @Test func aCopyOfAMemoryFileIsAsANewFile() throws {
        let memory = try MemoryFile.create(name: "test")
        try memory.overwrite([1, 2, 3], at: 0)
        try FileCopier.copy(memory, into: folder.descriptor, named: "open", origin: .peer)
        try MemoryFile.seal(memory)
        try FileCopier.copy(memory, into: folder.descriptor, named: "sealed", origin: .peer)
        for name in ["open", "sealed"] {
            #expect(try folder.content(name) == [1, 2, 3])
            #expect(try folder.status(name).permissions == 0o666 & ~mask, "\(name)")
        }
    }

    @Test func onlyAttributesOfTheUserAreCopied() throws {
        let source = try folder.file("a", [1])
        try source.setAttribute("user.colour", "green")
        if geteuid() == 0 {
            try? source.setAttribute("trusted.colour", "green")
            try? source.setAttribute("security.colour", "green")
        }
        try FileCopier.copy(source, into: folder.descriptor, named: "b", origin: .peer)
        // A system that labels its files does so with each new one.
        let names = try folder.descriptor.open("b", .readOnly).attributeNames().filter { $0 != "security.selinux" }
        #expect(names == ["user.colour"])
    }

    @Test func anAccessControlListIsLeftOutAndGivesTheGroupNothing() throws {
        let source = try folder.file("a", [1])
        guard try AccessControlList.set(on: source) else { return }
        try FileCopier.copy(source, into: folder.descriptor, named: "b", origin: .peer)
        let copy = try folder.descriptor.open("b", .readOnly)
        #expect(try !copy.attributeNames().contains(AccessControlList.attribute))
        #expect(try copy.status().permissions == 0o600)
    }

    @Test func aTreeIsCopiedWithoutItsPipesAndWithItsLinksAsTheyAre() throws {
        let tree = try folder.folder("tree")
        try folder.folder("tree/sub")
        let file = try folder.file("tree/sub/run", [1])
        try retrying { fchmod(file.rawValue, 0o6777) }
        try retrying { chmod(folder.path + "/tree/sub", 0o3777) }
        try retrying { mkfifo(folder.path + "/tree/pipe", 0o666) }
        try folder.link("tree/out", to: "/etc/passwd")
        try folder.link("tree/up", to: "..")
        let report = try TreeCopier.copy(tree, into: folder.descriptor, named: "copy", origin: .peer)
        #expect(report.skipped == [SkippedEntry(path: "pipe", kind: .fifo)])
        #expect(try folder.names("copy") == ["out", "sub", "up"])
        #expect(try folder.status("copy/out").kind == .symbolicLink)
        #expect(try folder.status("copy/up").kind == .symbolicLink)
        #expect(try folder.status("copy/sub").permissions == 0o777 & ~mask)
        #expect(try folder.status("copy/sub/run").permissions == 0o777 & ~mask)
        #expect(try folder.status("copy").permissions == 0o755 & ~mask)
    }
}
