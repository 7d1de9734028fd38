import FileProvider
import Foundation
import ScriptableService

/// A provider in the replicated model that waits for changes within `createItem` and `modifyItem`.
final class WaitingReplica: ScriptableReplica, @unchecked Sendable {
    override func createItem(
        basedOn template: any NSFileProviderItem, fields: NSFileProviderItemFields, contents url: URL?,
        options: NSFileProviderCreateItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) -> Void
    ) -> Progress {
        // Sendable in effect: only one thread at a time uses them.
        nonisolated(unsafe) let template = template
        nonisolated(unsafe) let request = request
        nonisolated(unsafe) let completionHandler = completionHandler
        let create: @Sendable () -> Void = {
            _ = super.createItem(
                basedOn: template, fields: fields, contents: url, options: options, request: request,
                completionHandler: completionHandler)
        }
        guard let wait = WaitInside(named: template.filename, in: folder, manager) else {
            create()
            return Progress(totalUnitCount: 1)
        }
        wait.begin(for: template.itemIdentifier, then: create)
        return Progress(totalUnitCount: 1)
    }

    override func modifyItem(
        _ item: any NSFileProviderItem, baseVersion version: NSFileProviderItemVersion,
        changedFields: NSFileProviderItemFields, contents newContents: URL?,
        options: NSFileProviderModifyItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) -> Void
    ) -> Progress {
        // Sendable in effect: only one thread at a time uses them.
        nonisolated(unsafe) let item = item
        nonisolated(unsafe) let version = version
        nonisolated(unsafe) let request = request
        nonisolated(unsafe) let completionHandler = completionHandler
        let modify: @Sendable () -> Void = {
            _ = super.modifyItem(
                item, baseVersion: version, changedFields: changedFields, contents: newContents, options: options,
                request: request, completionHandler: completionHandler)
        }
        guard changedFields.contains(.contents), let wait = WaitInside(named: item.filename, in: folder, manager) else {
            modify()
            return Progress(totalUnitCount: 1)
        }
        wait.begin(for: item.itemIdentifier, then: modify)
        return Progress(totalUnitCount: 1)
    }
}

/// A provider of documents that waits for changes within `importDocument`, and within `itemChanged` or the upload that
/// follows.
final class WaitingProvider: ScriptableProvider, @unchecked Sendable {
    override func importDocument(
        at fileURL: URL, toParentItemIdentifier parent: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        let create: @Sendable () -> Void = {
            super.importDocument(at: fileURL, toParentItemIdentifier: parent, completionHandler: completionHandler)
        }
        guard !sendsBehind, let wait = WaitInside(named: fileURL.lastPathComponent, in: folder, serviceManager) else {
            return create()
        }
        wait.begin(for: nil, then: create)
    }

    override func itemChanged(at url: URL) {
        if !sendsBehind, let identifier = persistentIdentifierForItem(at: url) {
            wait(within: identifier)
        }
        super.itemChanged(at: url)
    }

    override func willSendBehind(_ identifier: String) { wait(within: ServiceItem.identifier(identifier)) }

    private func wait(within identifier: NSFileProviderItemIdentifier) {
        guard let name = try? item(for: identifier).filename else { return }
        WaitInside(named: name, in: folder, serviceManager)?.perform(for: identifier)
    }
}
