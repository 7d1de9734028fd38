import FileProvider
import Foundation
import UniformTypeIdentifiers

/// An item of the peer's tree, made from its catalogue entry.
final class PeerItem: NSObject, NSFileProviderItemProtocol {
    let entry: Entry

    init(_ entry: Entry) { self.entry = entry }

    var itemIdentifier: NSFileProviderItemIdentifier { NSFileProviderItemIdentifier(entry.identifier) }
    var parentItemIdentifier: NSFileProviderItemIdentifier { NSFileProviderItemIdentifier(entry.parent) }
    var filename: String { entry.name }
    var contentType: UTType { entry.isFolder ? .folder : entry.linkTarget == nil ? .plainText : .symbolicLink }
    var documentSize: NSNumber? { entry.isFolder ? nil : NSNumber(value: entry.contents.count) }
    var versionIdentifier: Data? { Data("\(entry.version)".utf8) }
    var isUploaded: Bool { entry.isUploaded }
    var tagData: Data? { entry.tagData }
    var symlinkTargetPath: String? { entry.linkTarget }
    var contentModificationDate: Date? { entry.modified }
    var fileSystemFlags: NSFileProviderFileSystemFlags {
        NSFileProviderFileSystemFlags(rawValue: entry.permissions ?? (entry.isFolder ? 7 : 6))
    }
    var extendedAttributes: [String: Data] { entry.attributes ?? [:] }
}

/// An item with properties beyond the engine's limits.
final class ExcessiveItem: NSObject, NSFileProviderItemProtocol {
    let itemIdentifier: NSFileProviderItemIdentifier
    let parentItemIdentifier: NSFileProviderItemIdentifier

    init(_ identifier: String, in parent: String) {
        itemIdentifier = NSFileProviderItemIdentifier(identifier)
        parentItemIdentifier = NSFileProviderItemIdentifier(parent)
    }

    var filename: String { String(repeating: "é", count: 50_000) }
    var contentType: UTType { .symbolicLink }
    var documentSize: NSNumber? { NSNumber(value: 5) }
    var symlinkTargetPath: String? { String(repeating: "x/", count: 50_000) }
    var extendedAttributes: [String: Data] { ["user.large": Data(count: 1 << 20)] }
    var tagData: Data? { Data(count: 1 << 20) }
    var userInfo: [AnyHashable: Any]? { ["large": String(repeating: "x", count: 1 << 20)] }
    var versionIdentifier: Data? { Data(count: 1 << 20) }
}

/// The peer's record of an item.
struct Entry: Codable, Sendable {
    var identifier: String
    var parent: String
    var name: String
    var isFolder = false
    var contents = Data()
    var version = 1
    var isUploaded = true
    var tagData: Data?
    var linkTarget: String?
    var modified: Date?
    var permissions: UInt?
    var attributes: [String: Data]?
}

/// The peer's service: a file in the domain's directory, so that it outlives the process.
///
/// Sendable: mutable state is protected by a lock.
final class Catalogue: @unchecked Sendable {
    private let lock = NSLock()
    private let file: URL

    init(_ folder: URL) { file = folder.appendingPathComponent("catalogue.json") }

    func entry(_ identifier: String) -> Entry? { lock.withLock { entries[identifier] } }

    func children(of parent: String) -> [Entry] {
        lock.withLock { entries.values.filter { $0.parent == parent } }.sorted { $0.name < $1.name }
    }

    func entry(named name: String, in parent: String) -> Entry? { children(of: parent).first { $0.name == name } }

    @discardableResult
    func change(_ identifier: String, _ body: (inout Entry) -> Void) -> Entry? {
        lock.withLock {
            guard var entry = entries[identifier] else { return nil }
            body(&entry)
            entries[identifier] = entry
            return entry
        }
    }

    func add(_ entry: Entry) { lock.withLock { entries[entry.identifier] = entry } }

    func remove(_ identifier: String) -> Bool { lock.withLock { entries.removeValue(forKey: identifier) != nil } }

    /// The entries. They are read each time, because the test writes them, too. Accessed under the lock.
    private var entries: [String: Entry] {
        get {
            let data = (try? Data(contentsOf: file)) ?? Data()
            return (try? JSONDecoder().decode([String: Entry].self, from: data)) ?? [:]
        }
        set { try? JSONEncoder().encode(newValue).write(to: file) }
    }
}
