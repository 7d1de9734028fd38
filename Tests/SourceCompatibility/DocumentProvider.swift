// swift-format-ignore-file

import FileProvider
import Foundation
import UniformTypeIdentifiers

/// A provider from the template of 2017, with the usual parts filled in.
class DocumentProvider: NSFileProviderExtension {
    var fileManager = FileManager()
    let notes = NoteStore()

    override init() {
        super.init()
    }

    override func item(for identifier: NSFileProviderItemIdentifier) throws -> NSFileProviderItem {
        if identifier == .rootContainer { return NoteItem(root: ()) }
        guard let note = notes[identifier] else { throw NSFileProviderError(.noSuchItem) }
        return NoteItem(note)
    }

    override func urlForItem(withPersistentIdentifier identifier: NSFileProviderItemIdentifier) -> URL? {
        guard let item = try? item(for: identifier) else { return nil }
        let manager = NSFileProviderManager.default
        let perItemDirectory = manager.documentStorageURL.appendingPathComponent(identifier.rawValue, isDirectory: true)
        return perItemDirectory.appendingPathComponent(item.filename, isDirectory: false)
    }

    override func persistentIdentifierForItem(at url: URL) -> NSFileProviderItemIdentifier? {
        let pathComponents = url.pathComponents
        assert(pathComponents.count > 2)
        return NSFileProviderItemIdentifier(pathComponents[pathComponents.count - 2])
    }

    override func providePlaceholder(at url: URL, completionHandler: @escaping (Error?) -> Void) {
        guard let identifier = persistentIdentifierForItem(at: url) else {
            completionHandler(NSFileProviderError(.noSuchItem))
            return
        }
        do {
            let fileProviderItem = try item(for: identifier)
            let placeholderURL = NSFileProviderManager.placeholderURL(for: url)
            try NSFileProviderManager.writePlaceholder(at: placeholderURL, withMetadata: fileProviderItem)
            completionHandler(nil)
        } catch let error {
            completionHandler(error)
        }
    }

    override func startProvidingItem(at url: URL, completionHandler: @escaping ((_ error: Error?) -> Void)) {
        guard let identifier = persistentIdentifierForItem(at: url), let note = notes[identifier] else {
            return completionHandler(NSError(domain: NSCocoaErrorDomain, code: NSFeatureUnsupportedError, userInfo: [:]))
        }
        do {
            try fileManager.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try note.text.data(using: .utf8)!.write(to: url)
            completionHandler(nil)
        } catch {
            completionHandler(error)
        }
    }

    override func itemChanged(at url: URL) {
        guard let identifier = persistentIdentifierForItem(at: url), let text = try? String(contentsOf: url, encoding: .utf8) else { return }
        notes[identifier]?.text = text
        NSFileProviderManager.default.signalEnumerator(for: .workingSet) { error in
            if let error = error { print(error) }
        }
    }

    override func stopProvidingItem(at url: URL) {
        try? fileManager.removeItem(at: url)
        providePlaceholder(at: url, completionHandler: { _ in })
    }

    override func importDocument(at fileURL: URL, toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier, completionHandler: @escaping (NSFileProviderItem?, Error?) -> Void) {
        let scoped = fileURL.startAccessingSecurityScopedResource()
        defer { if scoped { fileURL.stopAccessingSecurityScopedResource() } }
        if let existing = notes.all.first(where: { $0.name.lowercased() == fileURL.lastPathComponent.lowercased() }) {
            return completionHandler(nil, NSError.fileProviderErrorForCollision(with: NoteItem(existing)))
        }
        let note = notes.add(fileURL.lastPathComponent, (try? String(contentsOf: fileURL, encoding: .utf8)) ?? "")
        completionHandler(NoteItem(note), nil)
    }

    override func deleteItem(withIdentifier itemIdentifier: NSFileProviderItemIdentifier, completionHandler: @escaping ((any Error)?) -> Void) {
        guard notes.remove(itemIdentifier) else {
            return completionHandler(NSError.fileProviderErrorForNonExistentItem(withIdentifier: itemIdentifier))
        }
        completionHandler(nil)
    }

    override func renameItem(withIdentifier itemIdentifier: NSFileProviderItemIdentifier, toName itemName: String) async throws -> NSFileProviderItem {
        guard let note = notes[itemIdentifier] else { throw NSFileProviderError(.noSuchItem) }
        note.name = itemName
        return NoteItem(note)
    }

    override func enumerator(for containerItemIdentifier: NSFileProviderItemIdentifier) throws -> NSFileProviderEnumerator {
        if containerItemIdentifier == NSFileProviderItemIdentifier.trashContainer {
            throw NSError(domain: NSCocoaErrorDomain, code: NSFeatureUnsupportedError, userInfo: [:])
        }
        return NoteEnumerator(enumeratedItemIdentifier: containerItemIdentifier, notes: notes)
    }
}

final class Note: @unchecked Sendable {
    let identifier: NSFileProviderItemIdentifier
    var name: String
    var text: String

    init(_ identifier: String, _ name: String, _ text: String) {
        self.identifier = NSFileProviderItemIdentifier(rawValue: identifier)
        self.name = name
        self.text = text
    }
}

final class NoteStore: @unchecked Sendable {
    private(set) var all: [Note] = [Note("n1", "One.txt", "first"), Note("n2", "Two.txt", "second")]
    var deleted: [NSFileProviderItemIdentifier] = []

    subscript(_ identifier: NSFileProviderItemIdentifier) -> Note? { all.first { $0.identifier == identifier } }

    func add(_ name: String, _ text: String) -> Note {
        let note = Note("n\(all.count + 1)", name, text)
        all.append(note)
        return note
    }

    func remove(_ identifier: NSFileProviderItemIdentifier) -> Bool {
        guard let index = all.firstIndex(where: { $0.identifier == identifier }) else { return false }
        deleted.append(all.remove(at: index).identifier)
        return true
    }
}

class NoteItem: NSObject, NSFileProviderItem {
    let itemIdentifier: NSFileProviderItemIdentifier
    let filename: String
    let size: Int?

    init(_ note: Note) {
        itemIdentifier = note.identifier
        filename = note.name
        size = note.text.utf8.count
    }

    init(root: Void) {
        itemIdentifier = .rootContainer
        filename = "Notes"
        size = nil
    }

    var parentItemIdentifier: NSFileProviderItemIdentifier { .rootContainer }
    var capabilities: NSFileProviderItemCapabilities { size == nil ? [.allowsContentEnumerating, .allowsAddingSubItems] : .allowsAll }
    var typeIdentifier: String { size == nil ? "public.folder" : "public.plain-text" }
    var documentSize: NSNumber? { size.map { NSNumber(value: $0) } }
    var contentModificationDate: Date? { Date(timeIntervalSince1970: 1_500_000_000) }
    var versionIdentifier: Data? { Data("\(size ?? 0)".utf8) }
    var isDownloaded: Bool { size == nil }
    var isUploaded = true
}

class NoteEnumerator: NSObject, NSFileProviderEnumerator {
    var enumeratedItemIdentifier: NSFileProviderItemIdentifier
    let notes: NoteStore
    private let anchor = NSFileProviderSyncAnchor("an anchor".data(using: .utf8)!)

    init(enumeratedItemIdentifier: NSFileProviderItemIdentifier, notes: NoteStore) {
        self.enumeratedItemIdentifier = enumeratedItemIdentifier
        self.notes = notes
        super.init()
    }

    func invalidate() {
    }

    func enumerateItems(for observer: NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        let isFirst = page == NSFileProviderPage.initialPageSortedByName as NSFileProviderPage
            || page == NSFileProviderPage.initialPageSortedByDate as NSFileProviderPage
        if isFirst, let first = notes.all.first {
            observer.didEnumerate([NoteItem(first)])
            observer.finishEnumerating(upTo: NSFileProviderPage("rest".data(using: .utf8)!))
        } else if page.rawValue == Data("rest".utf8) {
            observer.didEnumerate(notes.all.dropFirst().map { NoteItem($0) })
            observer.finishEnumerating(upTo: nil)
        } else {
            observer.finishEnumeratingWithError(NSFileProviderError(.pageExpired))
        }
    }

    func enumerateChanges(for observer: NSFileProviderChangeObserver, from anchor: NSFileProviderSyncAnchor) {
        guard anchor == self.anchor else { return observer.finishEnumeratingWithError(NSFileProviderError(.syncAnchorExpired)) }
        observer.didUpdate(notes.all.map { NoteItem($0) })
        observer.didDeleteItems(withIdentifiers: notes.deleted)
        observer.finishEnumeratingChanges(upTo: anchor, moreComing: false)
    }

    func currentSyncAnchor(completionHandler: @escaping (NSFileProviderSyncAnchor?) -> Void) {
        completionHandler(anchor)
    }
}

/// An observer for a test, as in tests of providers.
class MockEnumerationObserver: NSObject, NSFileProviderEnumerationObserver {
    private(set) var items: [NSFileProviderItem] = []
    private(set) var nextPage: NSFileProviderPage?
    private(set) var error: Error?
    let suggestedPageSize = 10

    func didEnumerate(_ updatedItems: [NSFileProviderItem]) { items += updatedItems }
    func finishEnumerating(upTo nextPage: NSFileProviderPage?) { self.nextPage = nextPage }
    func finishEnumeratingWithError(_ error: Error) { self.error = error }
}

class MockChangeObserver: NSObject, NSFileProviderChangeObserver {
    private(set) var updated: [NSFileProviderItem] = []
    private(set) var deleted: [NSFileProviderItemIdentifier] = []
    private(set) var anchor: NSFileProviderSyncAnchor?
    private(set) var error: Error?

    func didUpdate(_ updatedItems: [NSFileProviderItem]) { updated.append(contentsOf: updatedItems) }
    func didDeleteItems(withIdentifiers deletedItemIdentifiers: [NSFileProviderItemIdentifier]) { deleted += deletedItemIdentifiers }
    func finishEnumeratingChanges(upTo anchor: NSFileProviderSyncAnchor, moreComing: Bool) { self.anchor = anchor }
    func finishEnumeratingWithError(_ error: Error) { self.error = error }
}
