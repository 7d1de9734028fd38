import FileProvider
import Foundation
import Testing
import UniformTypeIdentifiers

extension ProgramsTests {
    @Test func aProviderOf2017ListsItsItems() throws {
        let provider = DocumentProvider()
        let enumerator = try provider.enumerator(for: .rootContainer)
        let observer = MockEnumerationObserver()
        enumerator.enumerateItems(
            for: observer, startingAt: NSFileProviderPage.initialPageSortedByName as NSFileProviderPage)
        let next = try #require(observer.nextPage)
        enumerator.enumerateItems(for: observer, startingAt: next)
        #expect(observer.items.map { $0.filename } == ["One.txt", "Two.txt"])
        #expect(observer.items.map { ItemReading.kind($0) } == ["text", "text"])
        #expect(observer.items.map { ItemReading.size($0) } == [5, 6])
        enumerator.enumerateItems(for: observer, startingAt: NSFileProviderPage(Data()))
        #expect(observer.error.map { ItemReading.message($0) } == NSFileProviderErrorDomain)
        #expect(throws: (any Error).self) { try provider.enumerator(for: .trashContainer) }
    }

    @Test func aProviderOf2017TellsChanges() async throws {
        let provider = DocumentProvider()
        let deletion: (any Error)? = await withCheckedContinuation { continuation in
            provider.deleteItem(withIdentifier: NSFileProviderItemIdentifier("n1")) {
                continuation.resume(returning: $0)
            }
        }
        #expect(deletion == nil)
        let enumerator = try provider.enumerator(for: .workingSet)
        let anchor = try #require(await enumerator.currentSyncAnchor())
        let observer = MockChangeObserver()
        ItemReading.changes(enumerator, observer, anchor)
        #expect(observer.updated.map { $0.filename } == ["Two.txt"])
        #expect(observer.deleted == [NSFileProviderItemIdentifier("n1")])
        #expect(observer.anchor == anchor)
        await #expect(throws: (any Error).self) {
            try await provider.deleteItem(withIdentifier: NSFileProviderItemIdentifier("n1"))
        }
    }

    @Test func aProviderOf2017HandsOverItsFiles() async throws {
        let provider = DocumentProvider()
        let url = try #require(provider.urlForItem(withPersistentIdentifier: NSFileProviderItemIdentifier("n2")))
        defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
        #expect(provider.persistentIdentifierForItem(at: url)?.rawValue == "n2")
        try await provider.providePlaceholder(at: url)
        #expect(FileManager.default.fileExists(atPath: NSFileProviderManager.placeholderURL(for: url).path))
        try await provider.startProvidingItem(at: url)
        #expect(try String(contentsOf: url, encoding: .utf8) == "second")
        try Data("edited".utf8).write(to: url)
        provider.itemChanged(at: url)
        #expect(provider.notes[NSFileProviderItemIdentifier("n2")]?.text == "edited")
        provider.stopProvidingItem(at: url)
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func aProviderOf2017IsAskedInEitherForm() async throws {
        let provider = DocumentProvider()
        let file = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("\(UUID().uuidString).txt")
        try Data("third".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let made = try await provider.importDocument(at: file, toParentItemIdentifier: .rootContainer)
        #expect(ItemReading.sizeAgain(made) == 5)
        do {
            _ = try await provider.importDocument(at: file, toParentItemIdentifier: .rootContainer)
            Issue.record("there are two of a name")
        } catch {
            let existing = (error as NSError).userInfo[NSFileProviderErrorItemKey] as? NSFileProviderItemProtocol
            #expect(existing?.itemIdentifier == made.itemIdentifier)
        }
        // The class implements the `async` form.
        let identifier = made.itemIdentifier
        let name: String? = await withCheckedContinuation { continuation in
            provider.renameItem(withIdentifier: identifier, toName: "new.txt") { item, _ in
                continuation.resume(returning: item?.filename)
            }
        }
        #expect(name == "new.txt")
    }

    @Test func aReplicatedProviderIsDrivenByHand() async throws {
        let domain = NSFileProviderDomain(
            identifier: NSFileProviderDomainIdentifier("a domain"), displayName: "A domain")
        let provider = ReplicatedProvider(domain: domain)
        var read: [String] = []
        _ = provider.item(for: .rootContainer, request: NSFileProviderRequest()) { item, _ in
            if let item { read.append(ItemReading.kind(item)) }
        }
        _ = provider.fetchContents(
            for: NSFileProviderItemIdentifier("x"), version: nil, request: NSFileProviderRequest()
        ) { url, item, _ in
            if let url { read.append((try? String(contentsOf: url, encoding: .utf8)) ?? "") }
            if let url { try? FileManager.default.removeItem(at: url) }
            read.append(item.flatMap { ItemReading.version($0) }.map { String(decoding: $0, as: UTF8.self) } ?? "")
        }
        #expect(read == ["folder", "x", "a content version"])
        let observer = MockEnumerationObserver()
        let enumerator = try provider.enumerator(for: .workingSet, request: NSFileProviderRequest())
        enumerator.enumerateItems(
            for: observer, startingAt: NSFileProviderPage(NSFileProviderPage.initialPageSortedByName as Data))
        #expect(observer.items.map { ItemReading.kind($0) } == ["text"])
        #expect(observer.items.map { ItemReading.size($0) } == [-1])
        #expect(observer.items.map { ItemReading.modified($0) } == [.distantPast])
        #expect(observer.items.map { ItemReading.mayBeChanged($0) } == [true])
        #expect(observer.items.map { ItemReading.isShared($0) } == [false])
        #expect(observer.items.compactMap { ItemReading.created($0) } == [])
        // The class implements the form without a completion handler.
        let anchor = await withCheckedContinuation { continuation in
            enumerator.currentSyncAnchor { continuation.resume(returning: $0) }
        }
        #expect(anchor == NSFileProviderSyncAnchor(Data("an anchor".utf8)))
        provider.invalidate()
    }

    @Test func errorsOfProvidersAreToldApart() {
        let identifier = NSFileProviderItemIdentifier("x")
        #expect(ItemReading.message(NSFileProviderError(.noSuchItem)) == "gone")
        #expect(ItemReading.message(NSError.fileProviderErrorForNonExistentItem(withIdentifier: identifier)) == "gone")
        #expect(ItemReading.message(NSFileProviderError(.serverUnreachable)) == "later")
        #expect(ItemReading.message(NSFileProviderError(.filenameCollision)) == "collision")
        #expect(ItemReading.message(CocoaError(.featureUnsupported)) == NSCocoaErrorDomain)
    }

    @Test func aProgramRenewsItsDomains() async throws {
        // A domain manager of its own, because other tests use the process's domains, too.
        let domains = try await NSFileProviderManager.$backendOfTask.withValue(LocalDomains()) {
            try await DomainSetup.renew("renewed")
        }
        #expect(domains.map { $0.identifier.rawValue } == ["renewed"])
        let domain = NSFileProviderDomain(
            identifier: NSFileProviderDomainIdentifier(UUID().uuidString), displayName: "Cloud")
        try await NSFileProviderManager.add(domain)
        let error: (any Error)? = await withCheckedContinuation { continuation in
            DomainSetup.remove(domain) { continuation.resume(returning: $0) }
        }
        #expect(error == nil)
        #expect(try await !NSFileProviderManager.domains().contains { $0.identifier == domain.identifier })
    }
}
