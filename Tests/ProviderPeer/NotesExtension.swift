// swift-format-ignore-file

// An extension as written for Apple's systems today, with nothing changed except that its service is a dictionary.
import FileProvider
import Foundation
import UniformTypeIdentifiers

struct Note {
    var id: String
    var title: String
    var folderID: String?
    var body: Data
    var revision: Int
    var modified: Date
}

actor NotesAPI {
    static let shared = NotesAPI()

    private var notes: [String: Note] = [
        "welcome": Note(id: "welcome", title: "Welcome.txt", folderID: nil, body: Data("Hello".utf8), revision: 1, modified: Date(timeIntervalSince1970: 1_000_000)),
    ]
    private var removed: [(revision: Int, id: String)] = []
    private var revision = 1

    func note(_ id: String) throws -> Note {
        guard let note = notes[id] else {
            throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: NSFileProviderItemIdentifier(id))
        }
        return note
    }

    func list() -> [Note] { notes.values.sorted { $0.title < $1.title } }

    func changes(since old: Int) -> (changed: [Note], removed: [String], revision: Int) {
        (notes.values.filter { $0.revision > old }, removed.filter { $0.revision > old }.map(\.id), revision)
    }

    func save(_ note: Note) throws -> Note {
        if let other = notes.values.first(where: { $0.title == note.title && $0.id != note.id }) {
            throw NSError.fileProviderErrorForCollision(with: NoteItem(other))
        }
        var note = note
        revision += 1
        note.revision = revision
        notes[note.id] = note
        return note
    }

    func remove(_ id: String) throws {
        _ = try note(id)
        revision += 1
        notes[id] = nil
        removed.append((revision, id))
    }
}

class FileProviderExtension: NSObject, NSFileProviderReplicatedExtension {
    private let domain: NSFileProviderDomain
    private let temporaryDirectory: URL
    private let api = NotesAPI.shared

    required init(domain: NSFileProviderDomain) {
        self.domain = domain
        guard let manager = NSFileProviderManager(for: domain), let url = try? manager.temporaryDirectoryURL() else {
            fatalError("no manager for \(domain.displayName)")
        }
        self.temporaryDirectory = url
        super.init()
    }

    func invalidate() {}

    func item(for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest, completionHandler: @escaping (NSFileProviderItem?, Error?) -> Void) -> Progress {
        if identifier == .rootContainer {
            completionHandler(RootItem(), nil)
            return Progress()
        }
        return perform(completionHandler) { try await NoteItem(self.api.note(identifier.rawValue)) }
    }

    func fetchContents(for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion?, request: NSFileProviderRequest, completionHandler: @escaping (URL?, NSFileProviderItem?, Error?) -> Void) -> Progress {
        let progress = Progress(totalUnitCount: 100)
        let task = Task {
            do {
                let note = try await api.note(itemIdentifier.rawValue)
                let url = temporaryDirectory.appendingPathComponent("\(UUID().uuidString).\(note.title)")
                try note.body.write(to: url)
                progress.completedUnitCount = 100
                completionHandler(url, NoteItem(note), nil)
            } catch {
                completionHandler(nil, nil, error)
            }
        }
        progress.cancellationHandler = {
            task.cancel()
            completionHandler(nil, nil, CocoaError(.userCancelled))
        }
        return progress
    }

    func createItem(basedOn itemTemplate: NSFileProviderItem, fields: NSFileProviderItemFields, contents url: URL?, options: NSFileProviderCreateItemOptions = [], request: NSFileProviderRequest, completionHandler: @escaping (NSFileProviderItem?, NSFileProviderItemFields, Bool, Error?) -> Void) -> Progress {
        guard itemTemplate.contentType != .folder else {
            completionHandler(nil, [], false, CocoaError(.featureUnsupported))
            return Progress()
        }
        let note = Note(
            id: UUID().uuidString, title: itemTemplate.filename, folderID: nil,
            body: url.flatMap { try? Data(contentsOf: $0) } ?? Data(), revision: 0,
            modified: itemTemplate.contentModificationDate.flatMap { $0 } ?? Date())
        return perform({ completionHandler($0, [], false, $1) }) { try await NoteItem(self.api.save(note)) }
    }

    func modifyItem(_ item: NSFileProviderItem, baseVersion version: NSFileProviderItemVersion, changedFields: NSFileProviderItemFields, contents newContents: URL?, options: NSFileProviderModifyItemOptions = [], request: NSFileProviderRequest, completionHandler: @escaping (NSFileProviderItem?, NSFileProviderItemFields, Bool, Error?) -> Void) -> Progress {
        let body = changedFields.contains(.contents) ? newContents.flatMap { try? Data(contentsOf: $0) } : nil
        let title = changedFields.contains(.filename) ? item.filename : nil
        let pending = changedFields.intersection([.tagData, .favoriteRank, .lastUsedDate, .parentItemIdentifier])
        return perform({ completionHandler($0, pending, false, $1) }) {
            var note = try await self.api.note(item.itemIdentifier.rawValue)
            if let body { note.body = body }
            if let title { note.title = title }
            return try await NoteItem(self.api.save(note))
        }
    }

    func deleteItem(identifier: NSFileProviderItemIdentifier, baseVersion version: NSFileProviderItemVersion, options: NSFileProviderDeleteItemOptions = [], request: NSFileProviderRequest, completionHandler: @escaping (Error?) -> Void) -> Progress {
        perform({ (_: Void?, error) in completionHandler(error) }) { try await self.api.remove(identifier.rawValue) }
    }

    func enumerator(for containerItemIdentifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest) throws -> NSFileProviderEnumerator {
        switch containerItemIdentifier {
        case .trashContainer: throw NSError(domain: NSCocoaErrorDomain, code: NSFeatureUnsupportedError)
        default: return NotesEnumerator(api: api)
        }
    }

    private func perform<Value>(_ completionHandler: @escaping (Value?, Error?) -> Void, _ body: @escaping () async throws -> Value) -> Progress {
        let progress = Progress(totalUnitCount: 1)
        Task {
            do {
                let value = try await body()
                progress.completedUnitCount = 1
                completionHandler(value, nil)
            } catch {
                completionHandler(nil, error)
            }
        }
        return progress
    }
}

class NotesEnumerator: NSObject, NSFileProviderEnumerator {
    private let api: NotesAPI

    init(api: NotesAPI) {
        self.api = api
        super.init()
    }

    func invalidate() {}

    func enumerateItems(for observer: NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        Task {
            observer.didEnumerate(await api.list().map(NoteItem.init))
            observer.finishEnumerating(upTo: nil)
        }
    }

    func enumerateChanges(for observer: NSFileProviderChangeObserver, from anchor: NSFileProviderSyncAnchor) {
        guard let old = Int(String(decoding: anchor.rawValue, as: UTF8.self)) else {
            observer.finishEnumeratingWithError(NSFileProviderError(.syncAnchorExpired))
            return
        }
        Task {
            let changes = await api.changes(since: old)
            observer.didUpdate(changes.changed.map(NoteItem.init))
            observer.didDeleteItems(withIdentifiers: changes.removed.map { NSFileProviderItemIdentifier($0) })
            observer.finishEnumeratingChanges(upTo: NSFileProviderSyncAnchor("\(changes.revision)".data(using: .utf8)!), moreComing: false)
        }
    }

    func currentSyncAnchor(completionHandler: @escaping (NSFileProviderSyncAnchor?) -> Void) {
        Task {
            let revision = await api.changes(since: .max).revision
            completionHandler(NSFileProviderSyncAnchor("\(revision)".data(using: .utf8)!))
        }
    }
}

class NoteItem: NSObject, NSFileProviderItem {
    private let note: Note

    init(_ note: Note) {
        self.note = note
    }

    var itemIdentifier: NSFileProviderItemIdentifier { NSFileProviderItemIdentifier(note.id) }
    var parentItemIdentifier: NSFileProviderItemIdentifier { note.folderID.map { NSFileProviderItemIdentifier($0) } ?? .rootContainer }
    var capabilities: NSFileProviderItemCapabilities { [.allowsReading, .allowsWriting, .allowsRenaming, .allowsDeleting] }
    var itemVersion: NSFileProviderItemVersion {
        let revision = withUnsafeBytes(of: note.revision) { Data($0) }
        return NSFileProviderItemVersion(contentVersion: revision, metadataVersion: revision)
    }
    var filename: String { note.title }
    var contentType: UTType { UTType(filenameExtension: (note.title as NSString).pathExtension) ?? .plainText }
    var documentSize: NSNumber? { note.body.count as NSNumber }
    var contentModificationDate: Date? { note.modified }
}

class RootItem: NSObject, NSFileProviderItem {
    var itemIdentifier: NSFileProviderItemIdentifier { .rootContainer }
    var parentItemIdentifier: NSFileProviderItemIdentifier { .rootContainer }
    var filename: String { "Notes" }
    var contentType: UTType { .folder }
    var capabilities: NSFileProviderItemCapabilities { [.allowsContentEnumerating, .allowsAddingSubItems] }
}
