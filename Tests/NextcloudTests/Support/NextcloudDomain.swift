import DAVFileProvider
import FileProvider
import FileTesting
import Foundation
import HTTPTransport
import LinuxSystem
import Nextcloud
import NextcloudTesting
import UniformTypeIdentifiers

/// A domain of the provider for the user alice, without a daemon.
final class NextcloudDomain: Sendable {
    let provider: NextcloudExtension
    let passwords: MemoryPasswords
    let folder: TestFolder
    /// The items whose contents the provider made the system upload again.
    let sentAgain = SentAgain()

    /// - Parameter former: a domain that has ended, whose state the new domain uses.
    init(
        _ server: HTTPAddress, settings: [String: String] = [:], password: String? = "secret",
        after former: NextcloudDomain? = nil
    ) throws {
        former?.provider.invalidate()
        folder = try former?.folder ?? TestFolder()
        let domain = NSFileProviderDomain(identifier: NSFileProviderDomainIdentifier("test"), displayName: "Test")
        domain.userInfo = ["url": server.description].merging(settings) { $1 }
        passwords = MemoryPasswords(password, at: server.origin)
        let path = URL(filePath: folder.path, directoryHint: .isDirectory)
        let temporary = path.appendingPathComponent("temporary")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        provider = NextcloudExtension(
            domain: domain, service: NextcloudService(), folder: path.appendingPathComponent("state"),
            temporary: temporary, passwords: passwords,
            sendAgain: { [sentAgain] in sentAgain.note($0) })
    }

    deinit { provider.invalidate() }

    /// Creates a domain of a user who is signed in.
    static func signedIn(_ server: HTTPAddress, after former: NextcloudDomain? = nil) throws -> NextcloudDomain {
        try NextcloudDomain(
            server, settings: ["user": "alice", "userid": "alice", "authentication": "basic"], after: former)
    }

    // MARK: Calls of the system

    func item(_ identifier: NSFileProviderItemIdentifier) async throws -> SeenItem {
        try await reply { done in
            provider.item(for: identifier, request: NSFileProviderRequest()) { done($0.map(SeenItem.init), $1) }
        }
    }

    func list(_ container: NSFileProviderItemIdentifier = .rootContainer) async throws -> [SeenItem] {
        let enumerator = try provider.enumerator(for: container, request: NSFileProviderRequest())
        var items: [SeenItem] = []
        var page: NSFileProviderPage? = NSFileProviderPage(NSFileProviderPage.initialPageSortedByName as Data)
        while let current = page {
            let (found, next) = try await withCheckedThrowingContinuation { continuation in
                enumerator.enumerateItems(for: PageObserver { continuation.resume(with: $0) }, startingAt: current)
            }
            items += found
            page = next
        }
        return items
    }

    func anchor() async throws -> NSFileProviderSyncAnchor {
        let enumerator = try provider.enumerator(for: .workingSet, request: NSFileProviderRequest())
        guard let anchor = await enumerator.currentSyncAnchor() else { throw UnexpectedError(error: "no anchor") }
        return anchor
    }

    func changes(since anchor: NSFileProviderSyncAnchor) async throws -> ChangeObserver.Found {
        let enumerator = try provider.enumerator(for: .workingSet, request: NSFileProviderRequest())
        return try await withCheckedThrowingContinuation { continuation in
            enumerator.enumerateChanges(for: ChangeObserver { continuation.resume(with: $0) }, from: anchor)
        }
    }

    func fetch(_ identifier: NSFileProviderItemIdentifier) async throws -> [UInt8] {
        let url: URL = try await reply { done in
            provider.fetchContents(for: identifier, version: nil, request: NSFileProviderRequest()) { url, _, error in
                done(url, error)
            }
        }
        return [UInt8](try Data(contentsOf: url))
    }

    func create(
        _ name: String, _ bytes: [UInt8]?, in parent: NSFileProviderItemIdentifier = .rootContainer
    ) async throws -> SeenItem {
        let wanted = WantedItem(UUID().uuidString, parent, name, bytes == nil ? .folder : .data)
        let url = try bytes.map { try file($0) }
        return try await reply { done in
            provider.createItem(
                basedOn: wanted, fields: [.filename, .parentItemIdentifier, .contents], contents: url, options: [],
                request: NSFileProviderRequest()
            ) { item, _, _, error in done(item.map(SeenItem.init), error) }
        }
    }

    func write(_ bytes: [UInt8], to item: SeenItem) async throws -> SeenItem {
        let wanted = WantedItem(item.identifier.rawValue, item.parent, item.name, .data)
        return try await modify(wanted, item, [.contents, .contentModificationDate], try file(bytes))
    }

    func move(
        _ item: SeenItem, to name: String, in parent: NSFileProviderItemIdentifier
    ) async throws -> SeenItem {
        let wanted = WantedItem(item.identifier.rawValue, parent, name, item.isFolder ? .folder : .data)
        return try await modify(wanted, item, [.filename, .parentItemIdentifier], nil)
    }

    func mark(_ item: SeenItem, favoriteRank: Int?, tags: [String]) async throws -> SeenItem {
        let wanted = WantedItem(item.identifier.rawValue, item.parent, item.name, .data)
        wanted.favoriteRank = favoriteRank.map { NSNumber(value: $0) }
        wanted.tagData = try PropertyListSerialization.data(fromPropertyList: tags, format: .binary, options: 0)
        return try await modify(wanted, item, [.favoriteRank, .tagData], nil)
    }

    private func modify(
        _ wanted: WantedItem, _ item: SeenItem, _ fields: NSFileProviderItemFields, _ url: URL?
    ) async throws -> SeenItem {
        let version = NSFileProviderItemVersion(contentVersion: item.version, metadataVersion: Data())
        return try await reply { done in
            provider.modifyItem(
                wanted, baseVersion: version, changedFields: fields, contents: url, options: [],
                request: NSFileProviderRequest()
            ) { item, _, _, error in done(item.map(SeenItem.init), error) }
        }
    }

    func remove(_ item: SeenItem) async throws {
        let version = NSFileProviderItemVersion(contentVersion: item.version, metadataVersion: Data())
        let _: Bool = try await reply { done in
            provider.deleteItem(
                identifier: item.identifier, baseVersion: version, options: [], request: NSFileProviderRequest()
            ) { error in done(error == nil ? true : nil, error) }
        }
    }

    @discardableResult
    func perform(_ action: String, on item: SeenItem, input: String? = nil) async throws -> FileProviderActionReply {
        try await reply { done in
            provider.performAction(
                identifier: NSFileProviderExtensionActionIdentifier(action),
                onItemsWithIdentifiers: [item.identifier], input: input, completionHandler: { done($0, $1) })
        }
    }

    func thumbnails(_ items: [SeenItem]) async throws -> [NSFileProviderItemIdentifier: Data] {
        let found = Lock<[NSFileProviderItemIdentifier: Data]>([:])
        let _: Bool = try await reply { done in
            provider.fetchThumbnails(
                for: items.map(\.identifier), requestedSize: CGSize(width: 64, height: 64),
                perThumbnailCompletionHandler: { identifier, data, _ in
                    found.withLock { $0[identifier] = data }
                }, completionHandler: { error in done(error == nil ? true : nil, error) })
        }
        return found.withLock { $0 }
    }

    func search(_ text: String) async throws -> [any NSFileProviderSearchResult & Sendable] {
        let request = NSFileProviderStringSearchRequest(query: text, desiredNumberOfResults: 10)
        let enumerator = provider.searchEnumerator(for: request)
        return try await withCheckedThrowingContinuation { continuation in
            enumerator.enumerateSearchResults(
                for: SearchObserver { continuation.resume(with: $0) }, startingAt: nil)
        }
    }

    /// Checks the server for changes once.
    func look() async throws { _ = try await provider.work.watch.pass() }

    private func file(_ bytes: [UInt8]) throws -> URL {
        let url = URL(filePath: folder.path).appendingPathComponent(UUID().uuidString)
        try Data(bytes).write(to: url)
        return url
    }

    private func reply<Reply: Sendable>(
        _ start: (@escaping @Sendable (Reply?, (any Error)?) -> Void) -> Progress
    ) async throws -> Reply {
        try await withCheckedThrowingContinuation { continuation in
            _ = start { reply, error in
                if let reply { return continuation.resume(returning: reply) }
                continuation.resume(throwing: error ?? UnexpectedError(error: "no reply"))
            }
        }
    }
}

/// The items whose contents a provider made the system upload again.
final class SentAgain: Sendable {
    // Leaf lock.
    private let state = Lock<[NSFileProviderItemIdentifier]>([])

    var items: [NSFileProviderItemIdentifier] { state.withLock { $0 } }

    func note(_ item: NSFileProviderItemIdentifier) { state.withLock { $0.append(item) } }
}

/// An item as the provider has returned it.
struct SeenItem: Sendable {
    let identifier: NSFileProviderItemIdentifier
    let parent: NSFileProviderItemIdentifier
    let name: String
    let isFolder: Bool
    let size: Int?
    let version: Data
    let capabilities: NSFileProviderItemCapabilities
    let favoriteRank: Int?
    let tags: [String]
    let isShared: Bool
    /// The provider's own values.
    let details: [String: String]

    init(_ item: any NSFileProviderItem) {
        identifier = item.itemIdentifier
        parent = item.parentItemIdentifier
        name = item.filename
        isFolder = item.contentType == .folder
        size = (item.documentSize ?? nil)?.intValue
        version = item.itemVersion?.contentVersion ?? Data()
        capabilities = item.capabilities ?? []
        favoriteRank = (item.favoriteRank ?? nil)?.intValue
        tags = NextcloudService.tags(in: item.tagData ?? nil)
        isShared = item.isShared ?? false
        details = (item.userInfo ?? nil) as? [String: String] ?? [:]
    }
}

/// A new item, or the state that a change requests for an item.
private final class WantedItem: NSObject, NSFileProviderItem {
    let itemIdentifier: NSFileProviderItemIdentifier
    let parentItemIdentifier: NSFileProviderItemIdentifier
    let filename: String
    let contentType: UTType
    let contentModificationDate: Date? = Date()
    var favoriteRank: NSNumber?
    var tagData: Data?

    init(_ identifier: String, _ parent: NSFileProviderItemIdentifier, _ name: String, _ type: UTType) {
        itemIdentifier = NSFileProviderItemIdentifier(identifier)
        (parentItemIdentifier, filename, contentType) = (parent, name, type)
    }
}

/// Passwords in memory.
final class MemoryPasswords: DAVPasswordStore {
    // Leaf lock.
    private let state: Lock<[String: String]>

    init(_ password: String?, at origin: HTTPOrigin) {
        state = Lock(password.map { [Self.key("alice", origin): $0] } ?? [:])
    }

    private static func key(_ user: String, _ origin: HTTPOrigin) -> String { "\(user) \(origin)" }

    func password(for user: String, at origin: HTTPOrigin, domain: String) -> String? {
        state.withLock { $0[Self.key(user, origin)] }
    }

    func store(_ password: String, for user: String, at origin: HTTPOrigin, domain: String) {
        state.withLock { $0[Self.key(user, origin)] = password }
    }
}

/// An observer of one page.
private final class PageObserver: NSObject, NSFileProviderEnumerationObserver, Sendable {
    typealias Page = ([SeenItem], NSFileProviderPage?)
    private let finish: @Sendable (Result<Page, any Error>) -> Void
    // Leaf lock.
    private let items = Lock<[SeenItem]>([])

    init(_ finish: @escaping @Sendable (Result<Page, any Error>) -> Void) { self.finish = finish }

    func didEnumerate(_ updatedItems: [any NSFileProviderItem]) {
        let seen = updatedItems.map(SeenItem.init)
        items.withLock { $0 += seen }
    }

    func finishEnumerating(upTo nextPage: NSFileProviderPage?) {
        finish(.success((items.withLock { $0 }, nextPage)))
    }

    func finishEnumeratingWithError(_ error: any Error) { finish(.failure(error)) }
}

/// An observer of changes.
final class ChangeObserver: NSObject, NSFileProviderChangeObserver, Sendable {
    struct Found: Sendable {
        var updated: [SeenItem] = []
        var deleted: [NSFileProviderItemIdentifier] = []
    }

    private let finish: @Sendable (Result<Found, any Error>) -> Void
    // Leaf lock.
    private let found = Lock(Found())

    init(_ finish: @escaping @Sendable (Result<Found, any Error>) -> Void) { self.finish = finish }

    func didUpdate(_ updatedItems: [any NSFileProviderItem]) {
        let seen = updatedItems.map(SeenItem.init)
        found.withLock { $0.updated += seen }
    }

    func didDeleteItems(withIdentifiers deletedItemIdentifiers: [NSFileProviderItemIdentifier]) {
        found.withLock { $0.deleted += deletedItemIdentifiers }
    }

    func finishEnumeratingChanges(upTo anchor: NSFileProviderSyncAnchor, moreComing: Bool) {
        finish(.success(found.withLock { $0 }))
    }

    func finishEnumeratingWithError(_ error: any Error) { finish(.failure(error)) }
}

/// An observer of one page of results.
private final class SearchObserver: NSObject, NSFileProviderSearchEnumerationObserver, Sendable {
    typealias Results = [any NSFileProviderSearchResult & Sendable]
    private let finish: @Sendable (Result<Results, any Error>) -> Void
    // Leaf lock.
    private let results = Lock<Results>([])

    init(_ finish: @escaping @Sendable (Result<Results, any Error>) -> Void) { self.finish = finish }

    var maximumNumberOfResultsPerPage: Int { 100 }

    func didEnumerate(_ searchResults: [any NSFileProviderSearchResult]) {
        let found = searchResults.compactMap { $0 as? NextcloudFinding }
        results.withLock { $0 += found }
    }

    func finishEnumerating(upTo nextPage: NSFileProviderPage?) { finish(.success(results.withLock { $0 })) }

    func finishEnumeratingWithError(_ error: any Error) { finish(.failure(error)) }
}
