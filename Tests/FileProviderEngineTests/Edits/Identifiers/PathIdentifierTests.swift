import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import ProviderTesting
import TestThreads
import Testing

/// Tests of providers whose identifiers are paths, as those of most small providers: after a rename or move the item
/// has another identifier, and so has everything in it.
@Suite(.ownThreads) struct PathIdentifierTests {
    private static func domain() throws -> TestDomain {
        let domain = try TestDomain()
        domain.provider.behave { $0.identifiersArePaths = true }
        return domain
    }

    private static func expectSame(_ domain: TestDomain, sourceLocation: SourceLocation = #_sourceLocation) async throws
    {
        try await domain.settleOnProvider(sourceLocation: sourceLocation)
        let events = try await domain.status().events
        #expect(events.isEmpty, sourceLocation: sourceLocation)
        try await Self.expectKnown(domain, sourceLocation: sourceLocation)
    }

    /// Expects that the engine knows each item by the provider's present identifier.
    private static func expectKnown(
        _ domain: TestDomain, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for path in domain.provider.exactTree.keys {
            let row = try await domain.item(path.string)
            let identifier = domain.provider.identifier(at: path.string) ?? ""
            #expect(row.item.identifier.hasSameBytes(as: identifier), sourceLocation: sourceLocation)
            #expect(row.changes.isEmpty, sourceLocation: sourceLocation)
        }
    }

    private static func expectNothingSent(
        _ provider: MemoryProvider, since count: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let kinds: Set<MemoryProvider.Kind> = [.contents, .part, .create, .replaceContents, .delete]
        let sent = provider.requests.dropFirst(count).filter { kinds.contains($0.kind) }
        #expect(sent.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func aRenamedFileIsTheSameFile() async throws {
        let domain = try Self.domain()
        domain.provider.addFile("file.txt", "text")
        #expect(try await domain.read("file.txt") == "text")
        let number = try await domain.item("file.txt").number
        let count = domain.provider.requests.count
        try await domain.rename("file.txt", "renamed.txt")
        try await Self.expectSame(domain)
        #expect(try domain.names() == ["renamed.txt"])
        #expect(try domain.row(number).name == "renamed.txt")
        #expect(try domain.row(number).item.identifier == "/renamed.txt")
        Self.expectNothingSent(domain.provider, since: count)
        // The file is renamed back.
        try await domain.rename("renamed.txt", "file.txt")
        try await Self.expectSame(domain)
        #expect(try domain.row(number).name == "file.txt")
        Self.expectNothingSent(domain.provider, since: count)
    }

    @Test func aNameInAnotherNormalFormIsAnotherIdentifier() async throws {
        let (composed, decomposed) = ("r\u{E9}sum\u{E9}", "re\u{301}sume\u{301}")
        let domain = try Self.domain()
        domain.provider.addFile(composed, "text")
        let number = try await domain.item(composed).number
        try await domain.rename(composed, decomposed)
        try await domain.settle()
        #expect(try domain.row(number).item.identifier.hasSameBytes(as: "/" + decomposed))
        try await domain.overwrite(decomposed, "other")
        try await domain.settle()
        #expect(domain.provider.tree.count == 1)
        #expect(domain.provider.bytes(of: "/" + decomposed) == Array("other".utf8))
    }

    @Test func childrenOfARenamedFolderStayTheSameItems() async throws {
        let domain = try Self.domain()
        let folder = domain.provider.addFolder("folder")
        let inner = domain.provider.addFolder("inner", in: folder)
        domain.provider.addFile("a.txt", "one", in: folder)
        domain.provider.addFile("b.txt", "two", in: inner)
        domain.provider.addFile("c.txt", "three", in: inner)
        let before = try await domain.tree()
        #expect(before == domain.provider.tree)
        let paths = ["", "/a.txt", "/inner", "/inner/b.txt", "/inner/c.txt"]
        var numbers: [ItemNumber] = []
        for path in paths { numbers.append(try await domain.item("folder" + path).number) }
        let count = domain.provider.requests.count
        try await domain.rename("folder", "other")
        try await Self.expectSame(domain)
        Self.expectNothingSent(domain.provider, since: count)
        for (path, number) in zip(paths, numbers) { #expect(try await domain.item("other" + path).number == number) }
        #expect(domain.provider.tree["other/inner/c.txt"] == "three")
        // Later local edits reach the items at the provider.
        try await domain.overwrite("other/inner/b.txt", "edited")
        try await domain.rename("other/inner/c.txt", "other/c.txt")
        try await domain.remove("other/a.txt")
        try await Self.expectSame(domain)
        #expect(
            domain.provider.tree == [
                "other": "/", "other/inner": "/", "other/inner/b.txt": "edited", "other/c.txt": "three",
            ])
    }

    /// The edits come before, while or after the provider replies to the directory's move.
    @Test(arguments: ["before", "meanwhile", "afterwards"])
    func editsInARenamedFolderArriveThere(_ time: String) async throws {
        let domain = try Self.domain()
        let folder = domain.provider.addFolder("folder")
        for name in ["edited", "removed", "moved", "renamed", "left"] {
            domain.provider.addFile(name, name, in: folder)
        }
        _ = try await domain.tree()
        let number = try await domain.item("folder/edited").number
        func edit(in name: String) async throws {
            try await domain.overwrite("\(name)/edited", "new text")
            try await domain.remove("\(name)/removed")
            try await domain.rename("\(name)/moved", "moved")
            try await domain.rename("\(name)/renamed", "\(name)/otherwise")
            try await domain.make("\(name)/made", "made")
        }
        if time == "before" { try await edit(in: "folder") }
        if time == "meanwhile" { domain.provider.hold(.move) }
        try await domain.rename("folder", "other")
        if time == "meanwhile" {
            try await eventually {
                domain.clock.advance(by: 1)
                return domain.provider.heldCount(.move(folder)) == 1
            }
            try await edit(in: "other")
            domain.provider.release(.move)
        }
        if time == "afterwards" {
            domain.provider.hold(.page)
            try await domain.settle()
            try await edit(in: "other")
            for _ in 0..<3 { domain.clock.advance(by: 1) }
            domain.provider.release(.page)
        }
        try await Self.expectSame(domain)
        #expect(
            domain.provider.tree == [
                "other": "/", "other/edited": "new text", "moved": "moved", "other/otherwise": "renamed",
                "other/made": "made", "other/left": "left",
            ])
        #expect(try await domain.item("other/edited").number == number)
    }

    /// Editors rename the old file to a backup, or the new file over the old one.
    @Test(arguments: ["backup", "replacing", "both"])
    func anEditorsSaveByRenameKeepsTheName(_ way: String) async throws {
        let domain = try Self.domain()
        domain.provider.addFile("doc.txt", "old")
        for text in ["new", "newer"] {
            switch way {
            case "backup":
                try await domain.rename("doc.txt", "doc.txt~")
                try await domain.make("doc.txt", text)
            case "replacing": try await domain.save("doc.txt", text)
            default:
                try await domain.make("doc.txt.tmp", text)
                try await domain.rename("doc.txt", "doc.txt~")
                try await domain.rename("doc.txt.tmp", "doc.txt")
            }
            try await Self.expectSame(domain)
            #expect(domain.provider.text(at: "doc.txt") == text)
        }
        let names: Set = way == "replacing" ? ["doc.txt"] : ["doc.txt", "doc.txt~"]
        #expect(Set(domain.provider.tree.keys) == names)
    }

    @Test func twoItemsChangePlaces() async throws {
        let domain = try Self.domain()
        for name in ["a", "b"] {
            let folder = domain.provider.addFolder(name)
            domain.provider.addFile("file", name, in: folder)
        }
        _ = try await domain.tree()
        let (one, two) = (try await domain.item("a").number, try await domain.item("b").number)
        try await domain.rename("a", "b", .exchanging)
        try await Self.expectSame(domain)
        #expect(domain.provider.tree == ["a": "/", "b": "/", "a/file": "b", "b/file": "a"])
        #expect(try await domain.item("b").number == one)
        #expect(try await domain.item("a").number == two)
    }

    // MARK: Replies

    /// The service performs the move, and the reply is lost.
    @Test(arguments: ["file", "folder"], [false, true])
    func aMoveWhoseAnswerIsLostIsMadeOnce(_ kind: String, isRestarted: Bool) async throws {
        let domain = try Self.domain()
        let folder = domain.provider.addFolder("folder")
        domain.provider.addFile("inner", "inner", in: folder)
        domain.provider.addFile("file", "text")
        _ = try await domain.tree()
        let number = try await domain.item(kind).number
        let inner = try await domain.item("folder/inner").number
        let count = domain.provider.requests.count
        domain.provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                if request.kind == .move { throw .of(.serverUnreachable) }
            }
        }
        try await domain.rename(kind, "renamed")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.identifier(at: "renamed") != nil
        }
        domain.engine.signal(container: nil)
        try await domain.waitUntilIdle()
        // The index shows no other item meanwhile.
        #expect(Set(try domain.names()) == Set(["renamed", kind == "file" ? "folder" : "file"]))
        if isRestarted { try domain.restart() }
        domain.provider.behave { $0.after = { (_) throws(ProviderError) in } }
        try await Self.expectSame(domain)
        Self.expectNothingSent(domain.provider, since: count)
        #expect(try await domain.item("renamed").number == number)
        #expect(try await domain.item(kind == "file" ? "folder/inner" : "renamed/inner").number == inner)
    }

    /// The item is moved again before the outcome of the first move is known.
    @Test func aMoveWhoseAnswerIsLostIsFollowedByAnother() async throws {
        let domain = try Self.domain()
        domain.provider.addFile("file", "text")
        #expect(try await domain.read("file") == "text")
        let number = try await domain.item("file").number
        let count = domain.provider.requests.count
        domain.provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                if request.kind == .move { throw .of(.serverUnreachable) }
            }
        }
        try await domain.rename("file", "first")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.identifier(at: "first") != nil
        }
        try await domain.rename("first", "second")
        domain.provider.behave { $0.after = { (_) throws(ProviderError) in } }
        try await Self.expectSame(domain)
        #expect(domain.provider.tree == ["second": "text"])
        #expect(try await domain.item("second").number == number)
        Self.expectNothingSent(domain.provider, since: count)
    }

    /// The domain is paused before the outcome of a directory's move is known.
    @Test func childrenOfAFolderThatMayHaveMovedOpenDuringAPause() async throws {
        let domain = try Self.domain()
        domain.provider.addFile("inner", "inner", in: domain.provider.addFolder("folder"))
        let number = try await domain.item("folder/inner").number
        try await domain.waitUntilIdle()
        domain.provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                if request.kind == .move { throw .of(.serverUnreachable) }
            }
        }
        try await domain.rename("folder", "renamed")
        try await eventually {
            domain.clock.advance(by: 1)
            // On a busy machine, the change feed may report the moved directory first, which ends the move.
            let items = try await domain.status().items
            return items.isEmpty || items.first?.failure != nil
        }
        try await domain.engine.doing { $0.setPaused(true) }
        // Another attempt may have begun before the pause.
        try await domain.waitUntilIdle()
        domain.provider.behave { $0.after = { (_) throws(ProviderError) in } }
        let moves = domain.provider.count(.move)
        #expect(try await domain.read(number) == "inner")
        #expect(domain.provider.count(.move) == moves)
        try await domain.engine.doing { $0.setPaused(false) }
        try await Self.expectSame(domain)
        #expect(domain.provider.tree == ["renamed": "/", "renamed/inner": "inner"])
        #expect(try await domain.item("renamed/inner").number == number)
    }

    /// The change feed reports the old and the new identifier before the reply comes.
    @Test(arguments: ["file", "folder"])
    func theFeedMayTellOfAMoveBeforeItsAnswer(_ kind: String) async throws {
        let domain = try Self.domain()
        let folder = domain.provider.addFolder("folder")
        domain.provider.addFile("inner", "inner", in: folder)
        domain.provider.addFile("file", "text")
        _ = try await domain.tree()
        domain.engine.signal(container: nil)
        try await domain.waitUntilIdle()
        let number = try await domain.item(kind).number
        let inner = try await domain.item("folder/inner").number
        let count = domain.provider.requests.count
        let engine = domain.engine
        let provider = domain.provider
        provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                guard request.kind == .move else { return }
                let told = provider.count(.changes)
                engine.signal(container: nil)
                for _ in 0..<10_000 where provider.count(.changes) == told { await Task.yield() }
                for _ in 0..<1_000 { await Task.yield() }
            }
        }
        try await domain.rename(kind, "renamed")
        try await Self.expectSame(domain)
        Self.expectNothingSent(domain.provider, since: count)
        #expect(try await domain.item("renamed").number == number)
        #expect(try await domain.item(kind == "file" ? "folder/inner" : "renamed/inner").number == inner)
        #expect(Set(try domain.names()) == Set(["renamed", kind == "file" ? "folder" : "file"]))
    }

    // MARK: Changes by other clients

    @Test func aFolderThatOthersRenameKeepsItsFiles() async throws {
        let domain = try Self.domain()
        let folder = domain.provider.addFolder("folder")
        domain.provider.addFile("a.txt", "one", in: folder)
        domain.provider.addFile("b.txt", "two", in: folder)
        _ = try await domain.tree()
        domain.engine.signal(container: nil)
        try await domain.waitUntilIdle()
        let number = try await domain.item("folder/a.txt").number
        let count = domain.provider.requests.count
        domain.provider.rename(folder, to: "other")
        try await Self.expectSame(domain)
        #expect(domain.provider.tree["other/a.txt"] == "one")
        #expect(try await domain.item("other/a.txt").number == number)
        Self.expectNothingSent(domain.provider, since: count)
    }

    // MARK: Other state of an item

    @Test func openFilesStayReadable() async throws {
        let domain = try Self.domain()
        let folder = domain.provider.addFolder("folder")
        domain.provider.addFile("file", "text", in: folder)
        let number = try await domain.item("folder/file").number
        domain.provider.hold(.contents)
        let opened = try await domain.open(number)
        let text = Task { try await opened.text() }
        try await eventually { domain.provider.heldCount(.contents) == 1 }
        // When the queued fetch starts, the identifier that it was queued with no longer exists.
        try await domain.rename("folder", "other")
        try await domain.settle()
        domain.provider.release(.contents)
        #expect(try await text.value == "text")
        try await opened.closed()
        try await Self.expectSame(domain)
    }

    /// A program looks into the directory before its parent is enumerated again.
    @Test func aFolderIsListedByTheIdentifierThatItHas() async throws {
        let domain = try Self.domain()
        let folder = domain.provider.addFolder("folder")
        let inner = domain.provider.addFolder("inner", in: folder)
        domain.provider.addFile("file", "text", in: inner)
        let number = try await domain.item("folder/inner").number
        domain.provider.hold(.page)
        try await domain.rename("folder", "other")
        try await domain.settle()
        let listed = Outcome()
        domain.engine.list(number, needs: .complete) { listed.note($0) }
        try await eventually { domain.provider.heldCount(.page) >= 2 }
        domain.provider.release(.page)
        try await eventually { listed.isThere }
        #expect(listed.failure == nil)
        #expect(try domain.names(in: number) == ["file"])
        try await Self.expectSame(domain)
    }

    @Test func filesOpenForWritingAreSentToTheirNewPlace() async throws {
        let domain = try Self.domain()
        let folder = domain.provider.addFolder("folder")
        domain.provider.addFile("file", "text", in: folder)
        #expect(try await domain.read("folder/file") == "text")
        let number = try await domain.item("folder/file").number
        let opened = try await domain.open(number, for: .writing(truncating: false))
        try await domain.rename("folder/file", "folder/renamed")
        try await domain.rename("folder", "other")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.identifier(at: "other/renamed") != nil
        }
        try await opened.write("TEXT")
        try await opened.closed()
        try await Self.expectSame(domain)
        #expect(domain.provider.tree == ["other": "/", "other/renamed": "TEXT"])
        #expect(domain.provider.count(.create) == 0)
    }

    /// In the trash the items have other identifiers, which the engine does not know.
    @Test(arguments: ["Folder", "Folder/file.txt"])
    func tagsAreSentBeforeTheirItemGoesToTheTrash(trashed: String) async throws {
        let domain = try Self.domain()
        let folder = domain.provider.addFolder("Folder")
        domain.provider.addFile("file.txt", "text", in: folder)
        let (file, top) = (try await domain.item("Folder/file.txt").number, try await domain.item(trashed).number)
        domain.provider.fail(.set, with: ProviderError(.transient, message: "later"))
        domain.provider.hold(.set)
        try await domain.engine.setTags(["Red"], of: file)
        try await domain.engine.trash(top)
        try await eventually { domain.provider.heldCount(.set) == 1 }
        domain.provider.release(.set)
        try await domain.settle()
        #expect(domain.provider.count(.trash) == 1)
        let trashedFile = trashed == "Folder" ? "Folder/file.txt" : "file.txt"
        let path = "\(ProviderItem.trashIdentifier)/\(trashedFile)"
        #expect(domain.provider.item(of: path)?.tagData.map { TagList.names(in: $0) } == ["Red"])
    }

    @Test func tagsThatCannotBeSentHoldNothingUp() async throws {
        let domain = try Self.domain()
        domain.provider.addFile("file.txt", "text")
        let file = try await domain.item("file.txt").number
        for _ in 0..<20 { domain.provider.fail(.set, with: ProviderError(.transient, message: "later")) }
        try await domain.engine.setTags(["Red"], of: file)
        try await domain.engine.trash(file)
        try await domain.settle()
        #expect(domain.provider.count(.trash) == 1)
    }

    @Test func tagsAndFavoritesGoAlong() async throws {
        let domain = try Self.domain()
        domain.provider.addFile("file", "text")
        let number = try await domain.item("file").number
        domain.provider.hold(.set)
        try await domain.engine.doing { try $0.setTags(["Red"], of: number) }
        try await eventually { domain.provider.heldCount(.set) == 1 }
        try await domain.rename("file", "renamed")
        try await domain.settle()
        domain.provider.release(.set)
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.item(of: "/renamed")?.tagData != nil
        }
        #expect(try domain.engine.index.metadata(of: number).tags == ["Red"])
        try await Self.expectSame(domain)
    }

    @Test func theTrashTakesAndGivesBack() async throws {
        let domain = try Self.domain()
        let folder = domain.provider.addFolder("folder")
        domain.provider.addFile("file", "text", in: folder)
        let number = try await domain.item("folder/file").number
        try await domain.engine.doing { try $0.trash(number) }
        try await domain.settle()
        // If a report of the item makes the reply stale, the item is revalidated first.
        try await eventually { try domain.engine.trashed().map(\.filename) == ["file"] }
        let identifier = try #require(try domain.engine.trashed().first?.identifier)
        try await domain.engine.untrash(identifier)
        #expect(try domain.engine.trashed().isEmpty)
        try await Self.expectSame(domain)
        #expect(domain.provider.tree == ["folder": "/", "folder/file": "text"])
    }

    /// Some providers derive a file's identifier from its contents.
    @Test func newContentsMayHaveAnotherIdentifier() async throws {
        let domain = try TestDomain()
        domain.provider.behave { $0.contentsAreIdentifiers = true }
        domain.provider.addFile("file", "text")
        let number = try await domain.item("file").number
        for text in ["one", "two"] {
            try await domain.overwrite("file", text)
            try await Self.expectSame(domain)
            #expect(domain.provider.tree == ["file": text])
        }
        #expect(try await domain.item("file").number == number)
        try await domain.save("file", "three")
        try await Self.expectSame(domain)
        #expect(domain.provider.tree == ["file": "three"])
        #expect(domain.provider.count(.create) == 0)
    }
}
