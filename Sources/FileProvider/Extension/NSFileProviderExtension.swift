import Foundation

/// A provider that keeps its files itself: the principal class of its extension is a subclass.
///
/// Each function may be called on any thread, several at a time. Those with a handler have to call it, once, and soon: a provider
/// does what can be done on this machine and tells the service later. Of each function with a handler there is an `async` form;
/// a subclass overrides one of them, and the default of each is the other.
///
/// Source: FileProvider, `NSFileProviderExtension.h`.
open class NSFileProviderExtension: NSObject {
    private let servedDomain: NSFileProviderDomain?

    /// A provider: of the domain that the system is about to have it serve.
    public override init() {
        servedDomain = ExtensionSurroundings.domain
        super.init()
    }

    /// The domain that it serves; `nil` for the default one.
    open var domain: NSFileProviderDomain? { servedDomain }

    /// The manager of its domain.
    var manager: NSFileProviderManager { domain.flatMap { NSFileProviderManager(for: $0) } ?? .default }

    // MARK: Items and their files

    /// The item now.
    ///
    /// - Throws: ``NSFileProviderError/noSuchItem``, which is what the default does.
    open func item(for identifier: NSFileProviderItemIdentifier) throws -> any NSFileProviderItem {
        throw NSFileProviderError(
            .noSuchItem, userInfo: [NSFileProviderErrorNonExistentItemIdentifierKey: identifier])
    }

    /// Where an item's file is or will be: always the same place, beneath ``NSFileProviderManager/documentStorageURL``.
    ///
    /// The default takes the identifier for a path in the domain's folder.
    open func urlForItem(withPersistentIdentifier identifier: NSFileProviderItemIdentifier) -> URL? {
        StorageMapping(manager, domain).url(of: identifier)
    }

    /// Which item's file is at a place: the other direction of ``urlForItem(withPersistentIdentifier:)``.
    open func persistentIdentifierForItem(at url: URL) -> NSFileProviderItemIdentifier? {
        StorageMapping(manager, domain).identifier(at: url)
    }

    /// Writes a placeholder for a file that is not there, with ``NSFileProviderManager/writePlaceholder(at:withMetadata:)``.
    ///
    /// The default does that with what ``item(for:)`` gives.
    open func providePlaceholder(at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        answer("providePlaceholder", completionHandler) { try await $0.providePlaceholder(at: url) }
    }
    /// Writes a placeholder for a file that is not there.
    open func providePlaceholder(at url: URL) async throws {
        try await ask("providePlaceholder", neither: { try writePlaceholder(at: url) }) {
            providePlaceholder(at: url, completionHandler: $0)
        }
    }

    /// Has the file be at its place, whole and up to date: somebody wants to read it.
    open func startProvidingItem(at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        answer("startProvidingItem", completionHandler) { try await $0.startProvidingItem(at: url) }
    }
    /// Has the file be at its place, whole and up to date: somebody wants to read it.
    open func startProvidingItem(at url: URL) async throws {
        try await ask("startProvidingItem") { startProvidingItem(at: url, completionHandler: $0) }
    }

    /// Nobody uses the file any more: it may be removed if the service has its contents. The placeholder has to stay.
    open func stopProvidingItem(at url: URL) {}

    /// The file was changed here: its contents have to go to the service.
    open func itemChanged(at url: URL) {}

    // MARK: Listing

    /// Whoever lists a folder, the working set, or tells what becomes of a single file.
    ///
    /// - Throws: ``NSFileProviderError/noSuchItem``; the default says that it does not list at all.
    open func enumerator(
        for containerItemIdentifier: NSFileProviderItemIdentifier
    ) throws -> any NSFileProviderEnumerator {
        throw CocoaError(.featureUnsupported)
    }

    // MARK: Changes that a person makes

    /// Takes a file and makes an item of it.
    ///
    /// - Parameter fileURL: to be moved or copied before the handler is called.
    open func importDocument(
        at fileURL: URL, toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("importDocument", completionHandler) {
            try await $0.importDocument(at: fileURL, toParentItemIdentifier: parentItemIdentifier)
        }
    }
    /// Takes a file and makes an item of it.
    open func importDocument(
        at fileURL: URL, toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier
    ) async throws -> any NSFileProviderItem {
        try await ask("importDocument") {
            importDocument(at: fileURL, toParentItemIdentifier: parentItemIdentifier, completionHandler: $0)
        }
    }

    /// Makes a folder.
    open func createDirectory(
        withName directoryName: String, inParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("createDirectory", completionHandler) {
            try await $0.createDirectory(withName: directoryName, inParentItemIdentifier: parentItemIdentifier)
        }
    }
    /// Makes a folder.
    open func createDirectory(
        withName directoryName: String, inParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier
    ) async throws -> any NSFileProviderItem {
        try await ask("createDirectory") {
            createDirectory(
                withName: directoryName, inParentItemIdentifier: parentItemIdentifier, completionHandler: $0)
        }
    }

    /// Gives an item another name.
    open func renameItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier, toName itemName: String,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("renameItem", completionHandler) {
            try await $0.renameItem(withIdentifier: itemIdentifier, toName: itemName)
        }
    }
    /// Gives an item another name.
    open func renameItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier, toName itemName: String
    ) async throws -> any NSFileProviderItem {
        try await ask("renameItem") {
            renameItem(withIdentifier: itemIdentifier, toName: itemName, completionHandler: $0)
        }
    }

    /// Moves an item to another folder.
    ///
    /// - Parameter newName: `nil` to keep the name.
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
    /// Moves an item to another folder.
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

    /// Puts an item into the trash.
    open func trashItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("trashItem", completionHandler) { try await $0.trashItem(withIdentifier: itemIdentifier) }
    }
    /// Puts an item into the trash.
    open func trashItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier
    ) async throws -> any NSFileProviderItem {
        try await ask("trashItem") { trashItem(withIdentifier: itemIdentifier, completionHandler: $0) }
    }

    /// Takes an item out of the trash.
    ///
    /// - Parameter parentItemIdentifier: `nil` for the folder that it was in.
    open func untrashItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier?,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("untrashItem", completionHandler) {
            try await $0.untrashItem(withIdentifier: itemIdentifier, toParentItemIdentifier: parentItemIdentifier)
        }
    }
    /// Takes an item out of the trash.
    open func untrashItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier?
    ) async throws -> any NSFileProviderItem {
        try await ask("untrashItem") {
            untrashItem(
                withIdentifier: itemIdentifier, toParentItemIdentifier: parentItemIdentifier, completionHandler: $0)
        }
    }

    /// Removes an item for good; a folder with everything in it.
    open func deleteItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        answer("deleteItem", completionHandler) { try await $0.deleteItem(withIdentifier: itemIdentifier) }
    }
    /// Removes an item for good; a folder with everything in it.
    open func deleteItem(withIdentifier itemIdentifier: NSFileProviderItemIdentifier) async throws {
        try await ask("deleteItem") { deleteItem(withIdentifier: itemIdentifier, completionHandler: $0) }
    }

    /// Notes when an item was used last.
    open func setLastUsedDate(
        _ lastUsedDate: Date?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("setLastUsedDate", completionHandler) {
            try await $0.setLastUsedDate(lastUsedDate, forItemIdentifier: itemIdentifier)
        }
    }
    /// Notes when an item was used last.
    open func setLastUsedDate(
        _ lastUsedDate: Date?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier
    ) async throws -> any NSFileProviderItem {
        try await ask("setLastUsedDate") {
            setLastUsedDate(lastUsedDate, forItemIdentifier: itemIdentifier, completionHandler: $0)
        }
    }

    /// Gives an item tags, or none.
    open func setTagData(
        _ tagData: Data?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("setTagData", completionHandler) {
            try await $0.setTagData(tagData, forItemIdentifier: itemIdentifier)
        }
    }
    /// Gives an item tags, or none.
    open func setTagData(
        _ tagData: Data?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier
    ) async throws -> any NSFileProviderItem {
        try await ask("setTagData") {
            setTagData(tagData, forItemIdentifier: itemIdentifier, completionHandler: $0)
        }
    }

    /// Makes an item a favorite, or none.
    ///
    /// - Parameter favoriteRank: its place among them, 64 bits; `nil` for none.
    open func setFavoriteRank(
        _ favoriteRank: NSNumber?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer("setFavoriteRank", completionHandler) {
            try await $0.setFavoriteRank(favoriteRank, forItemIdentifier: itemIdentifier)
        }
    }
    /// Makes an item a favorite, or none.
    open func setFavoriteRank(
        _ favoriteRank: NSNumber?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier
    ) async throws -> any NSFileProviderItem {
        try await ask("setFavoriteRank") {
            setFavoriteRank(favoriteRank, forItemIdentifier: itemIdentifier, completionHandler: $0)
        }
    }

    // MARK: Pictures and services

    /// Fetches small pictures of items.
    ///
    /// - Parameters:
    ///   - size: in pixels.
    ///   - perThumbnailCompletionHandler: called for each item: with neither data nor an error for one without a picture.
    ///   - completionHandler: called after all of them. The default calls it at once: it has no pictures.
    /// - Returns: stops the work when it is cancelled.
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

    /// The services that it offers for an item.
    open func supportedServiceSources(
        for itemIdentifier: NSFileProviderItemIdentifier
    ) throws -> [any NSFileProviderServiceSource] { [] }

    // MARK: As it was before there was a manager

    /// Writes a placeholder.
    ///
    /// - Parameter metadata: values of a property list by keys of Foundation.
    open class func writePlaceholder(at placeholderURL: URL, withMetadata metadata: [URLResourceKey: Any]) throws {
        try Placeholder.write(at: placeholderURL, metadata)
    }
    /// Where the placeholder of a file is.
    open class func placeholderURL(for url: URL) -> URL { NSFileProviderManager.placeholderURL(for: url) }
    /// What a file coordinator of the provider takes as its purpose.
    open var providerIdentifier: String { manager.providerIdentifier }
    /// Where the provider keeps its files.
    open var documentStorageURL: URL { manager.documentStorageURL }
}

/// The two forms of a question.
extension NSFileProviderExtension {
    private func answer(
        _ name: String, _ completion: @escaping @Sendable ((any Error)?) -> Void,
        _ body: @escaping @Sendable (NSFileProviderExtension) async throws -> Void
    ) {
        TwoForms.answer(self, name, { completion($0.failure) }, body)
    }

    private func answer(
        _ name: String, _ completion: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void,
        _ body: @escaping @Sendable (NSFileProviderExtension) async throws -> any NSFileProviderItem
    ) {
        TwoForms.answer(self, name, { completion(try? $0.get(), $0.failure) }, body)
    }

    private func ask(
        _ name: String, neither: () throws -> Void = { try TwoForms.unsupported() },
        _ body: (@escaping @Sendable ((any Error)?) -> Void) -> Void
    ) async throws {
        try await TwoForms.ask(self, name, neither: neither) { answer in
            body { error in answer(error.map { .failure($0) } ?? .success(())) }
        }
    }

    private func ask(
        _ name: String, _ body: (@escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void) -> Void
    ) async throws -> any NSFileProviderItem {
        try await TwoForms.ask(self, name, neither: TwoForms.unsupported) { answer in
            body { item, error in
                if let item, error == nil {
                    answer(.success(item))
                } else {
                    // A handler that is called with neither is a mistake of the program.
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
