import DAVFileProvider
import FileProvider
import Foundation
import HTTPTransport
import NextcloudClient
import UniformTypeIdentifiers
import WebDAVClient

/// Serves the server's trash.
extension NextcloudService {
    package func trash(_ item: DAVKnownItem, of account: DAVAccount) async throws -> any NSFileProviderItem & Sendable {
        let tag = item.isFolder ? nil : item.version.tag.flatMap { DAVEntityTag(opaque: $0) }
        let identity = item.traits.identity
        let hasTrash = try await account.ask { client throws(DAVError) in
            try await self.capabilities(self.nextcloud(client)).hasTrash
        }
        // Without a trash, the server would remove the item permanently.
        guard hasTrash else { throw CocoaError(.featureUnsupported) }
        let found = try await account.ask { client throws(DAVError) -> NextcloudTrashItem? in
            do throws(DAVError) {
                try await client.delete(item.address, if: DAVRequirements(resource: tag.map { .tag($0) } ?? .any))
            } catch {
                // An earlier request whose reply was lost may have moved the item to the trash.
                guard case .notFound = error else { throw error }
            }
            // An item without a file ID cannot be told from others in the trash.
            guard let identity else { return nil }
            return try await self.nextcloud(client).trashItems().first {
                $0.entry.fileID.map { String($0) } == identity
            }
        }
        guard let found else { throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: item.identifier) }
        return ServerTrashItem(found)
    }

    package func restore(
        _ identifier: NSFileProviderItemIdentifier, named name: String, to parent: HTTPAddress, of account: DAVAccount
    ) async throws -> HTTPAddress {
        guard let item = try await trashed(identifier, account), let number = item.entry.fileID else {
            throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: identifier)
        }
        let target = try parent.appending(name)
        return try await account.ask { client throws(DAVError) in
            let nextcloud = try self.nextcloud(client)
            try await nextcloud.restore(item)
            // The server restores an item to its former directory, perhaps under another name.
            guard let restored = try await nextcloud.entry(withID: number)?.entry else {
                throw .notFound(item.formerPath)
            }
            let wanted = restored.isDirectory ? target.asDirectory : target
            guard restored.address != wanted else { return wanted }
            try await client.move(restored.address, to: wanted, if: DAVRequirements(destination: .absent))
            return wanted
        }
    }

    /// Removes from the trash the directory in which this client probed the server, and the items that the probe
    /// removed from the directory.
    package func removeRemains(ofProbe directory: HTTPAddress, with client: DAVClient) async throws(DAVError) {
        let nextcloud = try nextcloud(client)
        guard let names = nextcloud.names(of: directory), !names.isEmpty else { return }
        for item in try await nextcloud.trashItems() {
            // An item of the user may have a name in the form of a probe directory's name, but not with the same random
            // number.
            let path = item.formerPath.split(separator: "/").map { Array($0.utf8) }
            guard path.starts(with: names.map { Array($0.utf8) }) else { continue }
            do throws(DAVError) {
                try await nextcloud.remove(item)
            } catch {
                guard case .notFound = error else { throw error }
            }
        }
    }

    /// Returns an item in the trash, or in a directory in the trash, by its identifier.
    func trashedAtAnyDepth(
        _ identifier: NSFileProviderItemIdentifier, _ account: DAVAccount
    ) async throws -> ServerTrashItem {
        guard let names = ServerTrashItem.names(in: identifier) else {
            throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: identifier)
        }
        guard names.count > 1 else {
            guard let item = try await trashed(identifier, account) else {
                throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: identifier)
            }
            return ServerTrashItem(item)
        }
        let item = try await account.ask { client throws(DAVError) in
            try await self.nextcloud(client).trashItem(at: names)
        }
        return ServerTrashItem(item, in: Array(names.dropLast()))
    }

    /// Returns the item with the given identifier at the top of the trash; `nil` if there is no such item.
    func trashed(
        _ identifier: NSFileProviderItemIdentifier, _ account: DAVAccount
    ) async throws -> NextcloudTrashItem? {
        guard let name = ServerTrashItem.name(in: identifier) else { return nil }
        return try await account.ask { client throws(DAVError) in
            try await self.nextcloud(client).trashItems().first { $0.entry.name.utf8.elementsEqual(name.utf8) }
        }
    }
}

/// An item in the trash, in the form that the system reads.
///
/// Sendable: all properties are immutable.
final class ServerTrashItem: NSObject, NSFileProviderItemProtocol, @unchecked Sendable {
    private let item: NextcloudTrashItem
    /// The path components from the trash to the removed directory that contains the item; empty if the item is at the
    /// top of the trash.
    private let folder: [String]

    /// The prefix of the identifiers. Identifiers of items outside of the trash have no slash.
    private static let prefix = "trash/"

    init(_ item: NextcloudTrashItem, in folder: [String] = []) {
        self.item = item
        self.folder = folder
    }

    /// Returns the path components from the trash to an item; `nil` if the identifier is not that of an item in the
    /// trash.
    static func names(in identifier: NSFileProviderItemIdentifier) -> [String]? {
        // Splits the bytes, because a `/` and a combining mark after it are one character.
        name(in: identifier).map { $0.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) } }
    }

    /// Returns the path of an item in the trash; `nil` if the identifier is not that of an item in the trash.
    static func name(in identifier: NSFileProviderItemIdentifier) -> String? {
        let bytes = identifier.rawValue.utf8
        return bytes.starts(with: prefix.utf8) ? String(Substring(bytes.dropFirst(prefix.utf8.count))) : nil
    }

    private var entry: DAVEntry { item.entry.entry }

    private static func identifier(_ names: [String]) -> NSFileProviderItemIdentifier {
        names.isEmpty ? .trashContainer : NSFileProviderItemIdentifier(prefix + names.joined(separator: "/"))
    }

    var itemIdentifier: NSFileProviderItemIdentifier { Self.identifier(folder + [entry.name]) }
    var parentItemIdentifier: NSFileProviderItemIdentifier { Self.identifier(folder) }
    var filename: String { folder.isEmpty ? item.name : entry.name }
    var contentType: UTType {
        if entry.isDirectory { return .folder }
        let suffix = (item.name as NSString).pathExtension
        return UTType(filenameExtension: suffix, conformingTo: .data) ?? .data
    }
    var capabilities: NSFileProviderItemCapabilities { [.allowsReading, .allowsReparenting, .allowsDeleting] }
    var isTrashed: Bool { folder.isEmpty }
    var documentSize: NSNumber? { item.entry.size.map { NSNumber(value: $0) } }
    var contentModificationDate: Date? {
        (item.removed ?? entry.modified).map { Date(timeIntervalSince1970: TimeInterval($0.seconds)) }
    }
    var itemVersion: NSFileProviderItemVersion {
        let version = Data("\(item.entry.size ?? -1) \(entry.tag?.opaque ?? "")".utf8)
        return NSFileProviderItemVersion(contentVersion: version, metadataVersion: Data(item.entry.name.utf8))
    }
}
