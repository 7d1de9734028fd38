import FileProvider
import Foundation
import ItemValues
import LinuxSystem
import ScriptableService

/// The extension. It stores files in its document storage, and forwards all other requests to its service.
///
/// Sendable: all properties are immutable or under a lock.
class ScriptableProvider: NSFileProviderExtension, @unchecked Sendable {
    struct State {
        var uploads: [ExactText: PendingUpload] = [:]
        /// The versions that the provider last reported to the system, on which the system's changes are based.
        var told: [ExactText: Int] = [:]
        var lastGeneration = 0
        var hasSignalled = false
    }

    // Leaf lock.
    let state = Lock(State())
    let client: ServiceClient
    let folder: String
    private let storage: URL
    /// Whether the domain's settings make the provider upload in the background.
    private let isToldToSendBehind: Bool

    override init() {
        let domain = NSFileProviderExtension().domain
        isToldToSendBehind = domain?.userInfo?["sends"] as? String == "behind"
        folder = domain?.userInfo?["path"] as? String ?? NSHomeDirectory()
        let manager = domain.flatMap { NSFileProviderManager(for: $0) } ?? .default
        storage = manager.documentStorageURL.appendingPathComponent(
            domain?.pathRelativeToDocumentStorage ?? "", isDirectory: true)
        client = ServiceClient(folder: folder, tokenFile: storage.appendingPathComponent("token"))
        super.init()
    }

    /// Whether contents are uploaded in the background, after the provider has reported to the system that it accepted
    /// them. A file with this name in the test's directory enables this as well.
    var sendsBehind: Bool {
        isToldToSendBehind || FileManager.default.fileExists(atPath: folder + "/sends-behind")
    }

    /// Allocates memory with each page and never frees it, if a file with this name in the test's directory contains
    /// the number of mebibytes.
    func hoard() {
        guard let text = try? String(contentsOfFile: folder + "/hoards", encoding: .utf8), let count = Int(text) else {
            return
        }
        UnsafeMutableRawBufferPointer.allocate(byteCount: count << 20, alignment: 4096)
            .initializeMemory(as: UInt8.self, repeating: 1)
    }

    /// Called before an item's contents are uploaded in the background, on a thread that may block.
    func willSendBehind(_ identifier: String) {}

    var serviceManager: NSFileProviderManager { domain.flatMap { NSFileProviderManager(for: $0) } ?? .default }

    func signal() {
        serviceManager.signalEnumerator(for: .workingSet) { _ in }
    }

    // MARK: Items

    /// Returns an item of the service in the form that the system sees.
    func told(_ item: CloudItem) -> ServiceItem {
        state.withLock { state in
            guard let upload = state.uploads[ExactText(item.identifier)] else {
                state.told[ExactText(item.identifier)] = item.version
                return ServiceItem(item)
            }
            // Until the service has the local contents, their size is reported.
            var shown = item
            shown.size = upload.item.size
            return ServiceItem(shown, upload)
        }
    }

    /// Returns the items in a directory that were not uploaded to the service yet.
    func newItems(in container: String) -> [ServiceItem] {
        state.withLock { state in
            state.uploads.values.filter { $0.isNew && $0.item.parent.hasSameBytes(as: container) }.map {
                ServiceItem($0.item, $0)
            }
        }
    }

    /// Returns the items that were not uploaded to the service yet.
    func pendingItems() -> [ServiceItem] {
        state.withLock { state in state.uploads.values.filter(\.isNew).map { ServiceItem($0.item, $0) } }
    }

    override func item(for identifier: NSFileProviderItemIdentifier) throws -> any NSFileProviderItem {
        let known = ServiceItem.known(identifier)
        if let upload = state.withLock({ $0.uploads[ExactText(known)] }), upload.isNew {
            return ServiceItem(upload.item, upload)
        }
        do {
            return told(try client.item(.item(known)))
        } catch {
            throw ServiceClient.error(error)
        }
    }

    override func urlForItem(withPersistentIdentifier identifier: NSFileProviderItemIdentifier) -> URL? {
        url(of: ServiceItem.known(identifier))
    }

    func url(of identifier: String) -> URL {
        // An identifier may be a path.
        let name = identifier.addingPercentEncoding(withAllowedCharacters: Self.nameCharacters) ?? identifier
        return storage.appendingPathComponent(name, isDirectory: true).appendingPathComponent("contents")
    }

    private static let nameCharacters = CharacterSet(charactersIn: "/%").inverted

    private static func identifier(of url: URL) -> String {
        let name = url.deletingLastPathComponent().lastPathComponent
        return name.removingPercentEncoding ?? name
    }

    /// Moves an item's data to the directory that its new identifier requires.
    private func keepPlace(of identifier: String, as item: CloudItem) -> CloudItem {
        guard !item.identifier.hasSameBytes(as: identifier) else { return item }
        let (old, new) = (url(of: identifier), url(of: item.identifier))
        try? FileManager.default.removeItem(at: new.deletingLastPathComponent())
        _ = rename(old.deletingLastPathComponent().path, new.deletingLastPathComponent().path)
        return item
    }

    override func persistentIdentifierForItem(at url: URL) -> NSFileProviderItemIdentifier? {
        ServiceItem.identifier(Self.identifier(of: url))
    }

    override func enumerator(for container: NSFileProviderItemIdentifier) throws -> any NSFileProviderEnumerator {
        return ServiceEnumerator(self, container == .workingSet ? nil : ServiceItem.known(container))
    }

    // MARK: Contents

    override func providePlaceholder(at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }

    override func startProvidingItem(at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let identifier = Self.identifier(of: url)
        // Contents that the service does not have are local.
        if state.withLock({ $0.uploads[ExactText(identifier)] != nil }) { return completionHandler(nil) }
        do {
            let item = try client.fetch(.contents(of: identifier), to: url)
            state.withLock { $0.told[ExactText(identifier)] = item.version }
            completionHandler(nil)
        } catch {
            completionHandler(ServiceClient.error(error))
        }
    }

    override func fetchThumbnails(
        for identifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler: @escaping (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void,
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: Int64(identifiers.count))
        let handlers = ThumbnailHandlers(each: perThumbnailCompletionHandler, all: completionHandler)
        client.fetchThumbnails(identifiers, progress, handlers)
        return progress
    }

    override func stopProvidingItem(at url: URL) {
        let identifier = Self.identifier(of: url)
        guard state.withLock({ $0.uploads[ExactText(identifier)] == nil }) else { return }
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }

    override func itemChanged(at url: URL) {
        let identifier = Self.identifier(of: url)
        let size = (try? FileStatus.of(url.path).size) ?? 0
        state.withLock { state in
            state.lastGeneration += 1
            let known = state.uploads[ExactText(identifier)]
            var item =
                known?.item
                ?? CloudItem(identifier: identifier, parent: "", name: "", kind: .file, modified: 0)
            item.size = size
            if known == nil { item.version = state.told[ExactText(identifier)] ?? 0 }
            state.uploads[ExactText(identifier)] = PendingUpload(
                item: item, isNew: known?.isNew ?? false, generation: state.lastGeneration, isUnderWay: true)
        }
        send(identifier)
    }

    // MARK: Local items

    override func importDocument(
        at fileURL: URL, toParentItemIdentifier parent: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        let identifier = "new-" + UUID().uuidString
        var item = CloudItem(
            identifier: identifier, parent: ServiceItem.known(parent), name: fileURL.lastPathComponent, kind: .file)
        answer(completionHandler) {
            item.modified = Date().timeIntervalSince1970
            if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: fileURL.path) {
                item.kind = .link
                item.linkTarget = target
                return told(try client.item(.create(item)))
            }
            let url = url(of: identifier)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            guard rename(fileURL.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            item.size = (try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int) ?? 0
            guard sendsBehind else {
                do {
                    return told(keepPlace(of: identifier, as: try client.item(.create(item), sending: url)))
                } catch {
                    try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
                    throw error
                }
            }
            let upload = state.withLock { state in
                state.lastGeneration += 1
                let upload = PendingUpload(
                    item: item, isNew: true, generation: state.lastGeneration, isUnderWay: true)
                state.uploads[ExactText(identifier)] = upload
                return upload
            }
            send(identifier)
            return ServiceItem(item, upload)
        }
    }

    override func createDirectory(
        withName name: String, inParentItemIdentifier parent: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer(completionHandler) {
            told(
                try client.item(
                    .create(
                        CloudItem(
                            identifier: "new-" + UUID().uuidString, parent: ServiceItem.known(parent), name: name,
                            kind: .folder))))
        }
    }

    override func renameItem(
        withIdentifier identifier: NSFileProviderItemIdentifier, toName name: String,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer(completionHandler) {
            let known = ServiceItem.known(identifier)
            let parent = try client.item(.item(known)).parent
            return told(keepPlace(of: known, as: try client.item(.move(known, to: parent, named: name))))
        }
    }

    override func reparentItem(
        withIdentifier identifier: NSFileProviderItemIdentifier,
        toParentItemWithIdentifier parent: NSFileProviderItemIdentifier, newName: String?,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer(completionHandler) {
            let known = ServiceItem.known(identifier)
            let name = try newName ?? client.item(.item(known)).name
            let moved = try client.item(.move(known, to: ServiceItem.known(parent), named: name))
            return told(keepPlace(of: known, as: moved))
        }
    }

    override func deleteItem(
        withIdentifier identifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let known = ServiceItem.known(identifier)
        do {
            state.withLock { $0.uploads[ExactText(known)] = nil }
            _ = try client.ask(.delete(known))
            completionHandler(nil)
        } catch {
            completionHandler(ServiceClient.error(error))
        }
    }

    // MARK: Tags, favorites and the trash

    override func setTagData(
        _ tagData: Data?, forItemIdentifier identifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer(completionHandler) {
            told(try client.item(.set(.tagData(tagData.map { [UInt8]($0) }), of: ServiceItem.known(identifier))))
        }
    }

    override func setFavoriteRank(
        _ favoriteRank: NSNumber?, forItemIdentifier identifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer(completionHandler) {
            told(
                try client.item(.set(.favoriteRank(favoriteRank?.uint64Value), of: ServiceItem.known(identifier))))
        }
    }

    override func trashItem(
        withIdentifier identifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer(completionHandler) { told(try client.item(.trash(ServiceItem.known(identifier)))) }
    }

    override func untrashItem(
        withIdentifier identifier: NSFileProviderItemIdentifier,
        toParentItemIdentifier parent: NSFileProviderItemIdentifier?,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer(completionHandler) {
            told(try client.item(.untrash(ServiceItem.known(identifier), to: parent.map { ServiceItem.known($0) })))
        }
    }

    private func answer(
        _ handler: ((any NSFileProviderItem)?, (any Error)?) -> Void, _ body: () throws -> ServiceItem
    ) {
        do {
            handler(try body(), nil)
        } catch {
            handler(nil, ServiceClient.error(error))
        }
    }
}
