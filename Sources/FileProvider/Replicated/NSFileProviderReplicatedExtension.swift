import Foundation
import FoundationAdditions

/// A provider that returns enumerators of its containers.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderEnumerating: NSObjectProtocol {
    /// Returns an enumerator of a directory, the working set or the trash.
    func enumerator(
        for containerItemIdentifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest
    ) throws -> any NSFileProviderEnumerator
}

/// A provider whose files the system stores. Each domain has its own object.
///
/// Completion handlers are called once, on any thread. If the system cancels the progress that a function returned, the
/// function calls its handler with `CocoaError.userCancelled`.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderReplicatedExtension: NSFileProviderEnumerating {
    /// Creates the provider of a domain.
    init(domain: NSFileProviderDomain)

    /// Informs the provider that the system is about to release it.
    func invalidate()

    /// Returns the item with the given identifier in its current state.
    func item(
        for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress

    /// Fetches the contents of a file.
    ///
    /// - Parameters:
    ///   - requestedVersion: the version to fetch; `nil` for the latest.
    ///   - completionHandler: called with a file, which then belongs to the system, and with its item.
    func fetchContents(
        for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion?,
        request: NSFileProviderRequest,
        completionHandler: @escaping (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress

    /// Creates an item.
    ///
    /// - Parameters:
    ///   - itemTemplate: the new item, with a temporary identifier.
    ///   - fields: the valid fields of the template.
    ///   - url: the file with the contents; `nil` for a directory or a link.
    ///   - completionHandler: called with the item, the fields that the provider has not uploaded yet, and whether the
    ///     system must fetch the contents.
    func createItem(
        basedOn itemTemplate: any NSFileProviderItem, fields: NSFileProviderItemFields, contents url: URL?,
        options: NSFileProviderCreateItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) -> Void
    ) -> Progress

    /// Modifies an item.
    ///
    /// - Parameters:
    ///   - item: the item after the modification.
    ///   - version: the version that the modification is based on.
    ///   - changedFields: the modified fields.
    ///   - newContents: the file with the new contents; `nil` if the contents are unchanged.
    ///   - completionHandler: called with the item, the fields that the provider has not uploaded yet, and whether the
    ///     system must fetch the contents.
    func modifyItem(
        _ item: any NSFileProviderItem, baseVersion version: NSFileProviderItemVersion,
        changedFields: NSFileProviderItemFields, contents newContents: URL?, options: NSFileProviderModifyItemOptions,
        request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) -> Void
    ) -> Progress

    /// Deletes an item.
    func deleteItem(
        identifier: NSFileProviderItemIdentifier, baseVersion version: NSFileProviderItemVersion,
        options: NSFileProviderDeleteItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress

    /// Informs the provider that the import has finished.
    func importDidFinish(completionHandler: @escaping @Sendable () -> Void)
    /// Informs the provider that the import has finished.
    func importDidFinish() async
    /// Informs the provider that the set of materialized items has changed.
    func materializedItemsDidChange(completionHandler: @escaping @Sendable () -> Void)
    /// Informs the provider that the set of materialized items has changed.
    func materializedItemsDidChange() async
    /// Informs the provider that the set of items waiting for their upload has changed.
    func pendingItemsDidChange(completionHandler: @escaping @Sendable () -> Void)
    /// Informs the provider that the set of items waiting for their upload has changed.
    func pendingItemsDidChange() async
}

/// Defaults of the optional functions. Each function has two forms, of which a class implements one.
extension NSFileProviderReplicatedExtension {
    /// Calls the `async` form.
    public func importDidFinish(completionHandler: @escaping @Sendable () -> Void) {
        answer("importDidFinish", completionHandler) { await $0.importDidFinish() }
    }
    /// Calls the form with a completion handler.
    public func importDidFinish() async {
        await ask("importDidFinish") { importDidFinish(completionHandler: $0) }
    }
    /// Calls the `async` form.
    public func materializedItemsDidChange(completionHandler: @escaping @Sendable () -> Void) {
        answer("materializedItemsDidChange", completionHandler) { await $0.materializedItemsDidChange() }
    }
    /// Calls the form with a completion handler.
    public func materializedItemsDidChange() async {
        await ask("materializedItemsDidChange") { materializedItemsDidChange(completionHandler: $0) }
    }
    /// Calls the `async` form.
    public func pendingItemsDidChange(completionHandler: @escaping @Sendable () -> Void) {
        answer("pendingItemsDidChange", completionHandler) { await $0.pendingItemsDidChange() }
    }
    /// Calls the form with a completion handler.
    public func pendingItemsDidChange() async {
        await ask("pendingItemsDidChange") { pendingItemsDidChange(completionHandler: $0) }
    }

    private func answer(
        _ name: String, _ completion: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable (any NSFileProviderReplicatedExtension) async -> Void
    ) {
        let provider: any NSFileProviderReplicatedExtension = self
        AsyncBridging.answer(provider, name, { (_: Result<Void, any Error>) in completion() }, { await body($0) })
    }

    private func ask(_ name: String, _ body: (@escaping @Sendable () -> Void) -> Void) async {
        // The error can be ignored, because the closures `body` and `neither` do not throw.
        try? await AsyncBridging.ask(self, name, neither: {}) { answer in body { answer(.success(())) } }
    }
}
