import FileProvider
import Foundation
import Glibc
import LinuxSystem

/// A provider that serves a local directory, the domain's `path`, like a cloud service. Directories are listed page by
/// page, files are fetched one by one, and changes are reported in a change feed.
///
/// The directory itself is the service. An edit is "uploaded" when it has replaced the file in this directory.
package final class LocalFolderExtension: NSFileProviderExtension, @unchecked Sendable {
    // Sendable: all properties are immutable or protected by a lock.
    private struct State {
        var catalogue: SharedCatalogue?
    }
    // Locked before the catalogue's lock.
    private let state = Lock(State())
    private let path: String?
    let displayName: String
    let storage: URL
    let copies: StorageCopies
    var unsent: UnsentEdits { copies.unsent }
    private let retries = Retries()

    package override convenience init() { self.init(domain: nil, storage: nil) }

    /// Creates an extension for a domain. Tests use this initializer, because they run without the system.
    package init(domain given: NSFileProviderDomain?, storage folder: URL?) {
        let surroundings = Surroundings(given)
        path = surroundings.path
        displayName = surroundings.name
        storage = folder ?? surroundings.storage
        copies = StorageCopies(storage: storage)
        super.init()
    }

    /// The domain's settings, read before the superclass is initialized.
    private struct Surroundings {
        let path: String?
        let name: String
        let storage: URL

        init(_ given: NSFileProviderDomain?) {
            let domain = given ?? NSFileProviderExtension().domain
            path = domain?.userInfo?["path"] as? String
            name = domain?.displayName ?? "On This Machine"
            let manager = domain.flatMap { NSFileProviderManager(for: $0) } ?? .default
            storage = manager.documentStorageURL.appendingPathComponent(
                domain?.pathRelativeToDocumentStorage ?? "", isDirectory: true)
        }
    }

    /// Returns the catalogue, which is opened at first use.
    func catalogue() throws -> SharedCatalogue {
        try state.withLock { state throws in
            if let catalogue = state.catalogue { return catalogue }
            guard let path else { throw FolderError.unavailable("the domain names no folder: add it with path=DIR") }
            try FileManager.default.createDirectory(at: storage, withIntermediateDirectories: true)
            let catalogue = try SharedCatalogue(
                of: path, store: storage.appendingPathComponent("catalogue.db", isDirectory: false).path,
                watcher: try? NSFileProviderManager.backend.folderWatcher())
            let domain = domain
            try FolderNews.start(catalogue) {
                let manager = domain.flatMap { NSFileProviderManager(for: $0) } ?? .default
                // If this signal is lost, the next signal makes the system request these changes, too.
                manager.signalEnumerator(for: .workingSet) { _ in }
            }
            state.catalogue = catalogue
            let (copies, others) = (copies, copies.findOthers(catalogue))
            if !others.isEmpty { HandlerThreads.shared.run { copies.removeOthers(others, catalogue) } }
            sendAgainLater()
            return catalogue
        }
    }

    /// Returns the catalogue's identifier of an item.
    func known(_ identifier: NSFileProviderItemIdentifier) throws -> String {
        identifier == .rootContainer
            ? try catalogue().perform { $0.identifier(of: CatalogueItem.root) } : identifier.rawValue
    }

    // MARK: Items and their files

    package override func item(for identifier: NSFileProviderItemIdentifier) throws -> any NSFileProviderItem {
        do {
            let known = try known(identifier)
            let name = try catalogue().perform { try $0.lastName(of: known) }
            // The system may not have reported the edit yet.
            let isEdited = try copies.isEdited(known, named: name, catalogue())
            if isEdited || unsent.error(of: known) != nil { sendAgain(known) }
            // If this process has provided a copy, the system needs the item as it was when it was copied. Later
            // changes are in the change feed.
            if let copied = copies.item(known, named: name) { return item(copied) }
            return item(try catalogue().perform { try $0.item(known) })
        } catch {
            throw self.error(FolderError(error))
        }
    }

    package override func urlForItem(withPersistentIdentifier identifier: NSFileProviderItemIdentifier) -> URL? {
        guard let known = try? known(identifier),
            let name = try? catalogue().perform({ try $0.lastName(of: known) })
        else { return nil }
        return storage.appendingPathComponent(known, isDirectory: true)
            .appendingPathComponent(name, isDirectory: false)
    }

    package override func persistentIdentifierForItem(at url: URL) -> NSFileProviderItemIdentifier? {
        let folder = url.deletingLastPathComponent()
        guard folder.deletingLastPathComponent().standardizedFileURL.path == storage.standardizedFileURL.path else {
            return nil
        }
        return NSFileProviderItemIdentifier(folder.path.lastPathName)
    }

    package override func startProvidingItem(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        do {
            guard let identifier = persistentIdentifierForItem(at: url)?.rawValue else {
                throw FolderError.noSuchItem
            }
            try copies.provide(identifier, at: url, from: try catalogue())
            sendAgainLater()
            completionHandler(nil)
        } catch {
            completionHandler(self.error(FolderError(error)))
        }
    }

    package override func stopProvidingItem(at url: URL) {
        guard let identifier = persistentIdentifierForItem(at: url)?.rawValue else { return }
        guard let catalogue = try? catalogue() else { return }
        let removed: CatalogueItem?
        do {
            removed = try copies.remove(identifier, named: url.path.lastPathName, from: catalogue)
        } catch {
            return failed(identifier, error)
        }
        guard let copied = removed else { return }
        let isOutdated = try? catalogue.perform { catalogue in
            guard try catalogue.item(identifier).contentVersion != copied.contentVersion else { return false }
            try catalogue.touch(copied.number)
            return true
        }
        if isOutdated == true { signal() }
    }

    /// Whether the given item has an edit that the served directory does not have.
    func hasUnsentEdit(_ identifier: String) -> Bool { unsent.error(of: identifier) != nil }

    func signal() {
        state.withLock { $0.catalogue }?.watches.willTell()
        let manager = domain.flatMap { NSFileProviderManager(for: $0) } ?? .default
        manager.signalEnumerator(for: .workingSet) { _ in }
    }

    // MARK: Edits

    package override func itemChanged(at url: URL) {
        guard let identifier = persistentIdentifierForItem(at: url)?.rawValue else { return }
        // The edit is recorded first, so that no later failure loses it.
        unsent.tell(identifier, url.path.lastPathName)
        do {
            let catalogue = try catalogue()
            try copies.begin(identifier, named: url.path.lastPathName, catalogue)
            // The process that wrote the file holds its claim until this function returns.
            try copies.send(identifier, only: url.path.lastPathName, to: catalogue)
            signal()
        } catch {
            failed(identifier, error)
        }
    }

    /// Records that the edit of an item could not be written to the served directory. The system shows the reason, and
    /// the edit is retried.
    private func failed(_ identifier: String, _ error: any Error) {
        let isNews = unsent.fail(identifier, FolderError(error))
        sendAgainLater()
        guard isNews else { return }
        _ = try? catalogue().perform { try $0.touch(try $0.lastNumber(of: identifier)) }
        signal()
    }

    private func sendAgain(_ identifier: String) {
        do {
            let isTried = try copies.sendAgain(identifier, to: try catalogue())
            if isTried, !hasUnsentEdit(identifier) { signal() }
        } catch {
            failed(identifier, error)
        }
    }

    /// Retries all unsent edits after a delay, even if the system does not request this.
    private func sendAgainLater() {
        if unsent.identifiers.isEmpty { return }
        retries.start { [weak self] in
            guard let provider = self else { return true }
            for identifier in provider.unsent.identifiers { provider.sendAgain(identifier) }
            return provider.unsent.identifiers.isEmpty
        }
    }

    package override func fetchThumbnails(
        for identifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler: @escaping (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void,
        completionHandler: @escaping ((any Error)?) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: Int64(identifiers.count))
        do {
            let thumbnails = FolderThumbnails(
                catalogue: try catalogue(), side: Int(max(1, min(4096, max(size.width, size.height)))),
                error: { self.error($0) }, each: perThumbnailCompletionHandler, all: completionHandler)
            HandlerThreads.shared.run { thumbnails.make(for: identifiers, progress) }
        } catch {
            completionHandler(self.error(FolderError(error)))
        }
        return progress
    }

    package override func enumerator(
        for container: NSFileProviderItemIdentifier
    ) throws -> any NSFileProviderEnumerator {
        do {
            if container == .workingSet { return FolderEnumerator(self, nil) }
            if container == .trashContainer { return FolderEnumerator(self, CatalogueItem.trash) }
            let known = try known(container)
            let item = try catalogue().perform { try $0.item(known) }
            guard item.facts.kind == .folder else { throw FolderError.wrongKind }
            return FolderEnumerator(self, item.number)
        } catch {
            throw self.error(FolderError(error))
        }
    }

    // MARK: Changes that a user makes

    package override func importDocument(
        at fileURL: URL, toParentItemIdentifier parent: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer(completionHandler) {
            try catalogue().copyIn(fileURL.path, named: fileURL.path.lastPathName, into: try known(parent))
        }
    }

    package override func createDirectory(
        withName name: String, inParentItemIdentifier parent: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer(completionHandler) {
            let (name, parent) = (try fileName(name), try known(parent))
            return try catalogue().perform { try $0.createFolder(name, in: try $0.item(parent).number) }
        }
    }

    package override func renameItem(
        withIdentifier identifier: NSFileProviderItemIdentifier, toName name: String,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer(completionHandler) {
            let (name, known) = (try fileName(name), try known(identifier))
            return try catalogue().perform { catalogue in
                let item = try catalogue.item(known)
                return try catalogue.move(item, to: item.parent, named: name)
            }
        }
    }

    package override func reparentItem(
        withIdentifier identifier: NSFileProviderItemIdentifier,
        toParentItemWithIdentifier parent: NSFileProviderItemIdentifier, newName: String?,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer(completionHandler) {
            let (known, parent) = (try known(identifier), try known(parent))
            let newName = try newName.map { try fileName($0) }
            return try catalogue().perform { catalogue in
                let item = try catalogue.item(known)
                guard let name = newName ?? FileName(bytes: item.name) else { throw FolderError.wrongKind }
                return try catalogue.move(item, to: try catalogue.item(parent).number, named: name)
            }
        }
    }

    package override func deleteItem(
        withIdentifier identifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        do {
            let known = try known(identifier)
            let catalogue = try catalogue()
            try catalogue.perform { try $0.delete(try $0.item(known)) }
            copies.discard(known, catalogue)
            completionHandler(nil)
        } catch {
            completionHandler(self.error(FolderError(error)))
        }
    }

    package override func trashItem(
        withIdentifier identifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer(completionHandler) {
            let known = try known(identifier)
            return try catalogue().perform { try $0.trash(try $0.item(known)) }
        }
    }

    package override func untrashItem(
        withIdentifier identifier: NSFileProviderItemIdentifier,
        toParentItemIdentifier parent: NSFileProviderItemIdentifier?,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        answer(completionHandler) {
            let (known, parent) = (try known(identifier), try parent.map { try self.known($0) })
            return try catalogue().perform { catalogue in
                try catalogue.untrash(try catalogue.item(known), to: try parent.map { try catalogue.item($0).number })
            }
        }
    }

    // MARK: User metadata

    package override func setLastUsedDate(
        _ date: Date?, forItemIdentifier identifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        mark(identifier, completionHandler) { $0.lastUsed = date?.timeIntervalSince1970 }
    }

    package override func setTagData(
        _ tagData: Data?, forItemIdentifier identifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        mark(identifier, completionHandler) { $0.tagData = tagData.map { Array($0) } }
    }

    package override func setFavoriteRank(
        _ rank: NSNumber?, forItemIdentifier identifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        mark(identifier, completionHandler) { $0.favoriteRank = rank?.uint64Value }
    }

    private func mark(
        _ identifier: NSFileProviderItemIdentifier, _ handler: ((any NSFileProviderItem)?, (any Error)?) -> Void,
        _ change: (inout CatalogueMarks) -> Void
    ) {
        answer(handler) {
            let known = try known(identifier)
            return try catalogue().perform { try $0.mark(try $0.item(known), change) }
        }
    }

    private func fileName(_ text: String) throws -> FileName {
        guard text.utf8.count <= 255, let name = FileName(text) else { throw FolderError.badName(text) }
        return name
    }

    /// Calls a completion handler with the result of a function. Runs on a thread of the system, which may block.
    private func answer(
        _ handler: (((any NSFileProviderItem)?, (any Error)?) -> Void), _ body: () throws -> CatalogueItem
    ) {
        do {
            handler(item(try body()), nil)
        } catch {
            handler(nil, self.error(FolderError(error)))
        }
    }
}
