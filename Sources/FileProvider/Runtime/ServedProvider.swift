import FileProviderWire
import Foundation
import ItemValues

/// A provider as ``ProviderRuntime`` calls it: an adapter for one of the two extension models.
///
/// Its functions match the engine's requests, so that one engine serves both models. They run provider code, and block
/// until it has replied or the request is over.
protocol ServedProvider: Sendable {
    /// The object of the provider's class. The runtime casts it to protocols that classes of both models may adopt.
    var object: any NSObjectProtocol { get }
    /// The directory for files in transfer between engine and provider.
    var temporary: String { get }

    /// Returns the item with the given identifier, as the provider reports it now.
    func item(_ identifier: String, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem

    /// Returns the provider's enumerator of a container.
    func enumerator(of container: String) throws -> any NSFileProviderEnumerator

    /// Fetches the whole contents of a file.
    func contents(_ request: ProviderContentsCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderFile

    /// Informs the provider that no process uses the file of an item any more.
    func stopProviding(_ identifier: String) throws(ProviderError)

    /// Creates an item.
    func create(_ request: ProviderCreateCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem

    /// Replaces the contents of a file.
    func replace(_ request: ProviderReplaceCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem

    /// Renames an item, moves it, or both. If the item already has its new name and parent, does nothing, because the
    /// engine repeats a move whose reply was lost.
    func move(_ request: ProviderMoveCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem

    /// Removes an item.
    ///
    /// - Throws: a failure of kind `noSuchItem` if the item is gone already.
    func delete(_ identifier: String, _ engineRequest: EngineRequest) throws(ProviderError)

    /// Sets user metadata or attributes of an item.
    ///
    /// - Throws: `unsupported` for attributes if the extension model has no function for them. No other failure for
    ///   attributes has this kind.
    func set(_ metadataChange: UserMetadataChange, of identifier: String, _ engineRequest: EngineRequest)
        throws(ProviderError) -> ProviderItem

    /// Moves an item into the trash. If the item is in the trash already, does nothing, because the engine repeats a
    /// request whose reply was lost.
    func trash(_ identifier: String, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem

    /// Moves an item out of the trash.
    func untrash(_ request: ProviderUntrashCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem

    /// Fetches thumbnails.
    func fetchThumbnails(
        for identifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler: @escaping @Sendable (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> Progress

    /// Returns the services for an item, including restricted ones.
    func services(of identifier: String, _ engineRequest: EngineRequest) throws(ProviderError) -> ServiceSources

    /// Returns the identifier of the item whose file is at a path in the document storage; `nil` if no item has its
    /// file at the path.
    func identifier(ofFileAt path: String) -> String?

    /// Provides an item's file, or its placeholder, in the document storage.
    func start(_ request: ProviderStartCall, _ engineRequest: EngineRequest) throws(ProviderError)

    /// Informs the provider that a file in the document storage was changed.
    func noteChange(at path: String)

    /// Informs the provider that the import has ended.
    func importDidFinish(_ engineRequest: EngineRequest) throws(ProviderError)

    /// Invalidates the provider. The runtime sends no further requests to it.
    func end()
}

extension ServedProvider {
    /// Does nothing, because nothing can be imported into a provider that stores its files itself.
    func importDidFinish(_ engineRequest: EngineRequest) throws(ProviderError) {}
}

/// A provider's services. Sendable because only provider code uses the sources, for one request at a time.
struct ServiceSources: @unchecked Sendable {
    let sources: [any NSFileProviderServiceSource]
}

extension Result<ProviderItem, ProviderError> {
    /// Converts the arguments of a provider's completion handler to a result.
    static func of(_ item: (any NSFileProviderItem)?, _ error: (any Error)?) -> Self {
        if let error { return .failure(ProviderError(error)) }
        guard let item else {
            return .failure(
                ProviderError(.badAnswer, message: "the provider answered with neither an item nor an error"))
        }
        return .success(ProviderItem(item))
    }
}

extension ProviderError {
    /// Returns a substitute for the root item, for which the provider returned this failure. The root always exists,
    /// but many providers return no item for it.
    ///
    /// - Parameter name: the domain's display name.
    /// - Returns: `nil` if the kind of the failure is neither `noSuchItem` nor `unsupported`.
    func root(named name: String?) -> ProviderItem? {
        guard kind == .noSuchItem || kind == .unsupported else { return nil }
        let name = name ?? ""
        return ProviderItem(
            identifier: ProviderItem.rootIdentifier, parent: ProviderItem.rootIdentifier,
            filename: name.isEmpty ? "root" : name, kind: .folder)
    }
}
