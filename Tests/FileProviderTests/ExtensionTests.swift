import FileProvider
import FileTesting
import Foundation
import Synchronization
import Testing

@Suite(.ownDomains) struct ExtensionTests {
    /// A provider that overrides the methods with completion handlers.
    private final class HandlerProvider: NSFileProviderExtension {
        override func item(for identifier: NSFileProviderItemIdentifier) throws -> any NSFileProviderItem {
            BareItem(identifier.rawValue)
        }
        override func startProvidingItem(at url: URL, completionHandler: @escaping ((any Error)?) -> Void) {
            completionHandler(nil)
            // A second call, which is a mistake that real providers make.
            completionHandler(NSFileProviderError(.serverUnreachable))
        }
        override func importDocument(
            at fileURL: URL, toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier,
            completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
        ) { completionHandler(BareItem("imported"), nil) }
        override func createDirectory(
            withName directoryName: String,
            inParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier,
            completionHandler: @escaping ((any NSFileProviderItemProtocol)?, (any Error)?) -> Void
        ) { completionHandler(BareItem(directoryName, parent: parentItemIdentifier), nil) }
        override func renameItem(
            withIdentifier itemIdentifier: NSFileProviderItemIdentifier, toName itemName: String,
            completionHandler: @escaping ((any NSFileProviderItem)?, (any Error)?) -> Void
        ) { completionHandler(nil, nil) }
        override func deleteItem(
            withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
            completionHandler: @escaping ((any Error)?) -> Void
        ) { completionHandler(NSFileProviderError(.deletionRejected)) }
    }

    /// A provider that overrides the `async` methods, one of which calls another.
    private final class AsyncProvider: NSFileProviderExtension {
        override func startProvidingItem(at url: URL) async throws {
            if url.lastPathComponent == "bad" { throw NSFileProviderError(.serverUnreachable) }
        }
        override func createDirectory(
            withName directoryName: String,
            inParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier
        ) async throws -> any NSFileProviderItem { BareItem(directoryName) }
        override func reparentItem(
            withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
            toParentItemWithIdentifier parentItemIdentifier: NSFileProviderItemIdentifier, newName: String?
        ) async throws -> any NSFileProviderItem {
            try await createDirectory(withName: newName ?? "same", inParentItemIdentifier: parentItemIdentifier)
        }
        override func trashItem(
            withIdentifier itemIdentifier: NSFileProviderItemIdentifier
        ) async throws -> any NSFileProviderItem { try await super.trashItem(withIdentifier: itemIdentifier) }
        override func setTagData(
            _ tagData: Data?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier
        ) async throws -> any NSFileProviderItem { BareItem("\(tagData?.count ?? 0)") }
        override func untrashItem(
            withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
            toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier?
        ) async throws -> any NSFileProviderItem { BareItem("back") }
        override func setLastUsedDate(
            _ lastUsedDate: Date?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier
        ) async throws -> any NSFileProviderItem { BareItem("used") }
        override func setFavoriteRank(
            _ favoriteRank: NSNumber?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier
        ) async throws -> any NSFileProviderItem { BareItem("favorite") }
    }

    private let identifier = NSFileProviderItemIdentifier("x")
    private let url = URL(fileURLWithPath: "/nowhere/x")

    /// Returns the filename of the item that a completion handler gets, or the code of its error.
    private func answer(
        _ ask: (@escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void) -> Void
    ) async -> String {
        await withCheckedContinuation { continuation in
            ask { item, error in
                continuation.resume(
                    returning: item?.itemIdentifier.rawValue ?? error.map { "\(($0 as NSError).code)" } ?? "neither"
                )
            }
        }
    }

    @Test func theFormWithAHandlerStandsForTheOther() async throws {
        let provider = HandlerProvider()
        try await provider.startProvidingItem(at: url)
        #expect(
            try await provider.importDocument(at: url, toParentItemIdentifier: .rootContainer).itemIdentifier
                .rawValue
                == "imported")
        let made = try await provider.createDirectory(withName: "new", inParentItemIdentifier: identifier)
        #expect(made.parentItemIdentifier == identifier)
        await #expect(throws: NSFileProviderError.self) {
            try await provider.deleteItem(withIdentifier: identifier)
        }
        // A completion handler with neither an item nor an error means an error.
        await #expect(throws: CocoaError.self) {
            _ = try await provider.renameItem(withIdentifier: identifier, toName: "a")
        }
    }

    @Test func theFormWithoutAHandlerStandsForTheOther() async {
        let provider = AsyncProvider()
        let start = await withCheckedContinuation { continuation in
            provider.startProvidingItem(at: url) { continuation.resume(returning: $0.map { "\($0)" }) }
        }
        #expect(start == nil)
        let bad = await withCheckedContinuation { continuation in
            provider.startProvidingItem(at: URL(fileURLWithPath: "/bad")) {
                continuation.resume(returning: ($0 as? NSFileProviderError)?.code)
            }
        }
        #expect(bad == .serverUnreachable)
        // The method that it calls is overridden in its other form, too.
        #expect(
            await answer {
                provider.reparentItem(
                    withIdentifier: identifier, toParentItemWithIdentifier: .rootContainer, newName: "n",
                    completionHandler: $0)
            } == "n")
        #expect(
            await answer {
                provider.setTagData(Data([1, 2]), forItemIdentifier: identifier, completionHandler: $0)
            } == "2")
        #expect(
            await answer {
                provider.untrashItem(withIdentifier: identifier, toParentItemIdentifier: nil, completionHandler: $0)
            } == "back")
        #expect(
            await answer {
                provider.setLastUsedDate(nil, forItemIdentifier: identifier, completionHandler: $0)
            } == "used")
        #expect(
            await answer {
                provider.setFavoriteRank(nil, forItemIdentifier: identifier, completionHandler: $0)
            } == "favorite")
    }

    @Test func missingAbilitiesAreUnsupported() async {
        let unsupported = "\(CocoaError.Code.featureUnsupported.rawValue)"
        let provider = NSFileProviderExtension()
        #expect(
            await answer {
                provider.importDocument(at: url, toParentItemIdentifier: .rootContainer, completionHandler: $0)
            } == unsupported)
        #expect(
            await answer {
                provider.renameItem(withIdentifier: identifier, toName: "a", completionHandler: $0)
            } == unsupported)
        // A subclass that calls its superclass gets the same error.
        let subclass = AsyncProvider()
        #expect(
            await answer { subclass.trashItem(withIdentifier: identifier, completionHandler: $0) } == unsupported)
        await #expect(throws: CocoaError.self) { _ = try await subclass.trashItem(withIdentifier: identifier) }
        await #expect(throws: CocoaError.self) { try await provider.startProvidingItem(at: url) }
        await #expect(throws: CocoaError.self) { try await provider.deleteItem(withIdentifier: identifier) }
        await #expect(throws: CocoaError.self) {
            _ = try await provider.setTagData(nil, forItemIdentifier: identifier)
        }
        await #expect(throws: CocoaError.self) {
            _ = try await provider.setLastUsedDate(nil, forItemIdentifier: identifier)
        }
        await #expect(throws: CocoaError.self) {
            _ = try await provider.setFavoriteRank(nil, forItemIdentifier: identifier)
        }
        await #expect(throws: CocoaError.self) {
            _ = try await provider.untrashItem(withIdentifier: identifier, toParentItemIdentifier: nil)
        }
        await #expect(throws: CocoaError.self) {
            _ = try await provider.reparentItem(
                withIdentifier: identifier, toParentItemWithIdentifier: .rootContainer, newName: nil)
        }
        #expect(throws: CocoaError.self) { try provider.enumerator(for: .rootContainer) }
        #expect(throws: NSFileProviderError.self) { try provider.item(for: identifier) }
        #expect(throws: Never.self) { try provider.supportedServiceSources(for: identifier).isEmpty }
        provider.itemChanged(at: url)
        provider.stopProvidingItem(at: url)
    }

    @Test func aProviderWithoutPicturesSaysSo() {
        var error: (any Error)?
        let progress = NSFileProviderExtension().fetchThumbnails(
            for: [identifier], requestedSize: CGSize(width: 1, height: 1),
            perThumbnailCompletionHandler: { _, _, _ in Issue.record("it has none") },
            completionHandler: { error = $0 })
        #expect(progress.isFinished)
        #expect((error as? CocoaError)?.code == .featureUnsupported)
    }

    @Test func anIdentifierIsAPathByDefault() throws {
        let domain = NSFileProviderDomain(
            identifier: NSFileProviderDomainIdentifier("d"), displayName: "D", pathRelativeToDocumentStorage: "of d"
        )
        let provider = ExtensionSurroundings.$domain.withValue(domain) { NSFileProviderExtension() }
        #expect(provider.domain === domain)
        let folder = provider.documentStorageURL.appendingPathComponent("of d")
        for identifier in ["a", "a/b.txt", "ü/ 🙂", "\u{FEFF}a/\u{FEFF}b", "a/\u{301}"] {
            let url = try #require(provider.urlForItem(withPersistentIdentifier: .init(identifier)))
            #expect(url.path.utf8.elementsEqual((folder.path + "/" + identifier).utf8))
            let known = try #require(provider.persistentIdentifierForItem(at: url))
            #expect(known.rawValue.utf8.elementsEqual(identifier.utf8), "\(Array(known.rawValue.utf8))")
        }
        #expect(provider.urlForItem(withPersistentIdentifier: .rootContainer)?.path == folder.path)
        #expect(provider.persistentIdentifierForItem(at: folder) == .rootContainer)
        for bad in ["", "/", "..", "../x", "a/../../b", "a//b", "/etc/passwd", "a\0"] {
            #expect(provider.urlForItem(withPersistentIdentifier: .init(bad)) == nil)
        }
        #expect(provider.persistentIdentifierForItem(at: URL(fileURLWithPath: "/etc/passwd")) == nil)
        #expect(provider.persistentIdentifierForItem(at: folder.appendingPathComponent("../other")) == nil)
        #expect(NSFileProviderExtension().domain == nil)
        #expect(provider.providerIdentifier == NSFileProviderManager.default.providerIdentifier)
    }

    @Test func aPlaceholderSaysWhatIsKnown() async throws {
        let folder = try TestFolder()
        let url = URL(fileURLWithPath: folder.path).appendingPathComponent("not there/Full.txt")
        let placeholder = NSFileProviderManager.placeholderURL(for: url)
        #expect(placeholder.path == folder.path + "/not there/.Full.txt.icloud")
        #expect(NSFileProviderExtension.placeholderURL(for: url) == placeholder)
        try NSFileProviderManager.writePlaceholder(at: placeholder, withMetadata: FullItem())
        let written = try PropertyListSerialization.propertyList(from: Data(contentsOf: placeholder), format: nil)
        let values = try #require(written as? [String: Any])
        #expect(values[URLResourceKey.nameKey.rawValue] as? String == "Full.txt")
        #expect(values[URLResourceKey.fileSizeKey.rawValue] as? Int == 42)
        #expect(
            values[URLResourceKey.contentModificationDateKey.rawValue] as? Date
                == FullItem().contentModificationDate)
        let mad = FullItem()
        mad.creationDate = Date(timeIntervalSince1970: .nan)
        mad.documentSize = -1
        try NSFileProviderManager.writePlaceholder(at: placeholder, withMetadata: mad)
        try NSFileProviderExtension.writePlaceholder(
            at: placeholder, withMetadata: [.nameKey: "name", .fileSizeKey: 7, .thumbnailDictionaryKey: NSObject()])
        #expect(try folder.names("not there") == [".Full.txt.icloud"])
    }

    @Test func placeholdersOfLongNamesAreApart() {
        let names = ["a", "b"].map { String(repeating: "ü", count: 126) + $0 }
        let placeholders = names.map { NSFileProviderManager.placeholderURL(for: URL(fileURLWithPath: "/f/\($0)")) }
        #expect(Set(placeholders).count == 2)
        #expect(placeholders.allSatisfy { $0.lastPathComponent.utf8.count <= 255 })
    }

    @Test func aPlaceholderIsWrittenOfWhatAnItemSays() async throws {
        let folder = try TestFolder()
        let domain = NSFileProviderDomain(
            identifier: NSFileProviderDomainIdentifier("p"), displayName: "P",
            pathRelativeToDocumentStorage: "placeholders-\(UInt64.random(in: .min ... .max))")
        let provider = ExtensionSurroundings.$domain.withValue(domain) { HandlerProvider() }
        let url = try #require(provider.urlForItem(withPersistentIdentifier: NSFileProviderItemIdentifier("x")))
        defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
        try await provider.providePlaceholder(at: url)
        #expect(FileManager.default.fileExists(atPath: NSFileProviderManager.placeholderURL(for: url).path))
        await #expect(throws: NSFileProviderError.self) {
            try await provider.providePlaceholder(at: URL(fileURLWithPath: folder.path + "/elsewhere"))
        }
        let error = await withCheckedContinuation { continuation in
            provider.providePlaceholder(at: URL(fileURLWithPath: "/elsewhere")) {
                continuation.resume(returning: ($0 as? NSFileProviderError)?.code)
            }
        }
        #expect(error == .noSuchItem)
    }

    @Test func servicesAreOpenUnlessTheySayOtherwise() {
        struct Source: NSFileProviderServiceSource {
            let serviceName = NSFileProviderServiceName("org.example.service")
            func makeListenerEndpoint() throws -> NSXPCListenerEndpoint { throw CocoaError(.featureUnsupported) }
        }
        let source: any NSFileProviderServiceSource = Source()
        #expect(!source.isRestricted)
        #expect(source.serviceName.rawValue == "org.example.service")
        #expect(throws: CocoaError.self) { try source.makeListenerEndpoint() }
    }

    @Test func aProgramThatHasNoProviderIsOfferedNoService() async throws {
        let (name, item) = (NSFileProviderServiceName("org.example.service"), NSFileProviderItemIdentifier("item"))
        await #expect(throws: NSFileProviderError.self) {
            _ = try await NSFileProviderManager.default.service(named: name, for: item)?.name
        }
        let error = await withCheckedContinuation { continuation in
            NSFileProviderManager.default.getService(named: name, for: item) { _, error in
                continuation.resume(returning: error)
            }
        }
        #expect(error is NSFileProviderError)
    }
}
