import Foundation
import FoundationAdditions

/// The base class of providers that store their files themselves. The principal class of an extension is a subclass.
///
/// Functions may be called on any thread, and concurrently. A function must call its completion handler once, and soon:
/// a provider changes its local state at once, and informs the service later. Each function with a completion handler
/// also has an `async` form. A subclass overrides one of the two forms. The default of each form calls the other form.
///
/// Source: FileProvider, `NSFileProviderExtension.h`.
open class NSFileProviderExtension: NSObject {
    private let servedDomain: NSFileProviderDomain?

    /// Creates a provider for the domain that the system passes.
    public override init() {
        servedDomain = ExtensionSurroundings.domain
        super.init()
    }

    /// The domain that the provider serves; `nil` for the default domain.
    open var domain: NSFileProviderDomain? { servedDomain }

    /// The manager of the provider's domain.
    var manager: NSFileProviderManager { domain.flatMap { NSFileProviderManager(for: $0) } ?? .default }

    // MARK: Items and their files

    /// Returns the item with the given identifier in its current state.
    ///
    /// - Throws: ``NSFileProviderError/noSuchItem``. The default always throws it.
    open func item(for identifier: NSFileProviderItemIdentifier) throws -> any NSFileProviderItem {
        throw NSFileProviderError(
            .noSuchItem, userInfo: [NSFileProviderErrorNonExistentItemIdentifierKey: identifier])
    }

    /// Returns the URL of an item's file, whether or not the file exists. The URL of an item never changes, and is
    /// beneath ``NSFileProviderManager/documentStorageURL``.
    ///
    /// The default uses the identifier as a path in the domain's directory.
    open func urlForItem(withPersistentIdentifier identifier: NSFileProviderItemIdentifier) -> URL? {
        StorageMapping(manager, domain).url(of: identifier)
    }

    /// Returns the identifier of the item whose file has the given URL; `nil` if there is no such item. This function
    /// is the inverse of ``urlForItem(withPersistentIdentifier:)``.
    open func persistentIdentifierForItem(at url: URL) -> NSFileProviderItemIdentifier? {
        StorageMapping(manager, domain).identifier(at: url)
    }

    /// Writes a placeholder for a file that is not local, with
    /// ``NSFileProviderManager/writePlaceholder(at:withMetadata:)``.
    ///
    /// The default writes the placeholder from the result of ``item(for:)``.
    open func providePlaceholder(at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        answer("providePlaceholder", completionHandler) { try await $0.providePlaceholder(at: url) }
    }
    /// Writes a placeholder for a file that is not local.
    open func providePlaceholder(at url: URL) async throws {
        try await ask("providePlaceholder", neither: { try writePlaceholder(at: url) }) {
            providePlaceholder(at: url, completionHandler: $0)
        }
    }

    /// Fetches the whole current contents of a file to the file's URL, because a program reads the file.
    open func startProvidingItem(at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        answer("startProvidingItem", completionHandler) { try await $0.startProvidingItem(at: url) }
    }
    /// Fetches the whole current contents of a file to the file's URL, because a program reads the file.
    open func startProvidingItem(at url: URL) async throws {
        try await ask("startProvidingItem") { startProvidingItem(at: url, completionHandler: $0) }
    }

    /// Informs the provider that no process uses the file any more. If the service has the file's contents, the
    /// provider may remove the file. It must not remove the file's placeholder.
    open func stopProvidingItem(at url: URL) {}

    /// Informs the provider that the file was changed locally, so that its contents must be uploaded.
    open func itemChanged(at url: URL) {}

    // MARK: Listing

    /// Returns an enumerator of a directory or the working set, or an enumerator that reports the changes of a single
    /// file.
    ///
    /// - Throws: ``NSFileProviderError/noSuchItem``. The default throws `CocoaError.featureUnsupported`.
    open func enumerator(
        for containerItemIdentifier: NSFileProviderItemIdentifier
    ) throws -> any NSFileProviderEnumerator {
        throw CocoaError(.featureUnsupported)
    }

    // MARK: Changes that a user makes

    /// Imports a file as a new item.
    ///
    /// - Parameter fileURL: the file, which must be moved or copied before the completion handler is called.
    open func importDocument(
        at fileURL: URL, toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("importDocument", completionHandler) {
            try await $0.importDocument(at: fileURL, toParentItemIdentifier: parentItemIdentifier)
        }
    }
    /// Imports a file as a new item.
    open func importDocument(
        at fileURL: URL, toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier
    ) async throws -> any NSFileProviderItem {
        try await ask("importDocument") {
            importDocument(at: fileURL, toParentItemIdentifier: parentItemIdentifier, completionHandler: $0)
        }
    }

    /// Creates a directory.
    open func createDirectory(
        withName directoryName: String, inParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("createDirectory", completionHandler) {
            try await $0.createDirectory(withName: directoryName, inParentItemIdentifier: parentItemIdentifier)
        }
    }
    /// Creates a directory.
    open func createDirectory(
        withName directoryName: String, inParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier
    ) async throws -> any NSFileProviderItem {
        try await ask("createDirectory") {
            createDirectory(
                withName: directoryName, inParentItemIdentifier: parentItemIdentifier, completionHandler: $0)
        }
    }

    /// Renames an item.
    open func renameItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier, toName itemName: String,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("renameItem", completionHandler) {
            try await $0.renameItem(withIdentifier: itemIdentifier, toName: itemName)
        }
    }
    /// Renames an item.
    open func renameItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier, toName itemName: String
    ) async throws -> any NSFileProviderItem {
        try await ask("renameItem") {
            renameItem(withIdentifier: itemIdentifier, toName: itemName, completionHandler: $0)
        }
    }

    /// Moves an item to another directory.
    ///
    /// - Parameter newName: the new name; `nil` if the name does not change.
    open func reparentItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        toParentItemWithIdentifier parentItemIdentifier: NSFileProviderItemIdentifier, newName: String?,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("reparentItem", completionHandler) {
            try await $0.reparentItem(
                withIdentifier: itemIdentifier, toParentItemWithIdentifier: parentItemIdentifier, newName: newName)
        }
    }
    /// Moves an item to another directory.
    open func reparentItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        toParentItemWithIdentifier parentItemIdentifier: NSFileProviderItemIdentifier, newName: String?
    ) async throws -> any NSFileProviderItem {
        try await ask("reparentItem") {
            reparentItem(
                withIdentifier: itemIdentifier, toParentItemWithIdentifier: parentItemIdentifier, newName: newName,
                completionHandler: $0)
        }
    }

    /// Moves an item into the trash.
    open func trashItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("trashItem", completionHandler) { try await $0.trashItem(withIdentifier: itemIdentifier) }
    }
    /// Moves an item into the trash.
    open func trashItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier
    ) async throws -> any NSFileProviderItem {
        try await ask("trashItem") { trashItem(withIdentifier: itemIdentifier, completionHandler: $0) }
    }

    /// Moves an item out of the trash.
    ///
    /// - Parameter parentItemIdentifier: the new parent; `nil` for the former parent.
    open func untrashItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier?,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("untrashItem", completionHandler) {
            try await $0.untrashItem(withIdentifier: itemIdentifier, toParentItemIdentifier: parentItemIdentifier)
        }
    }
    /// Moves an item out of the trash.
    open func untrashItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier?
    ) async throws -> any NSFileProviderItem {
        try await ask("untrashItem") {
            untrashItem(
                withIdentifier: itemIdentifier, toParentItemIdentifier: parentItemIdentifier, completionHandler: $0)
        }
    }

    /// Deletes an item. A directory is deleted with everything in it.
    open func deleteItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        answer("deleteItem", completionHandler) { try await $0.deleteItem(withIdentifier: itemIdentifier) }
    }
    /// Deletes an item. A directory is deleted with everything in it.
    open func deleteItem(withIdentifier itemIdentifier: NSFileProviderItemIdentifier) async throws {
        try await ask("deleteItem") { deleteItem(withIdentifier: itemIdentifier, completionHandler: $0) }
    }

    /// Sets the date of an item's last use.
    open func setLastUsedDate(
        _ lastUsedDate: Date?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("setLastUsedDate", completionHandler) {
            try await $0.setLastUsedDate(lastUsedDate, forItemIdentifier: itemIdentifier)
        }
    }
    /// Sets the date of an item's last use.
    open func setLastUsedDate(
        _ lastUsedDate: Date?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier
    ) async throws -> any NSFileProviderItem {
        try await ask("setLastUsedDate") {
            setLastUsedDate(lastUsedDate, forItemIdentifier: itemIdentifier, completionHandler: $0)
        }
    }

    /// Sets an item's tags; `nil` removes them.
    open func setTagData(
        _ tagData: Data?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("setTagData", completionHandler) {
            try await $0.setTagData(tagData, forItemIdentifier: itemIdentifier)
        }
    }
    /// Sets an item's tags; `nil` removes them.
    open func setTagData(
        _ tagData: Data?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier
    ) async throws -> any NSFileProviderItem {
        try await ask("setTagData") {
            setTagData(tagData, forItemIdentifier: itemIdentifier, completionHandler: $0)
        }
    }

    /// Sets an item's rank among the favorites, or removes the item from them.
    ///
    /// - Parameter favoriteRank: the rank, an integer of 64 bits; `nil` removes the item from the favorites.
    open func setFavoriteRank(
        _ favoriteRank: NSNumber?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("setFavoriteRank", completionHandler) {
            try await $0.setFavoriteRank(favoriteRank, forItemIdentifier: itemIdentifier)
        }
    }
    /// Sets an item's rank among the favorites, or removes the item from them.
    open func setFavoriteRank(
        _ favoriteRank: NSNumber?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier
    ) async throws -> any NSFileProviderItem {
        try await ask("setFavoriteRank") {
            setFavoriteRank(favoriteRank, forItemIdentifier: itemIdentifier, completionHandler: $0)
        }
    }

    // MARK: Pictures and services

    /// Fetches thumbnails of items.
    ///
    /// - Parameters:
    ///   - size: the size in pixels.
    ///   - perThumbnailCompletionHandler: called for each item, with its encoded picture. Data and error are both `nil`
    ///     if the item has no thumbnail.
    ///   - completionHandler: called after the last item. The default implementation has no thumbnails, and calls this
    ///     handler at once with an error.
    /// - Returns: a progress. When it is cancelled, the provider stops the work.
    open func fetchThumbnails(
        for itemIdentifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler: @escaping (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void,
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: 1)
        completionHandler(CocoaError(.featureUnsupported))
        progress.completedUnitCount = 1
        return progress
    }

    /// Returns the services that the provider offers for an item.
    open func supportedServiceSources(
        for itemIdentifier: NSFileProviderItemIdentifier
    ) throws -> [any NSFileProviderServiceSource] { [] }

    // MARK: Functions that NSFileProviderManager has superseded

    /// Writes a placeholder.
    ///
    /// - Parameter metadata: the metadata of the file, by Foundation's resource keys. Values that a property list
    ///   cannot contain are left out.
    open class func writePlaceholder(at placeholderURL: URL, withMetadata metadata: [URLResourceKey: Any]) throws {
        try Placeholder.write(at: placeholderURL, metadata)
    }
    /// Returns the URL of a file's placeholder.
    open class func placeholderURL(for url: URL) -> URL { NSFileProviderManager.placeholderURL(for: url) }
    /// The purpose identifier for the provider's file coordinators.
    open var providerIdentifier: String { manager.providerIdentifier }
    /// The directory of the provider's files.
    open var documentStorageURL: URL { manager.documentStorageURL }
}

/// Helpers for the default implementations of the two forms of each function.
extension NSFileProviderExtension {
    private func answer(
        _ name: String, _ completion: @escaping @Sendable ((any Error)?) -> Void,
        _ body: @escaping @Sendable (NSFileProviderExtension) async throws -> Void
    ) {
        AsyncBridging.answer(self, name, { completion($0.failure) }, body)
    }

    private func answer(
        _ name: String, _ completion: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void,
        _ body: @escaping @Sendable (NSFileProviderExtension) async throws -> any NSFileProviderItem
    ) {
        AsyncBridging.answer(self, name, { completion(try? $0.get(), $0.failure) }, body)
    }

    private func ask(
        _ name: String, neither: () throws -> Void = { try AsyncBridging.unsupported() },
        _ body: (@escaping @Sendable ((any Error)?) -> Void) -> Void
    ) async throws {
        try await AsyncBridging.ask(self, name, neither: neither) { answer in
            body { error in answer(error.map { .failure($0) } ?? .success(())) }
        }
    }

    private func ask(
        _ name: String, _ body: (@escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void) -> Void
    ) async throws -> any NSFileProviderItem {
        try await AsyncBridging.ask(self, name, neither: AsyncBridging.unsupported) { answer in
            body { item, error in
                if let item, error == nil {
                    answer(.success(item))
                } else {
                    // A provider that passes neither an item nor an error makes a mistake.
                    answer(.failure(error ?? CocoaError(.featureUnsupported)))
                }
            }
        }
    }

    private func writePlaceholder(at url: URL) throws {
        guard let identifier = persistentIdentifierForItem(at: url) else {
            throw NSFileProviderError(.noSuchItem)
        }
        try NSFileProviderManager.writePlaceholder(
            at: NSFileProviderManager.placeholderURL(for: url), withMetadata: try item(for: identifier))
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
