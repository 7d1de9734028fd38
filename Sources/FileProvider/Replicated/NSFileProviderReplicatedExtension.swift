import Foundation

/// Lists the containers of a provider.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderEnumerating: NSObjectProtocol {
    /// Whoever lists a folder, the working set or the trash.
    func enumerator(
        for containerItemIdentifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest
    ) throws -> any NSFileProviderEnumerator
}

/// A provider whose files the system keeps. There is one object for each domain.
///
/// Handlers are called once, on any thread. A progress that is cancelled leads to a handler that is called with
/// `CocoaError.userCancelled`.
///
/// Source: FileProvider, `NSFileProviderReplicatedExtension.h`.
public protocol NSFileProviderReplicatedExtension: NSFileProviderEnumerating {
    /// The provider of a domain.
    init(domain: NSFileProviderDomain)

    /// The object is about to be let go of.
    func invalidate()

    /// The item now.
    func item(
        for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress

    /// Fetches the contents of a file.
    ///
    /// - Parameters:
    ///   - requestedVersion: `nil` for the latest.
    ///   - completionHandler: called with a file that the system takes, and the item that it belongs to.
    func fetchContents(
        for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion?,
        request: NSFileProviderRequest,
        completionHandler: @escaping (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress

    /// Makes an item.
    ///
    /// - Parameters:
    ///   - itemTemplate: what it is to be; its identifier is for the time being.
    ///   - fields: which members of the template count.
    ///   - url: its contents; `nil` for a folder and a link.
    ///   - completionHandler: called with the item, the fields that are still to be sent, and whether the contents are to be
    ///     fetched.
    func createItem(
        basedOn itemTemplate: any NSFileProviderItem, fields: NSFileProviderItemFields, contents url: URL?,
        options: NSFileProviderCreateItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) -> Void
    ) -> Progress

    /// Changes an item.
    ///
    /// - Parameters:
    ///   - item: as it is to be.
    ///   - version: what the change began with.
    ///   - changedFields: which of its members have changed.
    ///   - newContents: `nil` where the contents have not.
    ///   - completionHandler: called with the item, the fields that are still to be sent, and whether the contents are to be
    ///     fetched.
    func modifyItem(
        _ item: any NSFileProviderItem, baseVersion version: NSFileProviderItemVersion,
        changedFields: NSFileProviderItemFields, contents newContents: URL?, options: NSFileProviderModifyItemOptions,
        request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) -> Void
    ) -> Progress

    /// Removes an item.
    func deleteItem(
        identifier: NSFileProviderItemIdentifier, baseVersion version: NSFileProviderItemVersion,
        options: NSFileProviderDeleteItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress

    /// Everything that was to be imported has been handed over.
    func importDidFinish(completionHandler: @escaping @Sendable () -> Void)
    /// Everything that was to be imported has been handed over.
    func importDidFinish() async
    /// Other items are on this machine.
    func materializedItemsDidChange(completionHandler: @escaping @Sendable () -> Void)
    /// Other items are on this machine.
    func materializedItemsDidChange() async
    /// Other items wait to be sent.
    func pendingItemsDidChange(completionHandler: @escaping @Sendable () -> Void)
    /// Other items wait to be sent.
    func pendingItemsDidChange() async
}

/// What may be left out; of two forms, a class implements either.
extension NSFileProviderReplicatedExtension {
    /// Asks the `async` form.
    public func importDidFinish(completionHandler: @escaping @Sendable () -> Void) {
        answer("importDidFinish", completionHandler) { await $0.importDidFinish() }
    }
    /// Asks the form with a handler.
    public func importDidFinish() async {
        await ask("importDidFinish") { importDidFinish(completionHandler: $0) }
    }
    /// Asks the `async` form.
    public func materializedItemsDidChange(completionHandler: @escaping @Sendable () -> Void) {
        answer("materializedItemsDidChange", completionHandler) { await $0.materializedItemsDidChange() }
    }
    /// Asks the form with a handler.
    public func materializedItemsDidChange() async {
        await ask("materializedItemsDidChange") { materializedItemsDidChange(completionHandler: $0) }
    }
    /// Asks the `async` form.
    public func pendingItemsDidChange(completionHandler: @escaping @Sendable () -> Void) {
        answer("pendingItemsDidChange", completionHandler) { await $0.pendingItemsDidChange() }
    }
    /// Asks the form with a handler.
    public func pendingItemsDidChange() async {
        await ask("pendingItemsDidChange") { pendingItemsDidChange(completionHandler: $0) }
    }

    private func answer(
        _ name: String, _ completion: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable (any NSFileProviderReplicatedExtension) async -> Void
    ) {
        let provider: any NSFileProviderReplicatedExtension = self
        TwoForms.answer(provider, name, { (_: Result<Void, any Error>) in completion() }, { await body($0) })
    }

    private func ask(_ name: String, _ body: (@escaping @Sendable () -> Void) -> Void) async {
        // Neither the body nor a class without either form throws.
        try? await TwoForms.ask(self, name, neither: {}) { answer in body { answer(.success(())) } }
    }
}
