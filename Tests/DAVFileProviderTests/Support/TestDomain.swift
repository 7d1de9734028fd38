import CloudTesting
import DAVFileProvider
import FileProvider
import FileTesting
import Foundation
import HTTPTransport
import LinuxSystem
import UniformTypeIdentifiers

/// A provider of one server's folder, without a daemon.
final class TestDomain: Sendable {
    let provider: DAVExtension
    let domain: NSFileProviderDomain
    let folder: TestFolder?
    private let directory: String
    let passwords: TestPasswords

    /// Creates a domain.
    ///
    /// - Parameters:
    ///   - folder: the directories of an earlier object, whose state the new domain uses.
    convenience init(
        _ root: HTTPAddress, in folder: TestFolder? = nil, settings: [String: String] = [:],
        service: any DAVServiceKind = PlainDAVService()
    ) throws {
        let folder = try folder ?? TestFolder()
        try self.init(root, at: folder.path, folder, settings: settings, service: service)
    }

    /// Creates a domain in a directory of another process, for example of a domain whose process was killed.
    init(
        _ root: HTTPAddress, at directory: String, _ folder: TestFolder? = nil, settings: [String: String] = [:],
        service: any DAVServiceKind = PlainDAVService()
    ) throws {
        self.folder = folder
        self.directory = directory
        domain = NSFileProviderDomain(identifier: NSFileProviderDomainIdentifier("test"), displayName: "Test")
        let values = ["url": root.description, "user": "alice"].merging(settings) { $1 }
        domain.userInfo = values
        passwords = TestPasswords()
        let path = URL(filePath: directory, directoryHint: .isDirectory)
        let temporary = path.appendingPathComponent("temporary")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        provider = DAVExtension(
            domain: domain, service: service, folder: path.appendingPathComponent("state"), temporary: temporary,
            passwords: passwords)
    }

    deinit { provider.invalidate() }

    // MARK: Calls of the system

    func item(_ identifier: NSFileProviderItemIdentifier) async throws -> Seen {
        try await reply { done in
            provider.item(for: identifier, request: NSFileProviderRequest()) { done($0.map(Seen.init), $1) }
        }
    }

    /// Lists a folder, page by page.
    func list(_ container: NSFileProviderItemIdentifier = .rootContainer, size: Int = 500) async throws -> [Seen] {
        let enumerator = try provider.enumerator(for: container, request: NSFileProviderRequest())
        var items: [Seen] = []
        var page: NSFileProviderPage? = NSFileProviderPage(NSFileProviderPage.initialPageSortedByName as Data)
        while let current = page {
            let (found, next) = try await Pages.read(enumerator, from: current, size: size)
            items += found
            page = next
        }
        return items
    }

    func anchor() async throws -> NSFileProviderSyncAnchor {
        let enumerator = try provider.enumerator(for: .workingSet, request: NSFileProviderRequest())
        guard let anchor = await enumerator.currentSyncAnchor() else { throw MissingReply() }
        return anchor
    }

    /// Returns the changes since an anchor.
    func changes(
        since anchor: NSFileProviderSyncAnchor, in container: NSFileProviderItemIdentifier = .workingSet
    ) async throws -> Changes {
        let enumerator = try provider.enumerator(for: container, request: NSFileProviderRequest())
        var (all, next, isMore) = (Changes(), anchor, true)
        while isMore {
            let batch = try await Batches.read(enumerator, since: next)
            all.updated += batch.updated
            all.deleted += batch.deleted
            (next, isMore) = (batch.anchor, batch.isMore)
        }
        return all
    }

    /// Fetches a file's contents.
    func fetch(_ identifier: NSFileProviderItemIdentifier) async throws -> (item: Seen, text: String) {
        let (url, item): (URL, Seen) = try await reply { done in
            provider.fetchContents(for: identifier, version: nil, request: NSFileProviderRequest()) {
                url, item, error in
                guard let url, let item else { return done(nil, error) }
                done((url, Seen(item)), nil)
            }
        }
        let data = try Data(contentsOf: url)
        try FileManager.default.removeItem(at: url)
        return (item, String(decoding: data, as: UTF8.self))
    }

    /// Fetches a part of a file, which must have the item's version.
    func part(
        of item: Seen, _ range: NSRange, alignment: Int
    ) async throws -> (bytes: ArraySlice<UInt8>, range: NSRange) {
        let version = NSFileProviderItemVersion(contentVersion: item.version, metadataVersion: Data())
        let (url, found): (URL, NSRange) = try await reply { done in
            provider.fetchPartialContents(
                for: item.identifier, version: version, request: NSFileProviderRequest(), minimalRange: range,
                aligningTo: alignment, options: .strictVersioning
            ) { url, _, range, _, error in done(url.map { ($0, range) }, error) }
        }
        let data = [UInt8](try Data(contentsOf: url))
        try FileManager.default.removeItem(at: url)
        return (data[found.location..<(found.location + found.length)], found)
    }

    /// Creates a file with a text, or a folder if the text is `nil`.
    func create(
        _ name: String, _ text: String?, in parent: NSFileProviderItemIdentifier = .rootContainer,
        template: String = UUID().uuidString, modified: Date = Date()
    ) async throws -> Seen {
        let item = WantedItem(template, parent, name, text == nil ? .folder : .data, modified)
        let url = try text.map { try file($0) }
        return try await reply { done in
            provider.createItem(
                basedOn: item, fields: [.filename, .parentItemIdentifier, .contents], contents: url, options: [],
                request: NSFileProviderRequest()
            ) { item, _, _, error in done(item.map(Seen.init), error) }
        }
    }

    /// Replaces a file's contents, based on the item's version, as the runtime does.
    func write(_ text: String, to item: Seen, modified: Date = Date()) async throws -> Seen {
        let wanted = WantedItem(item.identifier.rawValue, item.parent, item.name, .data, modified)
        let url = try file(text)
        return try await modify(wanted, item.version, [.contents, .contentModificationDate], url)
    }

    /// Replaces a file's contents and renames it in one request.
    func write(_ text: String, to item: Seen, renamedTo name: String) async throws -> Seen {
        let wanted = WantedItem(item.identifier.rawValue, item.parent, name, .data, Date())
        return try await modify(wanted, item.version, [.contents, .contentModificationDate, .filename], try file(text))
    }

    func move(
        _ item: Seen, to name: String, in parent: NSFileProviderItemIdentifier? = nil
    ) async throws -> Seen {
        let wanted = WantedItem(
            item.identifier.rawValue, parent ?? item.parent, name, item.isFolder ? .folder : .data, Date())
        var fields: NSFileProviderItemFields = [.filename]
        if parent != nil { fields.insert(.parentItemIdentifier) }
        return try await modify(wanted, item.version, fields, nil)
    }

    private func modify(
        _ wanted: WantedItem, _ version: Data, _ fields: NSFileProviderItemFields, _ url: URL?
    ) async throws -> Seen {
        try await reply { done in
            provider.modifyItem(
                wanted, baseVersion: NSFileProviderItemVersion(contentVersion: version, metadataVersion: Data()),
                changedFields: fields, contents: url, options: [], request: NSFileProviderRequest()
            ) { item, _, _, error in done(item.map(Seen.init), error) }
        }
    }

    func remove(_ item: Seen, isRecursive: Bool = false) async throws {
        let _: Bool = try await reply { done in
            provider.deleteItem(
                identifier: item.identifier,
                baseVersion: NSFileProviderItemVersion(contentVersion: item.version, metadataVersion: Data()),
                options: isRecursive ? .recursive : [], request: NSFileProviderRequest()
            ) { error in done(error == nil ? true : nil, error) }
        }
    }

    /// Checks the server for changes once.
    @discardableResult
    func look() async throws -> Bool { try await provider.work.watch.pass(all: true) }

    private func file(_ text: String) throws -> URL {
        let url = URL(filePath: directory).appendingPathComponent(UUID().uuidString)
        try Data(text.utf8).write(to: url)
        return url
    }

    private func reply<Reply: Sendable>(
        _ start: (@escaping @Sendable (Reply?, (any Error)?) -> Void) -> Progress
    ) async throws -> Reply {
        try await withCheckedThrowingContinuation { continuation in
            _ = start { reply, error in
                if let reply { return continuation.resume(returning: reply) }
                continuation.resume(throwing: error ?? MissingReply())
            }
        }
    }
}

struct MissingReply: Error {}

/// An item as the provider has returned it.
struct Seen: Sendable, Equatable {
    let identifier: NSFileProviderItemIdentifier
    let parent: NSFileProviderItemIdentifier
    let name: String
    let isFolder: Bool
    let size: Int?
    let version: Data

    init(_ item: any NSFileProviderItem) {
        identifier = item.itemIdentifier
        parent = item.parentItemIdentifier
        name = item.filename
        isFolder = item.contentType == .folder
        size = (item.documentSize ?? nil)?.intValue
        version = item.itemVersion?.contentVersion ?? Data()
    }
}

/// Changes that the provider has reported.
struct Changes: Sendable {
    var updated: [Seen] = []
    var deleted: [NSFileProviderItemIdentifier] = []
}

/// A new item, or the state that a change requests for an item.
private final class WantedItem: NSObject, NSFileProviderItem {
    let itemIdentifier: NSFileProviderItemIdentifier
    let parentItemIdentifier: NSFileProviderItemIdentifier
    let filename: String
    let contentType: UTType
    let contentModificationDate: Date?

    init(_ identifier: String, _ parent: NSFileProviderItemIdentifier, _ name: String, _ type: UTType, _ date: Date) {
        itemIdentifier = NSFileProviderItemIdentifier(identifier)
        (parentItemIdentifier, filename, contentType, contentModificationDate) = (parent, name, type, date)
    }
}

/// Passwords in memory.
final class TestPasswords: DAVPasswordStore {
    // Leaf lock.
    private let state = Lock(["alice": "secret"])

    func password(for user: String, at origin: HTTPOrigin, domain: String) -> String? { state.withLock { $0[user] } }

    func store(_ password: String, for user: String, at origin: HTTPOrigin, domain: String) {
        state.withLock { $0[user] = password }
    }
}
