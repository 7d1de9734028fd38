import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct WalkTests {
    let folder: TestFolder
    let tree: FileDescriptor

    init() throws {
        folder = try TestFolder()
        tree = try folder.folder("tree")
    }

    /// Returns the walk as lines: `+` and `-` around a directory, then files, links and the rest.
    private func walk(opensFiles: Bool = false) throws -> [String] {
        var walker = try TreeWalker(root: tree, opensFiles: opensFiles)
        var lines: [String] = []
        while let event = try walker.next() {
            switch event {
            case .enter: lines.append("+ \(walker.directoryPath)")
            case .leave(let entry, _): lines.append("- \(walker.path(of: entry))")
            case .file(let entry, let file):
                #expect((file != nil) == opensFiles)
                lines.append("file \(walker.path(of: entry))")
            case .link(let entry, let target):
                lines.append("link \(walker.path(of: entry)) \(String(decoding: target, as: UTF8.self))")
            case .special(let entry): lines.append("\(entry.status.kind) \(walker.path(of: entry))")
            }
        }
        return lines
    }

    @Test(arguments: [false, true])
    func aDirectoryComesBeforeWhatIsInItAndNamesAreInTheOrderOfTheirBytes(opensFiles: Bool) throws {
        try folder.folder("tree/b")
        try folder.file("tree/b/y")
        try folder.file("tree/b/x")
        try folder.file("tree/B")
        try folder.file("tree/ä")
        try folder.file("tree/a")
        #expect(
            try walk(opensFiles: opensFiles) == [
                "+ .", "file B", "file a", "+ b", "file b/x", "file b/y", "- b", "file ä", "- .",
            ])
    }

    @Test func linksAreReportedAndNotFollowedAndPipesAreNotOpened() throws {
        try folder.link("tree/out", to: "/etc")
        try folder.link("tree/loop", to: ".")
        try folder.link("tree/nowhere", to: String(repeating: "far/", count: 500))
        try retrying { mkfifo(folder.path + "/tree/pipe", 0o600) }
        #expect(
            try walk(opensFiles: true) == [
                "+ .", "link loop .", "link nowhere " + String(repeating: "far/", count: 500), "link out /etc",
                "fifo pipe", "- .",
            ])
    }

    @Test func theWalkStartsAtTheBeginningWhereverTheRootStands() throws {
        try folder.file("tree/a")
        _ = try tree.entries()
        #expect(try walk() == ["+ .", "file a", "- ."])
        #expect(try walk() == ["+ .", "file a", "- ."])
    }

    @Test func aFileInPlaceOfAFolderIsAChange() throws {
        try folder.folder("tree/a")
        var walker = try TreeWalker(root: tree, opensFiles: true)
        _ = try walker.next()
        try retrying { rmdir(folder.path + "/tree/a") }
        try folder.file("tree/a")
        do throws(WalkError) {
            _ = try walker.next()
            Issue.record("the change was not seen")
        } catch {
            #expect(error == .changedDuringWalk(path: "a"))
        }
    }

    @Test func aLinkInPlaceOfAFileIsAChangeAndNotFollowed() throws {
        try folder.file("tree/a")
        var walker = try TreeWalker(root: tree, opensFiles: true)
        _ = try walker.next()
        try retrying { unlink(folder.path + "/tree/a") }
        try folder.link("tree/a", to: "/etc/passwd")
        do throws(WalkError) {
            _ = try walker.next()
            Issue.record("the change was not seen")
        } catch {
            #expect(error == .changedDuringWalk(path: "a"))
        }
    }

    @Test func aPipeInPlaceOfAFileIsAChangeAndDoesNotBlock() throws {
        try folder.file("tree/a")
        var walker = try TreeWalker(root: tree, opensFiles: true)
        _ = try walker.next()
        try retrying { unlink(folder.path + "/tree/a") }
        try retrying { mkfifo(folder.path + "/tree/a", 0o600) }
        do throws(WalkError) {
            _ = try walker.next()
            Issue.record("the change was not seen")
        } catch {
            #expect(error == .changedDuringWalk(path: "a"))
        }
    }

    @Test func aDirectoryThatIsMovedAwayDoesNotLeadTheWalkOut() throws {
        // Deep enough that the parents on the way back are no longer open.
        var bottom = tree
        let name = try #require(FileName("d"))
        for _ in 0..<40 {
            try bottom.makeDirectory(name, permissions: 0o755)
            bottom = try bottom.open(entry: name, [.readOnly, .directory])
        }
        var walker = try TreeWalker(root: tree, opensFiles: false)
        for _ in 0...40 { _ = try walker.next() }
        try folder.folder("elsewhere")
        let tenth = Array(repeating: "d", count: 10).joined(separator: "/")
        try retrying { rename(folder.path + "/tree/" + tenth, folder.path + "/elsewhere/d") }
        var failure: WalkError?
        do throws(WalkError) {
            while try walker.next() != nil {}
        } catch {
            failure = error
        }
        guard case .changedDuringWalk = failure else {
            Issue.record("the move was not seen: \(failure.debugDescription)")
            return
        }
    }

    @Test(arguments: ["", ".", "..", "a/b", "a\0"])
    func namesThatNoEntryCanHaveAreNoNames(name: String) {
        #expect(FileName(name) == nil)
        #expect(FileName(bytes: Array(name.utf8)) == nil)
    }

    @Test func namesOfDotsAreNames() {
        #expect(FileName("...")?.description == "...")
        #expect(FileName(".a")?.description == ".a")
    }

    @Test func removingATreeRemovesWhatItsOwnerMadeReadOnlyAndNothingElse() throws {
        try folder.file("kept", [1])
        try folder.folder("tree/sub")
        try folder.file("tree/sub/file")
        try folder.link("tree/sub/out", to: "../../kept")
        try retrying { chmod(folder.path + "/tree/sub", 0o500) }
        try retrying { chmod(folder.path + "/tree", 0) }
        let name = try #require(FileName("tree"))
        try TreeRemover.remove(name, in: folder.descriptor)
        #expect(try folder.names() == ["kept"])
        #expect(throws: Never.self) { try TreeRemover.remove(name, in: folder.descriptor) }
    }

    @Test func aTreeIsMeasured() throws {
        try folder.folder("tree/sub")
        try folder.file("tree/sub/a", pattern(1000))
        try folder.file("tree/b", pattern(234))
        try folder.link("tree/c", to: "b")
        let size = try TreeSize.of(tree)
        #expect(size?.bytes == 1234)
        #expect(size?.entries == 4)
        #expect(try TreeSize.of(tree, isCancelled: { true }) == nil)
    }
}
