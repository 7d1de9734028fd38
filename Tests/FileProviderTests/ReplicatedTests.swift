import FileProvider
import Foundation
import ItemProvider
import Testing

/// The replicated model, in which the system stores the files. The test acts as the system.
@Suite struct ReplicatedTests {
    private final class Enumerator: NSObject, NSFileProviderEnumerator {
        func invalidate() {}
        func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
            observer.finishEnumerating(upTo: nil)
        }
    }

    /// A provider that implements every optional protocol.
    private final class Provider: NSObject, NSFileProviderReplicatedExtension, NSFileProviderIncrementalContentFetching,
        NSFileProviderPartialContentFetching, NSFileProviderServicing, NSFileProviderThumbnailing,
        NSFileProviderCustomAction, NSFileProviderUserInteractionSuppressing, NSFileProviderDomainState
    {
        var isSuppressed = false
        let name: String
        let domainVersion = NSFileProviderDomainVersion().next()
        let userInfo: [AnyHashable: Any] = ["state": "fine"]

        required init(domain: NSFileProviderDomain) { name = domain.displayName }

        func invalidate() {}
        func item(
            for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest,
            completionHandler: @escaping ((any NSFileProviderItem)?, (any Error)?) -> Void
        ) -> Progress {
            completionHandler(BareItem(identifier.rawValue), nil)
            return Progress()
        }
        func fetchContents(
            for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion?,
            request: NSFileProviderRequest,
            completionHandler: @escaping (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void
        ) -> Progress {
            completionHandler(nil, nil, NSFileProviderError(.noSuchItem))
            return Progress()
        }
        func createItem(
            basedOn itemTemplate: any NSFileProviderItem, fields: NSFileProviderItemFields, contents url: URL?,
            options: NSFileProviderCreateItemOptions = [], request: NSFileProviderRequest,
            completionHandler:
                @escaping ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) ->
                Void
        ) -> Progress {
            completionHandler(itemTemplate, [.tagData], options.contains(.mayAlreadyExist), nil)
            return Progress()
        }
        func modifyItem(
            _ item: any NSFileProviderItem, baseVersion version: NSFileProviderItemVersion,
            changedFields: NSFileProviderItemFields, contents newContents: URL?,
            options: NSFileProviderModifyItemOptions = [], request: NSFileProviderRequest,
            completionHandler:
                @escaping ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) ->
                Void
        ) -> Progress {
            completionHandler(item, changedFields, false, nil)
            return Progress()
        }
        func deleteItem(
            identifier: NSFileProviderItemIdentifier, baseVersion version: NSFileProviderItemVersion,
            options: NSFileProviderDeleteItemOptions = [], request: NSFileProviderRequest,
            completionHandler: @escaping ((any Error)?) -> Void
        ) -> Progress {
            completionHandler(options.contains(.recursive) ? nil : NSFileProviderError(.directoryNotEmpty))
            return Progress()
        }
        func enumerator(
            for containerItemIdentifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest
        ) throws -> any NSFileProviderEnumerator { Enumerator() }

        func importDidFinish() async {}
        func materializedItemsDidChange(completionHandler: @escaping () -> Void) { completionHandler() }

        func fetchContents(
            for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion?,
            usingExistingContentsAt existingContents: URL, existingVersion: NSFileProviderItemVersion,
            request: NSFileProviderRequest,
            completionHandler: @escaping (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void
        ) -> Progress {
            completionHandler(existingContents, nil, nil)
            return Progress()
        }
        func fetchPartialContents(
            for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion,
            request: NSFileProviderRequest, minimalRange requestedRange: NSRange, aligningTo alignment: Int,
            options: NSFileProviderFetchContentsOptions = [],
            completionHandler:
                @escaping (
                    URL?, (any NSFileProviderItem)?, NSRange, NSFileProviderMaterializationFlags, (any Error)?
                ) -> Void
        ) -> Progress {
            completionHandler(nil, nil, requestedRange, .knownSparseRanges, nil)
            return Progress()
        }
        func supportedServiceSources(
            for itemIdentifier: NSFileProviderItemIdentifier,
            completionHandler: @escaping ([any NSFileProviderServiceSource]?, (any Error)?) -> Void
        ) -> Progress {
            completionHandler([], nil)
            return Progress()
        }
        func fetchThumbnails(
            for itemIdentifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
            perThumbnailCompletionHandler: @escaping (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void,
            completionHandler: @escaping ((any Error)?) -> Void
        ) -> Progress {
            for identifier in itemIdentifiers { perThumbnailCompletionHandler(identifier, Data(), nil) }
            completionHandler(nil)
            return Progress()
        }
        func performAction(
            identifier actionIdentifier: NSFileProviderExtensionActionIdentifier,
            onItemsWithIdentifiers itemIdentifiers: [NSFileProviderItemIdentifier],
            completionHandler: @escaping ((any Error)?) -> Void
        ) -> Progress {
            completionHandler(nil)
            return Progress()
        }
        func setInteractionSuppressed(_ suppression: Bool, forIdentifier suppressionIdentifier: String) {
            isSuppressed = suppression
        }
        func isInteractionSuppressed(forIdentifier suppressionIdentifier: String) -> Bool { isSuppressed }
    }

    private let identifier = NSFileProviderItemIdentifier("x")
    private let request = NSFileProviderRequest()
    private let version = NSFileProviderItemVersion()

    private func provider() -> Provider {
        Provider(domain: NSFileProviderDomain(identifier: NSFileProviderDomainIdentifier("d"), displayName: "D"))
    }

    @Test func aProviderIsAskedThroughItsProtocol() throws {
        let provider: any NSFileProviderReplicatedExtension = provider()
        var answers: [String] = []
        _ = provider.item(for: identifier, request: request) { item, _ in answers.append(item?.filename ?? "") }
        _ = provider.fetchContents(for: identifier, version: nil, request: request) { _, _, error in
            answers.append("\((error as? NSFileProviderError)?.errorCode ?? 0)")
        }
        _ = provider.createItem(
            basedOn: BareItem("new"), fields: [.filename, .contents], contents: nil, options: [.mayAlreadyExist],
            request: request
        ) { item, fields, fetches, _ in
            answers.append("\(item?.itemIdentifier.rawValue ?? "") \(fields == .tagData) \(fetches)")
        }
        _ = provider.modifyItem(
            BareItem("old"), baseVersion: version, changedFields: .filename, contents: nil, options: [],
            request: request
        ) { _, fields, _, _ in answers.append("\(fields == .filename)") }
        _ = provider.deleteItem(identifier: identifier, baseVersion: version, options: .recursive, request: request) {
            answers.append($0 == nil ? "gone" : "there")
        }
        #expect(answers == ["name", "-1005", "new true true", "true", "gone"])
        let enumerating: any NSFileProviderEnumerating = provider
        #expect(try enumerating.enumerator(for: .workingSet, request: request) is Enumerator)
        provider.invalidate()
    }

    @Test func noticesComeInEitherFormOrAreLeftOut() async {
        let provider: any NSFileProviderReplicatedExtension = provider()
        await provider.importDidFinish()
        await provider.materializedItemsDidChange()
        await provider.pendingItemsDidChange()
        await withCheckedContinuation { continuation in provider.importDidFinish { continuation.resume() } }
        await withCheckedContinuation { continuation in provider.materializedItemsDidChange { continuation.resume() } }
        await withCheckedContinuation { continuation in provider.pendingItemsDidChange { continuation.resume() } }
    }

    @Test func optionalAbilitiesAreFoundThroughProtocols() {
        let provider: Any = provider()
        var answers = 0
        _ = (provider as? any NSFileProviderIncrementalContentFetching)?.fetchContents(
            for: identifier, version: nil, usingExistingContentsAt: URL(fileURLWithPath: "/old"),
            existingVersion: version, request: request
        ) { url, _, _ in answers += url?.path == "/old" ? 1 : 0 }
        _ = (provider as? any NSFileProviderPartialContentFetching)?.fetchPartialContents(
            for: identifier, version: version, request: request, minimalRange: NSRange(1..<2), aligningTo: 1,
            options: .strictVersioning
        ) { _, _, range, flags, _ in answers += range == NSRange(1..<2) && flags == .knownSparseRanges ? 1 : 0 }
        _ = (provider as? any NSFileProviderServicing)?.supportedServiceSources(for: identifier) { sources, _ in
            answers += sources?.isEmpty == true ? 1 : 0
        }
        _ = (provider as? any NSFileProviderThumbnailing)?.fetchThumbnails(
            for: [identifier], requestedSize: CGSize(width: 1, height: 1),
            perThumbnailCompletionHandler: { _, _, _ in answers += 1 }, completionHandler: { _ in answers += 1 })
        _ = (provider as? any NSFileProviderCustomAction)?.performAction(
            identifier: NSFileProviderExtensionActionIdentifier("a"), onItemsWithIdentifiers: []
        ) { _ in answers += 1 }
        #expect(answers == 6)
        let suppressing = provider as? any NSFileProviderUserInteractionSuppressing
        suppressing?.setInteractionSuppressed(true, forIdentifier: "question")
        #expect(suppressing?.isInteractionSuppressed(forIdentifier: "question") == true)
        let state = provider as? any NSFileProviderDomainState
        #expect(state?.domainVersion == NSFileProviderDomainVersion().next())
        #expect(state?.userInfo["state"] as? String == "fine")
    }

    @Test func aRequestOfATestHasNoProcess() {
        #expect(!request.isSystemRequest)
        #expect(!request.isFileViewerRequest)
        #expect(request.requestingExecutable == nil)
        #expect(request.domainVersion == nil)
    }

    @Test func optionsOfReplicasHaveTheirBits() {
        #expect(NSFileProviderCreateItemOptions.mayAlreadyExist == NSFileProviderCreateItemOptions(rawValue: 1))
        #expect(NSFileProviderCreateItemOptions.deletionConflicted.rawValue == 2)
        #expect(NSFileProviderModifyItemOptions.mayAlreadyExist == NSFileProviderModifyItemOptions(rawValue: 1))
        #expect(NSFileProviderModifyItemOptions.failOnConflict.rawValue == 2)
        #expect(NSFileProviderModifyItemOptions.isImmediateUploadRequestByPresentingApplication.rawValue == 4)
        #expect(NSFileProviderDeleteItemOptions.recursive == NSFileProviderDeleteItemOptions(rawValue: 1))
        #expect(NSFileProviderFetchContentsOptions.strictVersioning == NSFileProviderFetchContentsOptions(rawValue: 1))
        #expect(
            NSFileProviderMaterializationFlags.knownSparseRanges == NSFileProviderMaterializationFlags(rawValue: 1))
    }
}
