// swift-format-ignore-file

import FileProvider
import Foundation
import UniformTypeIdentifiers

/// A provider from the current template.
class ReplicatedProvider: NSObject, NSFileProviderReplicatedExtension {
    let domain: NSFileProviderDomain
    let manager: NSFileProviderManager

    required init(domain: NSFileProviderDomain) {
        self.domain = domain
        self.manager = NSFileProviderManager(for: domain)!
        super.init()
    }

    func invalidate() {
        // TODO: cleanup any resources
    }

    func item(for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest, completionHandler: @escaping (NSFileProviderItem?, Error?) -> Void) -> Progress {
        completionHandler(ReplicatedItem(identifier: identifier), nil)
        return Progress()
    }

    func fetchContents(for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion?, request: NSFileProviderRequest, completionHandler: @escaping (URL?, NSFileProviderItem?, Error?) -> Void) -> Progress {
        let progress = Progress(totalUnitCount: 1)
        do {
            let url = try manager.temporaryDirectoryURL().appendingPathComponent(UUID().uuidString)
            try Data(itemIdentifier.rawValue.utf8).write(to: url)
            completionHandler(url, ReplicatedItem(identifier: itemIdentifier), nil)
        } catch {
            completionHandler(nil, nil, error)
        }
        return progress
    }

    func createItem(basedOn itemTemplate: NSFileProviderItem, fields: NSFileProviderItemFields, contents url: URL?, options: NSFileProviderCreateItemOptions = [], request: NSFileProviderRequest, completionHandler: @escaping (NSFileProviderItem?, NSFileProviderItemFields, Bool, Error?) -> Void) -> Progress {
        completionHandler(itemTemplate, [], false, nil)
        return Progress()
    }

    func modifyItem(_ item: NSFileProviderItem, baseVersion version: NSFileProviderItemVersion, changedFields: NSFileProviderItemFields, contents newContents: URL?, options: NSFileProviderModifyItemOptions = [], request: NSFileProviderRequest, completionHandler: @escaping (NSFileProviderItem?, NSFileProviderItemFields, Bool, Error?) -> Void) -> Progress {
        completionHandler(nil, [], false, NSError(domain: NSCocoaErrorDomain, code: NSFeatureUnsupportedError, userInfo:[:]))
        return Progress()
    }

    func deleteItem(identifier: NSFileProviderItemIdentifier, baseVersion version: NSFileProviderItemVersion, options: NSFileProviderDeleteItemOptions = [], request: NSFileProviderRequest, completionHandler: @escaping (Error?) -> Void) -> Progress {
        completionHandler(NSError(domain: NSCocoaErrorDomain, code: NSFeatureUnsupportedError, userInfo:[:]))
        return Progress()
    }

    func enumerator(for containerItemIdentifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest) throws -> NSFileProviderEnumerator {
        return ReplicatedEnumerator()
    }
}

class ReplicatedItem: NSObject, NSFileProviderItem {
    private let identifier: NSFileProviderItemIdentifier

    init(identifier: NSFileProviderItemIdentifier) {
        self.identifier = identifier
    }

    var itemIdentifier: NSFileProviderItemIdentifier {
        return identifier
    }

    var parentItemIdentifier: NSFileProviderItemIdentifier {
        return .rootContainer
    }

    var capabilities: NSFileProviderItemCapabilities {
        return [.allowsReading, .allowsWriting, .allowsRenaming, .allowsReparenting, .allowsTrashing, .allowsDeleting]
    }

    var itemVersion: NSFileProviderItemVersion {
        NSFileProviderItemVersion(contentVersion: "a content version".data(using: .utf8)!, metadataVersion: "a metadata version".data(using: .utf8)!)
    }

    var filename: String {
        return identifier.rawValue
    }

    var contentType: UTType {
        return identifier == NSFileProviderItemIdentifier.rootContainer ? .folder : .plainText
    }
}

class ReplicatedEnumerator: NSObject, NSFileProviderEnumerator {
    func invalidate() {}

    func enumerateItems(for observer: NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        if page == NSFileProviderPage(NSFileProviderPage.initialPageSortedByName as Data) {
            observer.didEnumerate([ReplicatedItem(identifier: NSFileProviderItemIdentifier("a file"))])
        }
        observer.finishEnumerating(upTo: nil)
    }

    func enumerateChanges(for observer: NSFileProviderChangeObserver, from anchor: NSFileProviderSyncAnchor) {
        observer.finishEnumeratingChanges(upTo: anchor, moreComing: false)
    }

    func currentSyncAnchor() async -> NSFileProviderSyncAnchor? {
        NSFileProviderSyncAnchor(Data("an anchor".utf8))
    }
}

/// The ways in which programs read properties that an item's class may lack.
enum ItemReading {
    static func kind(_ item: NSFileProviderItem) -> String {
        if item.contentType?.conforms(to: .folder) ?? false { return "folder" }
        if let type = item.contentType, type.conforms(to: .text) { return "text" }
        if item.contentType == .symbolicLink { return "link" }
        return item.contentType!.identifier
    }

    static func size(_ item: NSFileProviderItem) -> Int64 {
        item.documentSize??.int64Value ?? -1
    }

    static func sizeAgain(_ item: NSFileProviderItem) -> Int64? {
        if let documentSize = item.documentSize, let size = documentSize { return size.int64Value }
        return nil
    }

    static func modified(_ item: NSFileProviderItem) -> Date {
        (item.contentModificationDate ?? Date.distantPast) ?? Date.distantPast
    }

    static func version(_ item: NSFileProviderItem) -> Data? { item.itemVersion?.contentVersion }

    static func created(_ item: NSFileProviderItem) -> Date? { item.creationDate ?? nil }

    static func mayBeChanged(_ item: NSFileProviderItem) -> Bool {
        guard let capabilities = item.capabilities else { return false }
        return capabilities.contains(.allowsWriting)
    }

    static func isShared(_ item: NSFileProviderItem) -> Bool { item.isShared ?? false }

    static func changes(_ enumerator: NSFileProviderEnumerator, _ observer: NSFileProviderChangeObserver, _ anchor: NSFileProviderSyncAnchor) {
        enumerator.enumerateChanges?(for: observer, from: anchor)
    }

    static func message(_ error: Error) -> String {
        switch error {
        case NSFileProviderError.noSuchItem: return "gone"
        case NSFileProviderError.notAuthenticated, NSFileProviderError.serverUnreachable: return "later"
        case let error as NSFileProviderError where error.code == .filenameCollision: return "collision"
        default: return (error as NSError).domain
        }
    }
}

/// A program's setup of its domains.
enum DomainSetup {
    static func renew(_ identifier: String) async throws -> [NSFileProviderDomain] {
        try await NSFileProviderManager.removeAllDomains()
        let domain = NSFileProviderDomain(identifier: NSFileProviderDomainIdentifier(rawValue: identifier), displayName: "Cloud")
        try await NSFileProviderManager.add(domain)
        guard let manager = NSFileProviderManager(for: domain) else { return [] }
        try await manager.signalEnumerator(for: .workingSet)
        return try await NSFileProviderManager.domains()
    }

    static func remove(_ domain: NSFileProviderDomain, completion: @escaping @Sendable (Error?) -> Void) {
        NSFileProviderManager.getDomainsWithCompletionHandler { domains, error in
            guard error == nil, domains.contains(where: { $0.identifier == domain.identifier }) else { return completion(error) }
            NSFileProviderManager.remove(domain) { completion($0) }
        }
    }
}
