import FileProvider
import FileProviderWire
import FileTesting
import Foundation
import Glibc
import Images
import ItemValues
import LinuxSystem
import LocalFolder
import TestThreads
import Testing

/// The extension as the system drives it: by its class, its enumerators and its files.
@Suite(.ownThreads) struct ExtensionTests {
    private let folder: TestFolder
    private let own: TestFolder
    private let provider: LocalFolderExtension

    init() throws {
        (folder, own) = (try TestFolder(), try TestFolder())
        provider = LocalFolderExtension(serving: folder, own: own)
    }

    @Test func aFolderIsListedPageByPageEachItemOnce() throws {
        for number in 0..<1100 { try folder.file("file \(number).txt", [UInt8](repeating: 1, count: number % 7)) }
        try folder.folder("inner")
        var items: [ProviderItem] = []
        var page: NSFileProviderPage? = NSFileProviderPage(NSFileProviderPage.initialPageSortedByName as Data)
        var pages = 0
        while let next = page {
            let observer = PageWitness()
            try provider.enumerator(for: .rootContainer).enumerateItems(for: observer, startingAt: next)
            #expect(observer.error == nil)
            items += observer.items
            page = observer.next
            pages += 1
            #expect((page?.rawValue.count ?? 0) <= 500)
        }
        #expect(pages == 3)
        #expect(items.count == 1101 && Set(items.map(\.identifier)).count == 1101)
        let inner = try #require(items.first { $0.filename == "inner" })
        #expect(inner.kind == .folder && inner.parent == ProviderItem.rootIdentifier)
        let file = try #require(items.first { $0.filename == "file 13.txt" })
        #expect(file.kind == .file && file.size == 6 && file.contentType == "public.plain-text")
    }

    @Test func picturesHaveThumbnailsAndOtherFilesNone() async throws {
        let pixels = Data((0..<400 * 200 * 4).map { UInt8(truncatingIfNeeded: $0) })
        try folder.file("a.jpg", [UInt8](ImageCodec.encode(pixels, width: 400, height: 200, as: .jpeg)))
        try folder.file("b.txt", Array("text".utf8))
        let identifiers = try provider.list().sorted { $0.filename < $1.filename }.map(\.identifier) + ["none"]
        let given = await thumbnails(of: identifiers)
        #expect(given.map(\.identifier) == identifiers && given.map { $0.error != nil } == [false, false, true])
        #expect(try ImageCodec.header(of: try #require(given[0].picture)).width == 100)
        #expect(given[1].picture == nil)
        #expect((given[2].error as? NSFileProviderError)?.code == .noSuchItem)
    }

    @Test func aPictureOfAFolderThatIsAwayIsNotSaidToBeGone() async throws {
        try folder.file("a.jpg", [1])
        let identifiers = try provider.list().map(\.identifier)
        try retrying { rename(folder.path, folder.path + "-away") }
        let given = await thumbnails(of: identifiers)
        try retrying { rename(folder.path + "-away", folder.path) }
        #expect(given.map(\.identifier) == identifiers)
        let error = try #require(given.first?.error as NSError?)
        #expect((error.domain, error.code) == (NSPOSIXErrorDomain, Int(ENODEV)))
    }

    /// Returns the thumbnail results of each item.
    private func thumbnails(of identifiers: [String]) async -> [Thumbnail] {
        let answers = Lock<[Thumbnail]>([])
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let progress = provider.fetchThumbnails(
                for: identifiers.map { NSFileProviderItemIdentifier($0) },
                requestedSize: CGSize(width: 100, height: 100),
                perThumbnailCompletionHandler: { identifier, data, error in
                    answers.withLock {
                        $0.append(Thumbnail(identifier: identifier.rawValue, picture: data, error: error))
                    }
                },
                completionHandler: { _ in continuation.resume() })
            #expect(progress.totalUnitCount == Int64(identifiers.count))
        }
        return answers.withLock { $0 }
    }

    private struct Thumbnail {
        let identifier: String
        let picture: Data?
        let error: (any Error)?
    }

    @Test func aPageThatMeansNothingIsExpired() throws {
        let observer = PageWitness()
        try provider.enumerator(for: .rootContainer).enumerateItems(
            for: observer, startingAt: NSFileProviderPage(Data("x".utf8)))
        #expect((observer.error as? NSFileProviderError)?.code == .syncAnchorExpired)
    }

    @Test func aFileThatIsNamedLikeAPackageIsAFile() throws {
        try folder.file("Thing.app", [1])
        try folder.file("Notes.rtfd", [1])
        #expect(try provider.list().map(\.kind) == [.file, .file])
    }

    @Test func aFileIsProvidedAsACopyAndGivenUpAgain() throws {
        try folder.file("a", Array("contents".utf8))
        let item = try #require(try provider.list().first)
        let url = try #require(
            provider.urlForItem(withPersistentIdentifier: NSFileProviderItemIdentifier(item.identifier)))
        #expect(provider.persistentIdentifierForItem(at: url)?.rawValue == item.identifier)
        let failure = Witness<(any Error)?>()
        provider.startProvidingItem(at: url) { failure.take($0) }
        #expect(failure.value.map { $0 == nil } == true)
        #expect(try String(contentsOf: url, encoding: .utf8) == "contents")
        provider.stopProvidingItem(at: url)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        #expect(try folder.content("a") == Array("contents".utf8))
    }

    @Test func anItemHasTheVersionOfItsCopyUntilThatIsTakenAndIsReportedAfterwards() throws {
        try folder.file("a", [1])
        let item = try #require(try provider.list().first)
        let identifier = NSFileProviderItemIdentifier(item.identifier)
        let url = try #require(provider.urlForItem(withPersistentIdentifier: identifier))
        provider.startProvidingItem(at: url) { _ in }
        let start = try anchor()
        try folder.descriptor.open("a", [.writeOnly]).overwrite([1, 2, 3], at: 0)
        // The change has been reported once by now.
        #expect(try changes(since: start).items.first?.size == 3)
        #expect(try ProviderItem(provider.item(for: identifier)).contentVersion == item.contentVersion)
        let before = try anchor()
        provider.stopProvidingItem(at: url)
        #expect(try changes(since: before).items.map(\.size) == [3])
    }

    @Test func anEditTakesTheFilesPlaceAndTheItemSaysSo() throws {
        try folder.file("a", [1])
        let item = try #require(try provider.list().first)
        let identifier = NSFileProviderItemIdentifier(item.identifier)
        let url = try #require(provider.urlForItem(withPersistentIdentifier: identifier))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data([7, 7]).write(to: url)
        provider.itemChanged(at: url)
        #expect(try folder.content("a") == [7, 7])
        let after = ProviderItem(try provider.item(for: identifier))
        #expect(after.flags.contains(.uploaded) && after.size == 2 && after.contentVersion != item.contentVersion)
    }

    @Test func anEditThatCannotBePutThereStaysAndIsTriedAgain() throws {
        try folder.folder("inner")
        try folder.file("inner/a", [1])
        let inner = try #require(try provider.list().first)
        let item = try #require(try provider.list(NSFileProviderItemIdentifier(inner.identifier)).first)
        let identifier = NSFileProviderItemIdentifier(item.identifier)
        let url = try #require(provider.urlForItem(withPersistentIdentifier: identifier))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data([7]).write(to: url)
        // The directory is missing, such as that of an unmounted disk.
        let away = folder.path + "-away"
        rename(folder.path, away)
        provider.itemChanged(at: url)
        #expect(throws: (any Error).self) { try provider.item(for: identifier) }
        #expect(FileManager.default.fileExists(atPath: url.path))
        provider.stopProvidingItem(at: url)
        #expect(FileManager.default.fileExists(atPath: url.path))
        rename(away, folder.path)
        let after = ProviderItem(try provider.item(for: identifier))
        #expect(after.flags.contains(.uploaded))
        #expect(try folder.content("inner/a") == [7])
    }

    @Test func itemsAreMadeRenamedMovedAndRemoved() throws {
        let made = Witness<ProviderItem?>()
        provider.createDirectory(withName: "inner", inParentItemIdentifier: .rootContainer) { item, _ in
            made.take(item.map { ProviderItem($0) })
        }
        let inner = try #require(made.value ?? nil)
        let source = own.path + "/new file.txt"
        try Data("text".utf8).write(to: URL(fileURLWithPath: source))
        let imported = Witness<ProviderItem?>()
        provider.importDocument(
            at: URL(fileURLWithPath: source), toParentItemIdentifier: NSFileProviderItemIdentifier(inner.identifier)
        ) { item, _ in imported.take(item.map { ProviderItem($0) }) }
        let file = try #require(imported.value ?? nil)
        #expect(file.parent == inner.identifier)
        #expect(try folder.content("inner/new file.txt") == Array("text".utf8))
        let collision = Witness<ProviderError?>()
        provider.importDocument(
            at: URL(fileURLWithPath: source), toParentItemIdentifier: NSFileProviderItemIdentifier(inner.identifier)
        ) { _, error in collision.take(error.map { ProviderError($0) }) }
        #expect(collision.value??.kind == .filenameCollision && collision.value??.collidingItem == file.identifier)
        let identifier = NSFileProviderItemIdentifier(file.identifier)
        provider.renameItem(withIdentifier: identifier, toName: "b.txt") { _, error in #expect(error == nil) }
        #expect(try folder.names("inner") == ["b.txt"])
        provider.reparentItem(
            withIdentifier: identifier, toParentItemWithIdentifier: .rootContainer, newName: nil
        ) { _, error in #expect(error == nil) }
        #expect(try folder.names() == ["b.txt", "inner"])
        provider.deleteItem(withIdentifier: identifier) { #expect($0 == nil) }
        provider.deleteItem(withIdentifier: NSFileProviderItemIdentifier(inner.identifier)) { #expect($0 == nil) }
        #expect(try folder.names().isEmpty)
    }

    @Test func theWorkingSetReportsRemoteChanges() throws {
        try folder.file("a", [1])
        _ = try provider.list()
        let before = try anchor()
        try folder.file("b", [1])
        try retrying { unlinkat(folder.descriptor.rawValue, "a", 0) }
        let told = try changes(since: before)
        #expect(told.items.map(\.filename) == ["b"] && told.deleted.count == 1)
        let observer = ChangesWitness()
        try provider.enumerator(for: .workingSet).enumerateChanges(
            for: observer, from: NSFileProviderSyncAnchor(Data("nothing".utf8)))
        #expect((observer.error as? NSFileProviderError)?.code == .syncAnchorExpired)
    }

    @Test func aDomainWithoutAFolderSaysWhatIsMissing() throws {
        let lost = LocalFolderExtension(serving: nil, own: own)
        do {
            _ = try lost.item(for: .rootContainer)
            Issue.record("it has an item")
        } catch {
            #expect(ProviderError(error).message.contains("path=DIR"))
        }
    }

    private func anchor() throws -> NSFileProviderSyncAnchor {
        let anchor = Witness<NSFileProviderSyncAnchor?>()
        let enumerator: any NSFileProviderEnumerator = try provider.enumerator(for: .workingSet)
        enumerator.currentSyncAnchor { anchor.take($0) }
        return try #require(anchor.value ?? nil)
    }

    private func changes(since anchor: NSFileProviderSyncAnchor) throws -> ChangesWitness {
        let observer = ChangesWitness()
        let enumerator: any NSFileProviderEnumerator = try provider.enumerator(for: .workingSet)
        enumerator.enumerateChanges(for: observer, from: anchor)
        if let error = observer.error { throw error }
        return observer
    }
}

/// A value that a handler passes on any thread.
private final class Witness<Value>: @unchecked Sendable {
    // Sendable: mutable state is protected by the lock.
    private let lock = NSLock()
    private var taken: Value?

    func take(_ value: Value) { lock.withLock { taken = value } }

    var value: Value? { lock.withLock { taken } }
}

/// An observer without a lock: the extension calls it on the thread that asks.
private final class ChangesWitness: NSObject, NSFileProviderChangeObserver {
    private(set) var items: [ProviderItem] = []
    private(set) var deleted: [String] = []
    private(set) var error: (any Error)?

    func didUpdate(_ updatedItems: [any NSFileProviderItem]) { items += updatedItems.map { ProviderItem($0) } }
    func didDeleteItems(withIdentifiers identifiers: [NSFileProviderItemIdentifier]) {
        deleted += identifiers.map(\.rawValue)
    }
    func finishEnumeratingChanges(upTo anchor: NSFileProviderSyncAnchor, moreComing: Bool) {}
    func finishEnumeratingWithError(_ error: any Error) { self.error = error }
}
