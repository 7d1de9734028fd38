import FileProvider
import Foundation
import LinuxSystem
import ScriptableService
import UniformTypeIdentifiers

/// The extension in the replicated model: the system stores the files, and every request is forwarded to the service.
///
/// Sendable: all properties are immutable.
class ScriptableReplica: NSObject, NSFileProviderReplicatedExtension, @unchecked Sendable {
    let client: ServiceClient
    let folder: String
    let manager: NSFileProviderManager?

    required init(domain: NSFileProviderDomain) {
        manager = NSFileProviderManager(for: domain)
        let state = (try? manager?.stateDirectoryURL()) ?? FileManager.default.temporaryDirectory
        folder = domain.userInfo?["path"] as? String ?? NSHomeDirectory()
        client = ServiceClient(folder: folder, tokenFile: state.appendingPathComponent("token"))
        super.init()
    }

    func invalidate() {}

    // MARK: Sets

    func materializedItemsDidChange() async { note("materialized") }

    func pendingItemsDidChange(completionHandler: @escaping @Sendable () -> Void) {
        note("pending")
        completionHandler()
    }

    /// Appends a line to the file `notices`, if the test has created this file in the directory.
    private func note(_ word: String) {
        guard let file = try? FileDescriptor.open(folder + "/notices", [.writeOnly, .append]) else { return }
        try? Array((word + "\n").utf8).withUnsafeBytes { try file.writeAll($0) }
    }

    // MARK: Items

    func enumerator(
        for container: NSFileProviderItemIdentifier, request: NSFileProviderRequest
    ) throws -> any NSFileProviderEnumerator {
        ReplicaEnumerator(client, container == .workingSet ? nil : ServiceItem.known(container))
    }

    func item(
        for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress {
        do {
            completionHandler(ServiceItem(try client.item(.item(ServiceItem.known(identifier)))), nil)
        } catch {
            completionHandler(nil, ServiceClient.error(error))
        }
        return Progress(totalUnitCount: 1)
    }

    func fetchContents(
        for identifier: NSFileProviderItemIdentifier, version: NSFileProviderItemVersion?,
        request: NSFileProviderRequest,
        completionHandler: @escaping (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress {
        do {
            guard let manager else { throw NSFileProviderError(.providerNotFound) }
            let url = try manager.temporaryDirectoryURL().appendingPathComponent(UUID().uuidString)
            let item = try client.fetch(.contents(of: ServiceItem.known(identifier)), to: url)
            completionHandler(url, ServiceItem(item), nil)
        } catch {
            completionHandler(nil, nil, ServiceClient.error(error))
        }
        return Progress(totalUnitCount: 1)
    }

    func createItem(
        basedOn template: any NSFileProviderItem, fields: NSFileProviderItemFields, contents url: URL?,
        options: NSFileProviderCreateItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) -> Void
    ) -> Progress {
        do {
            var item = CloudItem(
                identifier: "new-" + UUID().uuidString, parent: ServiceItem.known(template.parentItemIdentifier),
                name: template.filename, kind: .file)
            if template.contentType == .folder { item.kind = .folder }
            if template.contentType == .symbolicLink {
                item.kind = .link
                item.linkTarget = template.symlinkTargetPath ?? nil
            }
            item.modified = (template.contentModificationDate ?? nil)?.timeIntervalSince1970 ?? 0
            // By their names, some files are sent without contents at first, and the service changes the contents of
            // others.
            let isLater = item.kind == .file && item.name.hasSuffix(".later")
            let sent = isLater ? nil : try translated(url, item.name)
            let made = ServiceItem(try client.item(.create(item), sending: sent ?? (isLater ? nil : url)))
            completionHandler(made, isLater ? .contents : [], sent != nil, nil)
        } catch {
            completionHandler(nil, [], false, ServiceClient.error(error))
        }
        return Progress(totalUnitCount: 1)
    }

    func modifyItem(
        _ item: any NSFileProviderItem, baseVersion version: NSFileProviderItemVersion,
        changedFields: NSFileProviderItemFields, contents newContents: URL?,
        options: NSFileProviderModifyItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?) -> Void
    ) -> Progress {
        do {
            var known: CloudItem?
            var done: NSFileProviderItemFields = []
            let sent = try translated(newContents, item.filename)
            for request in requests(item, version, changedFields) {
                known = try client.item(request.request, sending: request.sends ? sent ?? newContents : nil)
                done.insert(request.fields)
            }
            let answer = try known ?? client.item(.item(ServiceItem.known(item.itemIdentifier)))
            completionHandler(ServiceItem(answer), changedFields.subtracting(done), sent != nil, nil)
        } catch CloudError.outdated {
            completionHandler(nil, [], false, NSFileProviderError(.localVersionConflictingWithServer))
        } catch {
            completionHandler(nil, [], false, ServiceClient.error(error))
        }
        return Progress(totalUnitCount: 1)
    }

    /// Returns the contents after the service's changes, which it makes for some names; `nil` if the service stores
    /// them unchanged.
    private func translated(_ url: URL?, _ name: String) throws -> URL? {
        guard let url, name.hasSuffix(".shouted") else { return nil }
        let text = try String(contentsOf: url, encoding: .utf8).uppercased()
        // The result is beside the file, and is removed with that directory.
        let other = url.deletingLastPathComponent().appendingPathComponent(UUID().uuidString)
        try Data(text.utf8).write(to: other)
        return other
    }

    /// Translates a change into requests to the service.
    private func requests(
        _ item: any NSFileProviderItem, _ version: NSFileProviderItemVersion, _ fields: NSFileProviderItemFields
    ) -> [(request: CloudRequest, sends: Bool, fields: NSFileProviderItemFields)] {
        let identifier = ServiceItem.known(item.itemIdentifier)
        let parent = ServiceItem.known(item.parentItemIdentifier)
        var requests: [(CloudRequest, Bool, NSFileProviderItemFields)] = []
        if !fields.isDisjoint(with: [.parentItemIdentifier, .filename]) {
            let request: CloudRequest =
                item.parentItemIdentifier == .trashContainer
                ? .trash(identifier) : .move(identifier, to: parent, named: item.filename)
            requests.append((request, false, [.parentItemIdentifier, .filename]))
        }
        if fields.contains(.contents) {
            let base = Int(String(decoding: version.contentVersion, as: UTF8.self))
            let modified = (item.contentModificationDate ?? nil)?.timeIntervalSince1970 ?? 0
            requests.append(
                (.replace(identifier, base: base, modified: modified), true, [.contents, .contentModificationDate]))
        }
        if fields.contains(.tagData) {
            requests.append(
                (.set(.tagData((item.tagData ?? nil).map { [UInt8]($0) }), of: identifier), false, .tagData))
        }
        if fields.contains(.favoriteRank) {
            let rank = (item.favoriteRank ?? nil)?.uint64Value
            requests.append((.set(.favoriteRank(rank), of: identifier), false, .favoriteRank))
        }
        if fields.contains(.contentModificationDate), !fields.contains(.contents),
            let date = item.contentModificationDate ?? nil
        {
            let fact = CloudMetadata.modified(date.timeIntervalSince1970)
            requests.append((.set(fact, of: identifier), false, .contentModificationDate))
        }
        if fields.contains(.fileSystemFlags), let flags = item.fileSystemFlags {
            requests.append((.set(.permissions(flags.rawValue), of: identifier), false, .fileSystemFlags))
        }
        if fields.contains(.extendedAttributes), let attributes = item.extendedAttributes {
            let fact = CloudMetadata.attributes(attributes.mapValues { [UInt8]($0) })
            requests.append((.set(fact, of: identifier), false, .extendedAttributes))
        }
        return requests
    }

    func deleteItem(
        identifier: NSFileProviderItemIdentifier, baseVersion version: NSFileProviderItemVersion,
        options: NSFileProviderDeleteItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress {
        let known = ServiceItem.known(identifier)
        do {
            if !options.contains(.recursive), try client.item(.item(known)).kind == .folder {
                guard case .page(let items, _) = try client.ask(.page(of: known, after: nil, limit: 1)) else {
                    throw CloudError.broken
                }
                if !items.isEmpty { throw NSFileProviderError(.directoryNotEmpty) }
            }
            _ = try client.ask(.delete(known))
            completionHandler(nil)
        } catch {
            completionHandler(ServiceClient.error(error))
        }
        return Progress(totalUnitCount: 1)
    }
}

/// Optional capabilities of a provider.
extension ScriptableReplica: NSFileProviderThumbnailing, NSFileProviderCustomAction, FileProviderSigningIn {
    func fetchThumbnails(
        for identifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler: @escaping (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void,
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: Int64(identifiers.count))
        let handlers = ThumbnailHandlers(each: perThumbnailCompletionHandler, all: completionHandler)
        client.fetchThumbnails(identifiers, progress, handlers)
        return progress
    }

    func performAction(
        identifier action: NSFileProviderExtensionActionIdentifier,
        onItemsWithIdentifiers items: [NSFileProviderItemIdentifier],
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress {
        do {
            _ = try client.ask(.act(action.rawValue, on: items.map { ServiceItem.known($0) }))
            completionHandler(nil)
        } catch {
            completionHandler(ServiceClient.error(error))
        }
        return Progress(totalUnitCount: 1)
    }

    func signIn(withPassword password: String, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        do {
            try client.signIn(password)
            completionHandler(nil)
        } catch {
            completionHandler(ServiceClient.error(error))
        }
    }
}
