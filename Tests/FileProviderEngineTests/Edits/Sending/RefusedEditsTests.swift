import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests that an edit the provider refuses is neither lost nor sent for ever.
@Suite(.ownThreads) struct RefusedEditsTests {
    @Test(arguments: [true, false])
    func anEditOfAFileWhoseRemovalIsRefusedComesBackWithIt(afterRestart: Bool) async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        domain.provider.fail(.item, with: .of(.serverUnreachable), .of(.serverUnreachable))
        domain.provider.fail(.delete, with: .of(.deletionRejected))
        try await domain.overwrite("file.txt", "mine")
        try await domain.remove("file.txt")
        #expect(try domain.names().isEmpty)
        if afterRestart { try domain.restart() }
        try await domain.settle()
        #expect(try domain.names() == ["file.txt"])
        #expect(domain.provider.tree == ["file.txt": "mine"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func aFolderGoesEvenIfItsOldListingStillHasWhatWentWithIt() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let (provider, index) = (domain.provider, domain.engine.index)
        let folder = provider.addFolder("Folder")
        provider.addFile("file.txt", "old", in: folder)
        try await domain.list(try await domain.item("Folder").number)
        let file = try await domain.item("Folder/file.txt").number
        provider.hold(.delete)
        // The page is computed while the file exists, and arrives after its removal.
        provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                guard request == .page(of: folder, after: nil) else { return }
                provider.release(.delete)
                for _ in 0..<100_000 where (try? index.itemEvenIfDeleted(file)) ?? nil != nil { await Task.yield() }
            }
        }
        try await domain.remove("Folder/file.txt")
        try await domain.removeFolder("Folder")
        try await domain.settle()
        #expect(provider.tree.isEmpty)
        #expect(try await domain.tree().isEmpty)
    }

    @Test func anEditOfARemovedFileComesBackBesideTheRemoteChange() async throws {
        let domain = try TestDomain { $0.refreshAge = 1e9 }
        let identifier = domain.provider.addFile("file.txt", "old")
        try await domain.overwrite("file.txt", "mine")
        domain.provider.write("theirs", to: identifier)
        try await domain.remove("file.txt")
        try await domain.settle()
        #expect(domain.provider.tree.values.sorted() == ["mine", "theirs"])
        #expect(domain.provider.text(at: "file.txt") == "theirs")
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func anEditIsSentBesideAChangeWhoseContentsTheProviderLacks() async throws {
        let domain = try TestDomain()
        let identifier = domain.provider.addFile("file.txt", "old")
        try await domain.overwrite("file.txt", "mine")
        domain.provider.write("theirs", to: identifier)
        domain.provider.fail(.contents, with: .of(.cannotSynchronize))
        try await domain.settle()
        #expect(domain.provider.tree.values.sorted() == ["mine", "theirs"])
        #expect(domain.provider.text(at: "file.txt") == "theirs")
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func nothingIsLeftOfAnEditedFileOnceItIsRemoved() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        try await domain.overwrite("file.txt", "mine")
        let number = try await domain.item("file.txt").number
        try await domain.remove("file.txt")
        try await domain.settle()
        #expect(domain.provider.tree.isEmpty)
        for folder in ["data/edits", "data/uploads", "cache/content"] { #expect(!domain.hasFile(number, in: folder)) }
    }

    @Test func aFileThatComesBackIsBesideAnotherOfItsName() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        domain.provider.fail(.delete, with: .of(.deletionRejected))
        domain.provider.hold(.delete)
        try await domain.remove("file.txt")
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.heldCount(.delete) == 1
        }
        try await domain.make("file.txt", "mine")
        domain.provider.release(.delete)
        try await domain.settle()
        #expect(domain.provider.tree.values.sorted() == ["mine", "old"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test(arguments: ["other.txt", "made.txt", "Folder"])
    func aNewFileIsNotTakenForTheItemWhoseIdentifierTheProviderAnswersWith(_ name: String) async throws {
        let domain = try TestDomain()
        domain.provider.addFile("other.txt", "other")
        domain.provider.addFile("inner.txt", "inner", in: domain.provider.addFolder("Folder"))
        try await domain.make("made.txt", "made")
        try await domain.settle()
        let before = try await domain.tree()
        let other = try #require(domain.provider.identifier(at: name))
        domain.provider.behave { behaviour in
            behaviour.created = { made in
                var answer = made
                answer.identifier = other
                return answer
            }
        }
        let root = ProviderItem.rootIdentifier
        try await domain.make("new.txt", "mine")
        domain.provider.hold(.page)
        try await eventually {
            domain.clock.advance(by: 1)
            return try await domain.status().items.contains { $0.failure?.kind == .badAnswer }
        }
        #expect(try await domain.tree() == before.merging(["new.txt": "mine"]) { $1 })
        // The engine finds the new item at the place where it was sent, and does not create it twice.
        domain.provider.release(.page)
        try await domain.settle()
        #expect(domain.provider.count(.create(name: "new.txt", in: root)) == 1)
        #expect(domain.provider.tree == before.merging(["new.txt": "mine"]) { $1 })
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test(arguments: [ProviderError.Kind.notPermitted, .unsupported, .insufficientQuota])
    func aNewFileThatTheServiceRefusesStaysAndSaysSo(_ kind: ProviderError.Kind) async throws {
        let domain = try TestDomain()
        domain.provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if request.kind == .create { throw .of(kind) }
            }
        }
        let number = try await domain.make("file.txt", "mine")
        try await domain.settle()
        let item = try #require(try await domain.status().items.first)
        #expect(item.name == "file.txt" && item.isHeld && item.failure?.kind == kind)
        #expect(domain.provider.count(.create) == 1)
        try domain.restart()
        #expect(try await domain.read("file.txt") == "mine")
        #expect(try await domain.status().items.first?.failure?.kind == kind)
        domain.provider.behave { $0.before = { (_) throws(ProviderError) in } }
        try await domain.engine.doing { $0.retry() }
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "mine"])
        #expect(try domain.row(number).content == .current)
    }

    // MARK: Own edits

    /// A file is saved again and again while earlier uploads are in progress, each of which the change feed reports.
    @Test func savingOftenIsNoConflict() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        try await domain.list()
        let engine = domain.engine
        domain.provider.behave { behaviour in
            behaviour.after = { request throws(ProviderError) in
                guard request.kind == .replaceContents else { return }
                engine.signal(container: nil)
                for _ in 0..<500 { await Task.yield() }
            }
        }
        for number in 0..<12 {
            try await domain.overwrite("file.txt", "save \(number)")
            domain.engine.signal(container: nil)
            domain.clock.advance(by: [0.1, 0.4, 1, 35][number % 4])
            for _ in 0..<300 { await Task.yield() }
        }
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "save 11"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func savingTwiceThroughRenamesDuringAnUploadIsNoConflict() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        try await domain.list()
        domain.provider.hold(.replaceContents)
        for number in 0..<3 {
            try await domain.make("file.txt.new", "save \(number)")
            try await domain.rename("file.txt.new", "file.txt")
            try await eventually {
                domain.clock.advance(by: 1)
                return number > 0 || domain.provider.heldCount(.replaceContents) == 1
            }
            domain.engine.signal(container: nil)
        }
        domain.provider.release(.replaceContents)
        domain.engine.signal(container: nil)
        try await domain.settle()
        #expect(domain.provider.tree == ["file.txt": "save 2"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    @Test func aDateThatIsSetBeforeAnEditIsNoConflict() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("dataless", "old")
        domain.provider.addFile("here", "old")
        #expect(try await domain.read("here") == "old")
        for name in ["dataless", "here"] {
            let number = try await domain.item(name).number
            _ = try await domain.engine.doing { engine in
                try engine.setAttributes(of: number, mode: nil, modified: 1_000_000)
            }
            domain.engine.signal(container: nil)
            domain.clock.advance(by: 1)
            let opened = try await domain.open(number, for: .writing(truncating: false))
            try await opened.write("new")
            try await opened.closed()
        }
        try await domain.settle()
        #expect(domain.provider.tree == ["dataless": "new", "here": "new"])
        #expect(try await domain.tree() == domain.provider.tree)
    }

    // MARK: An index that is lost while a file is open

    @Test(arguments: [true, false], [true, false])
    func anEditThatWasAnsweredAndWhoseFileIsOpenOutlivesTheIndex(confirmed: Bool, writtenAgain: Bool) async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file.txt", "old")
        domain.provider.behave { $0.confirmsUploads = confirmed }
        let number = try await domain.item("file.txt").number
        let opened = try await domain.open(number, for: .writing(truncating: false))
        try await opened.write("mine")
        try await opened.flushed()
        try await eventually {
            domain.clock.advance(by: 5)
            return domain.provider.tree == ["file.txt": "mine"]
        }
        if writtenAgain { try await opened.write("more than before") }
        let path = domain.configuration.dataFolder + "/index.db"
        try domain.restart { try Index.delete(path: path) }
        try? await opened.closed()
        domain.provider.behave { $0.confirmsUploads = true }
        domain.provider.confirmUploads()
        domain.engine.signal(container: nil)
        try await domain.settle()
        let wanted = ["file.txt": writtenAgain ? "more than before" : "mine"]
        #expect(domain.provider.tree == wanted)
        try await eventually { try await domain.tree() == wanted }
    }
}
