import FileProvider
import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem

/// The copies of files in the document storage, which programs open.
///
/// A program may have a copy open for an unlimited time, and write to it. Therefore a copy stays as long as it has the
/// served file's version. A copy is replaced or removed only while no program uses it.
///
/// Each item has a directory for its copies. The directory contains a copy for each name that the item had when a copy
/// was requested. The catalogue records the version of each copy, and the status that the copy had when the served file
/// had the same contents (``StoredCopy``). A copy that differs from that record has an edit that the served file does
/// not have, even if the edit was not reported. Every process can detect such an edit.
final class StorageCopies: Sendable {
    private let storage: URL
    let unsent = UnsentEdits()
    /// The queues that serialize sending the edits of each item. Without them, an older edit could overwrite a newer
    /// one.
    let sending = ItemQueues()
    /// The items of which this process has provided copies, by identifier and by the copy's name. Leaf lock.
    private let provided = Lock<[String: [ExactText: CatalogueItem]]>([:])

    /// The duration to wait for a program that uses an outdated or unneeded copy. Afterwards, a client that waits for
    /// the file gets the old copy.
    private static let patience = StorageAccess.patience(usually: .seconds(2))
    /// The duration to wait for a program that uses a copy, if other requests must wait meanwhile.
    private static let shortPatience = Duration.milliseconds(250)

    init(storage: URL) { self.storage = storage }

    private func turn(_ patience: Duration) -> StorageAccess {
        StorageAccess(purpose: NSFileProviderManager.backend.providerIdentifier, patience: patience)
    }

    func shortTurn() -> StorageAccess { turn(Self.shortPatience) }

    // MARK: The copies in the document storage

    /// Returns the directory of an item's copies.
    private func place(of identifier: String) -> URL { storage.appendingPathComponent(identifier, isDirectory: true) }

    func url(_ identifier: String, _ name: String) -> URL {
        place(of: identifier).appendingPathComponent(name, isDirectory: false)
    }

    /// Waits until no other thread of this process changes an item's copies. The caller must call `leave()` afterwards.
    private func entered(_ identifier: String) -> StoragePlace {
        let place = storagePlace(identifier)
        place.enter()
        return place
    }

    func storagePlace(_ identifier: String) -> StoragePlace {
        StoragePlace(of: url(identifier, "any"), for: identifier)
    }

    /// Returns the item as it was when this process provided a copy of it; `nil` if this process has provided no such
    /// copy.
    func item(_ identifier: String, named name: String) -> CatalogueItem? {
        provided.withLock { $0[identifier]?[ExactText(name)] }
    }

    /// Records the version that a copy has after its edit was written to the served directory.
    func update(_ item: CatalogueItem, _ identifier: String, named name: String) {
        let name = ExactText(name)
        provided.withLock { if $0[identifier]?[name] != nil { $0[identifier]?[name] = item } }
    }

    private func note(_ item: CatalogueItem, _ identifier: String, named name: String) {
        provided.withLock { $0[identifier, default: [:]][ExactText(name)] = item }
    }

    /// Returns the status of a regular file, or `nil` if it does not exist or cannot be read.
    func moment(_ url: URL) -> FileMoment? { status(url).map { FileMoment($0) } }

    func status(_ url: URL) -> FileStatus? { (try? knownStatus(url)) ?? nil }

    /// Returns the status of a regular file, or `nil` if it does not exist.
    private func knownMoment(_ url: URL) throws(Errno) -> FileMoment? { try knownStatus(url).map { FileMoment($0) } }

    private func knownStatus(_ url: URL) throws(Errno) -> FileStatus? {
        do throws(Errno) {
            let status = try FileStatus.of(url.path, followingLinks: false)
            return status.kind == .regular ? status : nil
        } catch .noSuchFile {
            return nil
        }
    }

    /// Returns the names in the directory of an item's copies.
    private func names(of identifier: String) throws(Errno) -> [String] {
        do throws(Errno) {
            let folder = try FileDescriptor.open(place(of: identifier).path, [.readOnly, .directory])
            return try folder.entries().map(\.name.description).sorted()
        } catch .noSuchFile {
            return []
        }
    }

    /// Returns the names of those copies of an item that have an edit. An unrecorded file does not count: the mount or
    /// a program has just created it, and will report it. If the item itself is unknown, for example because the
    /// catalogue was created again, every file counts as an edit.
    func edits(of identifier: String, _ catalogue: SharedCatalogue) throws -> [String] {
        let names = try names(of: identifier)
        if names.isEmpty { return [] }
        return try catalogue.perform { catalogue in
            let known = try? catalogue.lastName(of: identifier)
            return try names.filter { name in
                guard let now = try knownMoment(url(identifier, name)) else { return false }
                let copy = try catalogue.copy(of: identifier, named: name)
                return copy.map { !now.isSame(as: $0.moment) }
                    ?? (known == nil && mayBeOfItem(name, among: names, itemsName: known, in: storagePlace(identifier)))
            }
        }
    }

    /// Whether the copy with the given name differs from its record.
    func isEdited(_ identifier: String, named name: String, _ catalogue: SharedCatalogue) -> Bool {
        guard let now = moment(url(identifier, name)) else { return false }
        let copy = try? catalogue.perform { try $0.copy(of: identifier, named: name) }
        return copy.map { !now.isSame(as: $0.moment) } ?? false
    }

    // MARK: Providing a copy

    /// Ensures that the copy exists at `url`.
    func provide(_ identifier: String, at url: URL, from catalogue: SharedCatalogue) throws {
        if try staysWhereItIs(identifier, url, catalogue) { return }
        if moment(url) == nil, try add(identifier, at: url, from: catalogue) { return }
        let hasHadTurn: Void? = try turn(Self.patience).replace(url) {
            let place = entered(identifier)
            defer { place.leave() }
            // The program that used the copy may have edited it, and another thread may have sent the edit already.
            if try isToStay(identifier, url, catalogue) { return }
            if try edits(of: identifier, catalogue).contains(where: url.path.lastPathName.hasSameBytes(as:)) {
                do {
                    try send(identifier, only: url.path.lastPathName, to: catalogue)
                } catch {
                    // The edit cannot be sent now, so all clients get the copy with the edit.
                    unsent.fail(identifier, FolderError(error))
                    return
                }
                if try isToStay(identifier, url, catalogue) { return }
            }
            try copyOut(identifier, to: url, replacing: true, from: catalogue)
        }
        if hasHadTurn == nil { try noteOlder(identifier, url, catalogue) }
    }

    /// Adds a copy that does not exist yet. This needs no claim: no program uses the copy yet, and a client that waits
    /// for it may have claimed the directory.
    ///
    /// - Returns: `false` if a program has created a file at `url` meanwhile.
    private func add(_ identifier: String, at url: URL, from catalogue: SharedCatalogue) throws -> Bool {
        let place = entered(identifier)
        defer { place.leave() }
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        do throws(FolderError) {
            // If the item was renamed, its unsent edit is in a copy with the former name.
            if unsent.error(of: identifier) != nil, try addEdit(identifier, at: url, catalogue) { return true }
            // The record of an existing file must not be replaced.
            if moment(url) != nil { return false }
            try copyOut(identifier, to: url, replacing: false, from: catalogue)
            return true
        } catch {
            guard case .system(.fileExists) = error else { throw error }
            return false
        }
    }

    private func copyOut(
        _ identifier: String, to url: URL, replacing: Bool, from catalogue: SharedCatalogue
    ) throws(FolderError) {
        let name = url.path.lastPathName
        let item = try catalogue.copyOut(identifier, to: url.path, replacing: replacing) { catalogue, item, moment in
            try catalogue.noteCopy(
                of: identifier, named: name, version: item.contentVersion, moment: moment.bytesBeforeNaming)
        } named: { catalogue, moment in
            try catalogue.noteNamed(of: identifier, named: name, moment)
        }
        note(item, identifier, named: name)
    }

    /// Adds a copy of an unsent edit under another name. The new copy is based on the same version as the edit.
    private func addEdit(
        _ identifier: String, at url: URL, _ catalogue: SharedCatalogue
    ) throws(FolderError) -> Bool {
        do {
            guard let edited = try edits(of: identifier, catalogue).last else { return false }
            let version = try catalogue.perform { try $0.copy(of: identifier, named: edited)?.version ?? [] }
            try catalogue.copyStored(self.url(identifier, edited).path, to: url.path) { catalogue, moment in
                try catalogue.noteCopy(
                    of: identifier, named: url.path.lastPathName, version: version, moment: moment.bytesBeforeNaming)
            } named: { catalogue, moment in
                try catalogue.noteNamed(of: identifier, named: url.path.lastPathName, moment)
            }
            return true
        } catch {
            throw FolderError(error)
        }
    }

    private func staysWhereItIs(_ identifier: String, _ url: URL, _ catalogue: SharedCatalogue) throws -> Bool {
        // Without this, another thread might remove the copy as unneeded after the check and before the copy is
        // recorded as provided.
        let place = entered(identifier)
        defer { place.leave() }
        return try isToStay(identifier, url, catalogue)
    }

    /// Whether the copy must stay, because it has the served file's contents or an unsent edit. If so, the copy counts
    /// as provided. Called in ``entered(_:)``.
    private func isToStay(_ identifier: String, _ url: URL, _ catalogue: SharedCatalogue) throws -> Bool {
        guard let now = moment(url) else { return false }
        // The copy is the only file that contains the unsent edit.
        if unsent.error(of: identifier) != nil { return true }
        let name = url.path.lastPathName
        return try catalogue.perform { catalogue in
            guard let copy = try catalogue.copy(of: identifier, named: name), now.isSame(as: copy.moment) else {
                return false
            }
            let item = try catalogue.item(identifier)
            guard copy.version == item.contentVersion else { return false }
            note(item, identifier, named: name)
            return true
        }
    }

    /// Records an outdated copy that a program continues to use. If another process provided the copy, the copy's
    /// version is not determined. Any version that differs from the served file's suffices.
    private func noteOlder(_ identifier: String, _ url: URL, _ catalogue: SharedCatalogue) throws {
        guard item(identifier, named: url.path.lastPathName) == nil else { return }
        guard try noteOther(identifier, url, catalogue) else { throw FolderError.busy }
    }

    /// Records a copy whose contents differ from the served file's. Until the copy is removed, the system gets the item
    /// with the copy's size and date.
    ///
    /// - Returns: `false` if no copy exists.
    @discardableResult
    func noteOther(_ identifier: String, _ url: URL, _ catalogue: SharedCatalogue) throws -> Bool {
        var item = try catalogue.perform { try $0.item(identifier) }
        guard let now = status(url) else { return false }
        (item.facts.size, item.facts.modified) = (Int64(now.size), now.modificationTime)
        note(item, identifier, named: url.path.lastPathName)
        return true
    }

    // MARK: The end

    /// Removes those copies of an item that no program needs any more.
    ///
    /// - Returns: the item of which the removed copy was made; `nil` if the copy stays.
    func remove(_ identifier: String, named name: String, from catalogue: SharedCatalogue) throws -> CatalogueItem? {
        // The function is also called for a client that has stopped waiting while other clients still use the copies.
        let removed = try turn(Self.patience).evict(place(of: identifier)) { () -> CatalogueItem? in
            let place = entered(identifier)
            defer { place.leave() }
            if unsent.error(of: identifier) == nil { try send(identifier, to: catalogue) }
            let item = item(identifier, named: name)
            return try removeSent(identifier, catalogue) ? item : nil
        }
        return removed ?? nil
    }

    /// Removes the copies of an item. The caller must ensure that no program uses them.
    ///
    /// - Returns: whether all copies were removed. A copy with an unsent edit stays, because the edit exists nowhere
    ///   else.
    private func removeSent(_ identifier: String, _ catalogue: SharedCatalogue) throws -> Bool {
        guard unsent.error(of: identifier) == nil, try edits(of: identifier, catalogue).isEmpty else { return false }
        try removeAll(identifier, catalogue)
        return true
    }

    private func removeAll(_ identifier: String, _ catalogue: SharedCatalogue) throws {
        try? FileManager.default.removeItem(at: place(of: identifier))
        forget(identifier)
        // If a file could not be removed, its version is unknown from now on.
        try catalogue.perform { try $0.forgetCopies(of: identifier) }
    }

    /// Removes the record that this process has provided copies of the item.
    func forget(_ identifier: String) { provided.withLock { $0[identifier] = nil } }

    /// Removes the copies of an item that a user has deleted, including unsent edits. A copy that a program uses stays
    /// until the program has closed it.
    func discard(_ identifier: String, _ catalogue: SharedCatalogue) {
        unsent.forget(identifier)
        forget(identifier)
        _ = try? shortTurn().evict(place(of: identifier)) {
            let place = entered(identifier)
            defer { place.leave() }
            try removeAll(identifier, catalogue)
        }
    }

    /// Finds the copies that killed processes left. The system does not report when these copies are not needed any
    /// more. Edited and unreadable copies count as unsent from now on.
    ///
    /// - Returns: the identifiers of the items with copies that are neither edited nor unreadable.
    func findOthers(_ catalogue: SharedCatalogue) -> [String] {
        guard let folder = try? FileDescriptor.open(storage.path, [.readOnly, .directory]),
            let entries = try? folder.entries()
        else { return [] }
        return entries.filter { (try? folder.status(of: $0.name).kind) == .directory }.map(\.name.description)
            .filter { identifier in
                do {
                    try noteUnknown(identifier, catalogue)
                    if try edits(of: identifier, catalogue).isEmpty { return true }
                    unsent.fail(identifier, FolderError.busy)
                } catch {
                    // An unreadable copy may have an edit.
                    unsent.fail(identifier, FolderError(error))
                }
                return false
            }
    }

    /// Whether an unrecorded file may belong to the item. Most hidden files do not: they belong to the system, or are
    /// the temporary files that an editor creates beside an open file.
    ///
    /// - Parameter itemsName: the item's name; `nil` if the catalogue does not know the item. A hidden file then counts
    ///   if all files are hidden and the system has not created it, because only hidden files can have the item's
    ///   contents.
    private func mayBeOfItem(
        _ name: String, among names: [String], itemsName: String?, in place: StoragePlace
    ) -> Bool {
        guard name.hasPrefix(".") else { return true }
        if let itemsName { return itemsName.hasSameBytes(as: name) }
        return !place.isOfTheSystem(name) && !names.contains { !$0.hasPrefix(".") }
    }

    private func noteUnknown(_ identifier: String, _ catalogue: SharedCatalogue) throws {
        let place = storagePlace(identifier)
        let names = try names(of: identifier)
        if names.isEmpty { return }
        let known = try catalogue.perform { try? $0.lastName(of: identifier) }
        for name in names where mayBeOfItem(name, among: names, itemsName: known, in: place) {
            guard let now = try knownMoment(url(identifier, name)) else { continue }
            try catalogue.perform { catalogue in
                if place.isMarked(name) {
                    try catalogue.noteReplacement(of: identifier, named: name, now)
                } else {
                    try catalogue.noteUnknown(of: identifier, named: name)
                }
            }
            place.unmark(name)
        }
    }

    /// Removes the copies that ``findOthers(_:)`` has found, except those that a program uses or that were provided
    /// again.
    func removeOthers(_ identifiers: [String], _ catalogue: SharedCatalogue) {
        for identifier in identifiers {
            _ = try? shortTurn().evict(place(of: identifier)) {
                let place = entered(identifier)
                defer { place.leave() }
                guard provided.withLock({ $0[identifier] }) == nil else { return }
                _ = try removeSent(identifier, catalogue)
            }
        }
    }
}
