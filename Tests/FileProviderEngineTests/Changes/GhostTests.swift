import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import ProviderTesting
import TestThreads
import Testing

/// Tests of items whose parent directory is unknown: they are not shown, and no local edit of them is lost.
@Suite(.ownThreads) struct GhostTests {
    /// Creates a domain, lists its root and waits until the working set is followed and the engine is idle. Otherwise
    /// the engine could request the root's changes between two changes of a test.
    private func listed(_ provider: MemoryProvider) async throws -> TestDomain {
        let domain = try TestDomain(provider) { $0.refreshAge = 1e9 }
        try await domain.list()
        try await eventually { provider.count(.currentAnchor(of: ProviderItem.workingSetIdentifier)) > 0 }
        try await domain.waitUntilIdle()
        return domain
    }

    /// Follows the change feed to its end and waits until every uncertain item is revalidated.
    private func follow(_ domain: TestDomain) async throws {
        let sign = domain.provider.addFile("sign")
        domain.engine.signal(container: nil)
        try await eventually { try domain.engine.index.item(identifier: sign) != nil }
        try await eventually {
            domain.clock.advance(by: 1)
            return try domain.engine.index.revalidations().isEmpty
        }
    }

    @Test func itemsReportedInARemovedFolderAreNotSeen() async throws {
        let provider = MemoryProvider()
        let domain = try await listed(provider)
        // The file alone is reported, and before its directory is removed.
        let photos = provider.addFolder("photos")
        let file = provider.addFile("a.jpg", in: photos)
        let item = try #require(provider.item(of: file))
        provider.remove(photos)
        provider.forgetChanges(of: [photos, file])
        provider.behave { $0.changes = { $1.telling(item) } }
        try await follow(domain)
        #expect(try Set(domain.names()) == ["sign"])
        #expect(try domain.engine.index.item(identifier: file) == nil)
    }

    @Test func itemsMovedIntoARemovedFolderLeaveTheirOldPlace() async throws {
        let provider = MemoryProvider()
        let file = provider.addFile("a.jpg")
        let domain = try await listed(provider)
        #expect(try Set(domain.names()) == ["a.jpg"])
        let photos = provider.addFolder("photos")
        provider.rename(file, to: "a.jpg", in: photos)
        let item = try #require(provider.item(of: file))
        provider.remove(photos)
        // The feed does not report that the file was removed with its directory.
        provider.forgetChanges(of: [photos, file])
        provider.behave { $0.changes = { $1.telling(item) } }
        try await follow(domain)
        try await eventually { try Set(domain.names()) == ["sign"] }
    }

    @Test func orphansGoWithTheirFolderWhenItsRemovalIsReported() async throws {
        let provider = MemoryProvider()
        let file = provider.addFile("a.jpg")
        let domain = try await listed(provider)
        let photos = provider.addFolder("photos")
        provider.rename(file, to: "a.jpg", in: photos)
        provider.forgetChanges(of: [photos])
        // The provider fails requests for the directory for a while.
        provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if request == .item(photos) { throw ProviderError.of(.cannotSynchronize) }
            }
        }
        domain.engine.signal(container: nil)
        try await eventually { try domain.engine.index.item(identifier: file)?.item.parent == photos }
        #expect(try Set(domain.names()) == ["a.jpg"])
        provider.behave { behaviour in behaviour.before = { (_) throws(ProviderError) in } }
        provider.remove(photos)
        provider.forgetChanges(of: [file])
        try await follow(domain)
        try await eventually { try Set(domain.names()) == ["sign"] }
    }

    @Test func orphansAreSeenOnceTheirFolderIsListed() async throws {
        let provider = MemoryProvider()
        let domain = try await listed(provider)
        let photos = provider.addFolder("photos")
        let file = provider.addFile("a.jpg", in: photos)
        provider.forgetChanges(of: [photos])
        provider.behave { behaviour in
            behaviour.before = { request throws(ProviderError) in
                if request == .item(photos) { throw ProviderError.of(.noSuchItem) }
            }
        }
        try await follow(domain)
        #expect(try Set(domain.names()) == ["sign"])
        provider.behave { behaviour in behaviour.before = { (_) throws(ProviderError) in } }
        provider.update(photos) { $0.filename = "pictures" }
        domain.engine.signal(container: nil)
        try await eventually { try Set(domain.names()) == ["pictures", "sign"] }
        #expect(try await domain.item("pictures/a.jpg").item.identifier == file)
    }

    // MARK: Changes of kind

    @Test func aFileThatWasEditedHereAndBecameAFolderLeavesBoth() async throws {
        let provider = MemoryProvider()
        let thing = provider.addFile("thing", "old")
        let domain = try await listed(provider)
        #expect(try await domain.read("thing") == "old")
        provider.hold(.replaceContents)
        try await domain.overwrite("thing", "mine")
        provider.update(thing) { $0.kind = .folder }
        provider.addFile("inner", "theirs", in: thing)
        try await follow(domain)
        provider.release(.replaceContents)
        try await domain.settle()
        try await expectAgreement(domain, of: ["mine", "theirs"])
        #expect(provider.text(at: "thing/inner") == "theirs")
    }

    @Test func aFolderInWhichAFileWasEditedHereAndWhichBecameAFileLeavesBoth() async throws {
        let provider = MemoryProvider()
        let thing = provider.addFolder("thing")
        let inner = provider.addFile("inner", "old", in: thing)
        provider.addFile("other", "clean", in: thing)
        let domain = try await listed(provider)
        #expect(try await domain.read("thing/inner") == "old")
        #expect(try await domain.read("thing/other") == "clean")
        provider.hold(.replaceContents)
        try await domain.overwrite("thing/inner", "mine")
        provider.remove(inner)
        if let other = provider.identifier(at: "thing/other") { provider.remove(other) }
        provider.becomeFile(thing, "theirs")
        try await follow(domain)
        provider.release(.replaceContents)
        try await domain.settle()
        try await expectAgreement(domain, of: ["mine", "theirs"])
        #expect(provider.tree.keys.filter { $0.hasSuffix("/inner") }.count == 1)
    }

    @Test func aFolderThatBecameAFileTakesWhatWasInItAlong() async throws {
        let provider = MemoryProvider()
        let thing = provider.addFolder("thing")
        let inner = provider.addFile("inner", "old", in: thing)
        let domain = try await listed(provider)
        #expect(try await domain.read("thing/inner") == "old")
        // The file in the directory was changed just before, and is still reported.
        provider.write("new", to: inner)
        let item = try #require(provider.item(of: inner))
        provider.remove(inner)
        provider.forgetChanges(of: [inner])
        provider.becomeFile(thing, "theirs")
        provider.behave { $0.changes = { $1.telling(item) } }
        try await follow(domain)
        try await eventually { try Set(domain.names()) == ["sign", "thing"] }
        #expect(try await domain.tree() == ["sign": "", "thing": "theirs"])
    }

    private func expectAgreement(
        _ domain: TestDomain, of texts: Set<String>, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await eventually(sourceLocation: sourceLocation) {
            domain.clock.advance(by: 1)
            return try await domain.tree() == domain.provider.tree
        }
        let files = domain.provider.tree.values.filter { $0 != "/" && !$0.isEmpty }
        #expect(files.sorted() == texts.sorted(), sourceLocation: sourceLocation)
    }
}

extension ChangeBatch {
    /// Returns the same batch with `item` in front of its updates.
    fileprivate func telling(_ item: ProviderItem) -> ChangeBatch {
        var batch = self
        batch.updated.insert(item, at: 0)
        return batch
    }
}

extension MemoryProvider {
    /// Replaces a directory with a file.
    fileprivate func becomeFile(_ identifier: String, _ text: String) {
        update(identifier) { $0.kind = .file }
        write(text, to: identifier)
    }
}
