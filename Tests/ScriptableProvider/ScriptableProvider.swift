import FileProvider
import Foundation
import LinuxSystem
import ScriptableService

/// The extension: it keeps files in its document storage and asks its service for everything else.
///
/// Sendable: everything in it is immutable or under a lock.
final class ScriptableProvider: NSFileProviderExtension, @unchecked Sendable {
    struct State {
        var uploads: [String: PendingUpload] = [:]
        /// The versions that the system was told of last: what a change began with.
        var told: [String: Int] = [:]
        var lastGeneration = 0
        var hasSignalled = false
    }

    // Innermost.
    let state = Lock(State())
    let client: ServiceClient
    let folder: String
    private let storage: URL
    /// By the domain's settings.
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

    /// What the test leaves in the folder for the extension: with a file of this name, contents are sent behind the system's
    /// back, after they were taken; otherwise before that.
    var sendsBehind: Bool {
        isToldToSendBehind || FileManager.default.fileExists(atPath: folder + "/sends-behind")
    }

    /// What the test leaves in the folder for the extension: a file of this name has so many mebibytes that are taken with each page
    /// and never given back.
    func hoard() {
        guard let text = try? String(contentsOfFile: folder + "/hoards", encoding: .utf8), let count = Int(text) else {
            return
        }
        UnsafeMutableRawBufferPointer.allocate(byteCount: count << 20, alignment: 4096)
            .initializeMemory(as: UInt8.self, repeating: 1)
    }

    var serviceManager: NSFileProviderManager { domain.flatMap { NSFileProviderManager(for: $0) } ?? .default }

    func signal() {
        serviceManager.signalEnumerator(for: .workingSet) { _ in }
    }

    // MARK: Items

    /// What the system is told of an item of the service.
    func told(_ item: CloudItem) -> ServiceItem {
        state.withLock { state in
            guard let upload = state.uploads[item.identifier] else {
                state.told[item.identifier] = item.version
                return ServiceItem(item)
            }
            // Until the service has what is here, it is that which counts.
            var shown = item
            shown.size = upload.item.size
            return ServiceItem(shown, upload)
        }
    }

    /// Items that the service does not know yet.
    func newItems(in container: String) -> [ServiceItem] {
        state.withLock { state in
            state.uploads.values.filter { $0.isNew && $0.item.parent == container }.map { ServiceItem($0.item, $0) }
        }
    }

    /// Items of which the service does not have everything yet.
    func pendingItems() -> [ServiceItem] {
        state.withLock { state in state.uploads.values.filter(\.isNew).map { ServiceItem($0.item, $0) } }
    }

    override func item(for identifier: NSFileProviderItemIdentifier) throws -> any NSFileProviderItem {
        let known = ServiceItem.known(identifier)
        if let upload = state.withLock({ $0.uploads[known] }), upload.isNew { return ServiceItem(upload.item, upload) }
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

    /// The folder of an item's data follows from its identifier.
    private func keepPlace(of identifier: String, as item: CloudItem) -> CloudItem {
        guard item.identifier != identifier else { return item }
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
        // What the service does not have is here.
        if state.withLock({ $0.uploads[identifier] != nil }) { return completionHandler(nil) }
        do {
            let item = try client.fetch(.contents(of: identifier), to: url)
            state.withLock { $0.told[identifier] = item.version }
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
        guard state.withLock({ $0.uploads[identifier] == nil }) else { return }
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }

    override func itemChanged(at url: URL) {
        let identifier = Self.identifier(of: url)
        let size = (try? FileStatus.of(url.path).size) ?? 0
        state.withLock { state in
            state.lastGeneration += 1
            let known = state.uploads[identifier]
            var item =
                known?.item
                ?? CloudItem(identifier: identifier, parent: "", name: "", kind: .file, modified: 0)
            item.size = size
            if known == nil { item.version = state.told[identifier] ?? 0 }
            state.uploads[identifier] = PendingUpload(
                item: item, isNew: known?.isNew ?? false, generation: state.lastGeneration, isUnderWay: true)
        }
        send(identifier)
    }

    // MARK: What a person makes

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
                state.uploads[identifier] = upload
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
            state.withLock { $0.uploads[known] = nil }
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
