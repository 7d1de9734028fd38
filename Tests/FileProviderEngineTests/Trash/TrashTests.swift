import FileProvider
import FileProviderEngine
import FileProviderWire
import Glibc
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of moving items to the provider's trash and out of it.
@Suite(.ownThreads)
struct TrashTests {
    @Test func aFolderGoesToTheTrashWithEverythingInItAndComesBack() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("Folder")
        let file = domain.provider.addFile("file.txt", "text", in: folder)
        #expect(try await domain.read("Folder/file.txt") == "text")
        let number = try await domain.item("Folder").number
        try await domain.engine.trash(number)
        #expect(try domain.names().isEmpty)
        #expect(try domain.engine.search.search(SearchQuery(words: ["file"])).isEmpty)
        try await domain.settle()
        #expect(domain.provider.count(.trash) == 1 && domain.provider.count(.delete) == 0)
        #expect(domain.provider.item(of: folder)?.parent == ProviderItem.trashIdentifier)
        try await eventually { try domain.engine.trashed().map(\.identifier) == [folder] }
        #expect(try domain.engine.index.item(identifier: file) == nil)

        try await domain.engine.untrash(folder)
        #expect(try domain.engine.trashed().isEmpty)
        #expect(try await domain.read("Folder/file.txt") == "text")
    }

    /// The names and numbers of the mounted trash, and the files that programs create in it.
    @Test func changesOfTheMountedTrashThatAFullDiskRefusesAreWrittenLater() async throws {
        let domain = try TestDomain()
        let file = domain.provider.addFile("file.txt", "text")
        domain.provider.addFile("other.txt", "other")
        try await domain.list()
        domain.provider.hold(.trash)
        let removed = try await domain.engine.doing { engine in
            try engine.localTrash.trash("other.txt", in: .root, as: "other", engine)
            return try engine.localTrash.makePlainFile(named: "removed").number
        }
        try await domain.engine.doing { engine in
            // The edit itself is journalled.
            let commits = Lock(2)
            engine.limitRoom {
                commits.withLock { left in
                    left -= 1
                    return left >= 0
                }
            }
            try engine.localTrash.trash("file.txt", in: .root, as: "another name", engine)
            engine.limitRoom { false }
            try engine.localTrash.removePlainFile(named: "removed")
            let made = try engine.localTrash.makePlainFile(named: "made")
            try engine.localTrash.write(Array("bytes".utf8), at: nil, to: made.number, isRepeated: false)
        }
        let stored = try domain.engine.index.trashNodes()
        #expect(stored.contains { $0.number == removed } && !stored.contains { $0.name == "another name" })
        domain.clock.advance(by: 100)
        try await domain.engine.doing { engine in engine.limitRoom(nil) }
        let engine = domain.engine
        try await eventually {
            domain.clock.advance(by: 1)
            return try engine.index.trashNodes().contains { $0.name == "made" }
        }
        try domain.restart()
        domain.provider.release(.trash)
        try await domain.settle()
        let nodes = try await domain.engine.doing { engine in
            #expect(try engine.localTrash.plainFile(named: "removed") == nil)
            #expect(try engine.localTrash.plainFile(named: "made")?.bytes == Array("bytes".utf8))
            return try engine.localTrash.nodes(after: 0, limit: 10)
        }
        #expect(nodes.map(\.name) == ["other", "another name"])
        #expect(nodes.last?.item?.identifier == file && nodes.allSatisfy { $0.pending == nil })
    }

    @Test func anItemComesBackIntoAnotherFolder() async throws {
        let domain = try TestDomain()
        domain.provider.addFolder("Folder")
        let file = domain.provider.addFile("file.txt", "text")
        try await domain.engine.trash(try await domain.item("file.txt").number)
        try await domain.settle()
        try await domain.engine.untrash(file, to: try await domain.item("Folder").number)
        #expect(try await domain.read("Folder/file.txt") == "text")
        #expect(try domain.names() == ["Folder"])
    }

    @Test func aMoveToTheTrashIsFinishedAfterAKill() async throws {
        let domain = try TestDomain()
        let file = domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        domain.provider.hold(.trash)
        try await domain.engine.trash(number)
        try domain.restart()
        #expect(try domain.names().isEmpty)
        domain.provider.release(.trash)
        try await domain.settle()
        #expect(domain.provider.item(of: file)?.flags.contains(.trashed) == true)
        #expect(domain.provider.count(.delete) == 0)
        // If a report of the item makes the reply stale, the item is revalidated first.
        try await eventually { try domain.engine.trashed().map(\.filename) == ["file.txt"] }
    }

    @Test func remotelyTrashedItemsAreListedUntilTheyAreDeleted() async throws {
        let domain = try TestDomain()
        let file = domain.provider.addFile("file.txt", "text")
        try await domain.list()
        // Wait for the first anchor of all.
        try await eventually { domain.provider.count(.changes) == 1 }
        _ = try await domain.provider.trash(file)
        domain.engine.signal(container: nil)
        try await eventually { try domain.engine.trashed().map(\.identifier) == [file] }
        #expect(try domain.names().isEmpty)
        domain.provider.remove(file)
        domain.engine.signal(container: nil)
        try await eventually { try domain.engine.trashed().isEmpty }
    }

    @Test func itemsRemovedFromTheTrashAreGoneForGood() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("Folder")
        let inner = domain.provider.addFile("file.txt", "text", in: folder)
        let other = domain.provider.addFile("other.txt", "text")
        try await domain.list()
        for name in ["Folder", "other.txt"] { try await domain.engine.trash(try await domain.item(name).number) }
        try await domain.settle()
        try await eventually { try domain.engine.trashed().count == 2 }
        try await domain.engine.removeFromTrash(folder)
        #expect(domain.provider.item(of: folder) == nil && domain.provider.item(of: inner) == nil)
        #expect(try domain.engine.trashed().map(\.identifier) == [other])
        // Removing an item that the provider no longer has succeeds, as the reply to an earlier removal may have been
        // lost.
        domain.provider.remove(other)
        try await domain.engine.removeFromTrash(other)
        #expect(try domain.engine.trashed().isEmpty)
        #expect(domain.provider.count(.delete) == 1)
    }

    @Test func itemsRestoredRemotelyAreNotRemovedWithTheTrash() async throws {
        let domain = try TestDomain()
        let file = domain.provider.addFile("file.txt", "text")
        try await domain.engine.trash(try await domain.item("file.txt").number)
        try await domain.settle()
        try await eventually { try domain.engine.trashed().map(\.identifier) == [file] }
        _ = try await domain.provider.untrash(file, to: nil)
        try await domain.engine.removeFromTrash(file)
        #expect(domain.provider.count(.delete) == 0)
        #expect(try await domain.read("file.txt") == "text")
        #expect(try domain.engine.trashed().isEmpty)
    }

    @Test func itemsThatTheProviderKeepsStayInTheTrash() async throws {
        let domain = try TestDomain()
        let file = domain.provider.addFile("file.txt", "text")
        try await domain.engine.trash(try await domain.item("file.txt").number)
        try await domain.settle()
        domain.provider.fail(.delete, with: .of(.serverUnreachable))
        #expect(await failure { try await domain.engine.removeFromTrash(file) } == .serverUnreachable)
        domain.provider.update(file) { $0.capabilities = 1 }
        #expect(await failure { try await domain.engine.removeFromTrash(file) } == .notPermitted)
        try await eventually { try domain.engine.trashed().map(\.identifier) == [file] }
        #expect(domain.provider.item(of: file) != nil)
    }

    @Test func itemsThatCannotBeTrashedStay() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("Folder")
        domain.provider.addFile("file.txt", "text", in: folder)
        let plain = domain.provider.addFile("plain.txt", "text")
        domain.provider.update(plain) { $0.capabilities = 0x2F }
        try await domain.list()
        domain.provider.hold(.replaceContents)
        try await domain.overwrite("Folder/file.txt", "edited")
        let number = try await domain.item("Folder").number
        await #expect(throws: EditError(Errno(rawValue: EBUSY))) { try await domain.engine.trash(number) }
        let other = try await domain.item("plain.txt").number
        await #expect(throws: EditError(.notPermitted)) { try await domain.engine.trash(other) }
        await #expect(throws: EditError(.notPermitted)) { try await domain.engine.trash(.root) }
        #expect(try domain.names().sorted() == ["Folder", "plain.txt"])
        domain.provider.release(.replaceContents)
        try await domain.settle()
        #expect(await failure { try await domain.engine.untrash("nobody") } == .noSuchItem)
    }

    @Test func itemsBeingTrashedDoNotReappear() async throws {
        let domain = try TestDomain()
        let file = domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        let mayGoOn = Lock(false)
        defer { mayGoOn.withLock { $0 = true } }
        domain.provider.behave {
            $0.after = { (request) throws(ProviderError) in
                while request == .trash(file), !mayGoOn.withLock({ $0 }) {
                    try? await Task.sleep(for: .milliseconds(2))
                }
            }
        }
        try await domain.engine.trash(number)
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.item(of: file)?.flags.contains(.trashed) == true
        }
        // The item is in the trash, but the reply has not arrived yet.
        #expect(await failure { try await domain.engine.untrash(file) } == .transient)
        mayGoOn.withLock { $0 = true }
        try await domain.settle()
        try await domain.engine.untrash(file)
        #expect(try await domain.read("file.txt") == "text")
        #expect(try domain.engine.trashed().isEmpty)
        #expect(domain.provider.count(.trash) == 1)
    }

    /// A report of the item in the trash that arrives before the reply to the restoration makes that reply stale.
    @Test func aRestoredItemIsShownAtOnceAfterAStaleReply() async throws {
        let domain = try TestDomain()
        let file = domain.provider.addFile("file.txt", "text")
        try await domain.engine.trash(try await domain.item("file.txt").number)
        try await domain.settle()
        try await eventually { try domain.engine.trashed().map(\.identifier) == [file] }
        let (provider, engine) = (domain.provider, domain.engine)
        provider.behave {
            $0.before = { (request) throws(ProviderError) in
                guard request == .untrash(file) else { return }
                provider.update(file) { $0.tagData = [1] }
                engine.signal(container: nil)
                // The engine's thread is free while the restoration waits for this reply.
                while (try? engine.trashed().first?.tagData) ?? nil != [1] {
                    try? await Task.sleep(for: .milliseconds(2))
                }
            }
        }
        try await engine.untrash(file)
        #expect(try domain.names() == ["file.txt"])
        #expect(try engine.trashed().isEmpty)
    }

    @Test func descendantsOfATrashedFolderAreNotSeen() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("Folder")
        let inner = domain.provider.addFolder("Inner", in: folder)
        let file = domain.provider.addFile("file.txt", "text", in: inner)
        #expect(try await domain.read("Folder/Inner/file.txt") == "text")
        try await domain.waitUntilIdle()
        domain.provider.fail(.set, with: ProviderError(.cannotSynchronize, message: "Not now."))
        try await domain.engine.setTags(["Work"], of: try await domain.item("Folder/Inner/file.txt").number)
        try await eventually { domain.provider.count(.set) == 1 }
        try await domain.engine.trash(try await domain.item("Folder").number)
        try await domain.settle()
        // The reply reports a file whose directory is unknown locally.
        await domain.engine.retry()
        try await eventually { try await domain.engine.status().metadataCount == 0 }
        #expect(try domain.names().isEmpty)
        // The feed reports changes by another client in the trashed folder likewise.
        domain.provider.rename(file, to: "other.txt")
        domain.provider.rename(inner, to: "Other")
        domain.provider.addFile("new.txt", "text", in: inner)
        let count = domain.provider.count(.changes)
        domain.engine.signal(container: nil)
        try await eventually { domain.provider.count(.changes) > count }
        try await domain.settle()
        // The reply is applied after the request was counted.
        try await domain.waitUntilIdle()
        #expect(try domain.names().isEmpty)
        #expect(try domain.engine.trashed().map(\.filename) == ["Folder"])

        try await domain.engine.untrash(folder)
        #expect(try await domain.read("Folder/Other/other.txt") == "text")
        let number = try await domain.item("Folder/Other/other.txt").number
        #expect(try domain.engine.index.metadata(of: number).tags == ["Work"])
    }

    /// Otherwise the items would be in the trash with the directory, and be restored with it.
    @Test func aFolderDoesNotGoToTheTrashBeforeWhatWasTakenOutOfItHere() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("Folder")
        let inner = domain.provider.addFolder("Inner", in: folder)
        domain.provider.addFile("moved.txt", "text", in: inner)
        domain.provider.addFile("removed.txt", "text", in: folder)
        let (number, innerNumber) = (
            try await domain.item("Folder").number, try await domain.item("Folder/Inner").number
        )
        try await domain.list(number)
        try await domain.list(innerNumber)
        let busy = EditError(Errno(rawValue: EBUSY))
        domain.provider.hold(.move)
        _ = try await domain.engine.rename("moved.txt", in: innerNumber, to: "moved.txt", in: .root)
        await #expect(throws: busy) { try await domain.engine.trash(number) }
        domain.provider.release(.move)
        try await domain.settle()
        domain.provider.hold(.delete)
        try await domain.engine.remove("removed.txt", in: number)
        await #expect(throws: busy) { try await domain.engine.trash(number) }
        domain.provider.release(.delete)
        try await domain.settle()
        try await domain.engine.trash(number)
        try await domain.settle()
        #expect(try domain.names() == ["moved.txt"])
        try await domain.engine.untrash(folder)
        #expect(try await domain.read("moved.txt") == "text")
        try await domain.list(try await domain.item("Folder").number)
        #expect(try domain.names(in: try await domain.item("Folder").number) == ["Inner"])
    }

    @Test func aFolderRefusedByTheTrashReappearsWithItsContents() async throws {
        let domain = try TestDomain()
        let folder = domain.provider.addFolder("Folder")
        domain.provider.addFile("file.txt", "text", in: folder)
        let number = try await domain.item("Folder").number
        try await domain.list(number)
        domain.provider.fail(.trash, with: .of(.unsupported))
        // Without a page from the provider, the directory's items must come from the index.
        domain.provider.hold(.page)
        domain.provider.hold(.trash)
        try await domain.engine.trash(number)
        #expect(try domain.names().isEmpty)
        domain.provider.release(.trash)
        #expect(try await wordOnTrash(of: number, in: domain) == .unsupported)
        #expect(try domain.names() == ["Folder"])
        #expect(try domain.row(number).listing == .complete)
        try await domain.list(number)
        #expect(try domain.names(in: number) == ["file.txt"])
        domain.provider.release(.page)
    }

    @Test func anUnreachableTrashBlocksNoCaller() async throws {
        let domain = try TestDomain()
        let file = domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        for _ in 0..<100 { domain.provider.fail(.trash, with: .of(.serverUnreachable)) }
        try await domain.engine.trash(number)
        #expect(try await wordOnTrash(of: number, in: domain) == nil)
        #expect(try domain.names().isEmpty)
        #expect(domain.provider.item(of: file)?.flags.contains(.trashed) == false)
    }

    @Test func unsentItemsGoToTheProvidersTrashLater() async throws {
        let domain = try TestDomain()
        domain.provider.hold(.create)
        let number = try await domain.make("new.txt", "text")
        await #expect(throws: EditError(Errno(rawValue: EBUSY))) { try await domain.engine.trash(number) }
        domain.provider.release(.create)
        try await domain.settle()
        try await domain.engine.trash(number)
        #expect(try await wordOnTrash(of: number, in: domain) == nil)
        try await eventually { try domain.engine.trashed().map(\.filename) == ["new.txt"] }
    }

    @Test func thePauseOfADomainIsNotWaitedFor() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "text")
        let number = try await domain.item("file").number
        try await domain.engine.doing { $0.setPaused(true) }
        try await domain.engine.trash(number)
        #expect(try await wordOnTrash(of: number, in: domain) == nil)
        #expect(domain.provider.count(.trash) == 0)
        try await domain.engine.doing { $0.setPaused(false) }
        try await domain.settle()
        #expect(domain.provider.count(.trash) == 1)
    }

    /// Waits for the trashing of an item. Returns the provider's failure; `nil` if the trashing succeeded, or if the
    /// wait ended without a result.
    private func wordOnTrash(of number: ItemNumber, in domain: TestDomain) async throws -> ProviderError.Kind? {
        let (engine, outcome) = (domain.engine, Outcome())
        Task {
            do throws(ProviderError) {
                try await engine.waitForRemoval(of: number, upTo: .infinity)
                outcome.note(.success(()))
            } catch {
                outcome.note(Result<Void, ProviderError>.failure(error))
            }
        }
        try await eventually {
            domain.clock.advance(by: 0.1)
            return outcome.isThere
        }
        return outcome.failure
    }
}
