import FileProvider
import Foundation
import LinuxSystem

/// The copies of files in the document storage, where programs use them.
///
/// A program may have one open for as long as it likes, and write to it. So a copy that is there is left alone as long as it is of the
/// folder's version, and is replaced or removed only when no program uses it.
///
/// An item has a folder for its copies: one for each name that it had while they were asked for. What each is of, and how it was when
/// the folder had the same, is in the catalogue (``StoredCopy``). A copy that is not like that any more has an edit that the folder does
/// not have; whichever process looks, and whether anybody has told of the edit or not.
final class StorageCopies: Sendable {
    private let storage: URL
    let unsent = UnsentEdits()
    /// Edits of one file are put into the folder one after the other, or an older one might come last.
    let sending = ItemTurns()
    /// What this process has put to its place, by the item's identifier and the copy's name. Innermost.
    private let provided = Lock<[String: [String: CatalogueItem]]>([:])

    /// How long a program is waited for that uses a copy which is older than the folder's file, or of no use any more. Whoever waits
    /// for the file gets it as it is then.
    private static let patience = StorageTurn.patience(usually: .seconds(2))
    /// The same where everything else waits meanwhile.
    private static let shortPatience = Duration.milliseconds(250)

    init(storage: URL) { self.storage = storage }

    private func turn(_ patience: Duration) -> StorageTurn {
        StorageTurn(purpose: NSFileProviderManager.backend.providerIdentifier, patience: patience)
    }

    func shortTurn() -> StorageTurn { turn(Self.shortPatience) }

    // MARK: What is there

    /// The folder of an item's copies.
    private func place(of identifier: String) -> URL { storage.appendingPathComponent(identifier, isDirectory: true) }

    func url(_ identifier: String, _ name: String) -> URL {
        place(of: identifier).appendingPathComponent(name, isDirectory: false)
    }

    /// Waits until nobody else in this process changes what is at an item's places. Ends with `leave()`.
    private func entered(_ identifier: String) -> StoragePlace {
        let place = storagePlace(identifier)
        place.enter()
        return place
    }

    func storagePlace(_ identifier: String) -> StoragePlace {
        StoragePlace(of: url(identifier, "any"), for: identifier)
    }

    /// What this process has put to a place.
    func item(_ identifier: String, named name: String) -> CatalogueItem? {
        provided.withLock { $0[identifier]?[name] }
    }

    /// The folder has an edit of a copy: what it is of is another version now.
    func update(_ item: CatalogueItem, _ identifier: String, named name: String) {
        provided.withLock { if $0[identifier]?[name] != nil { $0[identifier]?[name] = item } }
    }

    private func note(_ item: CatalogueItem, _ identifier: String, named name: String) {
        provided.withLock { $0[identifier, default: [:]][name] = item }
    }

    /// A regular file as it is now.
    func moment(_ url: URL) -> FileMoment? { status(url).map { FileMoment($0) } }

    func status(_ url: URL) -> FileStatus? { (try? knownStatus(url)) ?? nil }

    /// The same, where what cannot be read is not taken for nothing.
    private func knownMoment(_ url: URL) throws(Errno) -> FileMoment? { try knownStatus(url).map { FileMoment($0) } }

    private func knownStatus(_ url: URL) throws(Errno) -> FileStatus? {
        do throws(Errno) {
            let status = try FileStatus.of(url.path, followingLinks: false)
            return status.kind == .regular ? status : nil
        } catch .noSuchFile {
            return nil
        }
    }

    /// The names of what is at an item's places.
    private func names(of identifier: String) throws(Errno) -> [String] {
        do throws(Errno) {
            let folder = try FileDescriptor.open(place(of: identifier).path, [.readOnly, .directory])
            return try folder.entries().map(\.name.description).sorted()
        } catch .noSuchFile {
            return []
        }
    }

    /// The names of an item's copies that have an edit. A file of which nothing is known is none: the mount or a program has just put it
    /// there, and tells of it. Of an item that is not known any more, as in a catalogue that was made anew, everything is an edit.
    func edits(of identifier: String, _ catalogue: SharedCatalogue) throws -> [String] {
        let names = try names(of: identifier)
        if names.isEmpty { return [] }
        return try catalogue.perform { catalogue in
            let known = try? catalogue.lastName(of: identifier)
            return try names.filter { name in
                guard let now = try knownMoment(url(identifier, name)) else { return false }
                let copy = try catalogue.copy(of: identifier, named: name)
                return copy.map { !now.isSame(as: $0.moment) }
                    ?? (known == nil && Self.mayBeOfItem(name, among: names, itemsName: known))
            }
        }
    }

    /// Whether the copy of a name is not as it was put there.
    func isEdited(_ identifier: String, named name: String, _ catalogue: SharedCatalogue) -> Bool {
        guard let now = moment(url(identifier, name)) else { return false }
        let copy = try? catalogue.perform { try $0.copy(of: identifier, named: name) }
        return copy.map { !now.isSame(as: $0.moment) } ?? false
    }

    // MARK: The folder's file comes to its place

    /// Has a copy be at its place.
    func provide(_ identifier: String, at url: URL, from catalogue: SharedCatalogue) throws {
        if try staysWhereItIs(identifier, url, catalogue) { return }
        if moment(url) == nil, try add(identifier, at: url, from: catalogue) { return }
        let hasHadTurn: Void? = try turn(Self.patience).replace(url) {
            let place = entered(identifier)
            defer { place.leave() }
            // Whoever had it may have changed it, and the folder may have taken that.
            if try isToStay(identifier, url, catalogue) { return }
            if try edits(of: identifier, catalogue).contains(url.path.lastPathName) {
                do {
                    try send(identifier, only: url.path.lastPathName, to: catalogue)
                } catch {
                    // What is here is what everybody gets.
                    unsent.fail(identifier, FolderFailure(error))
                    return
                }
                if try isToStay(identifier, url, catalogue) { return }
            }
            try copyOut(identifier, to: url, replacing: true, from: catalogue)
        }
        if hasHadTurn == nil { try noteOlder(identifier, url, catalogue) }
    }

    /// Puts a copy to its place where there is none. That is in nobody's way, so it takes no turn: whoever waits for it may have
    /// claimed the folder that it is in.
    ///
    /// - Returns: `false` where a program has put a file there meanwhile.
    private func add(_ identifier: String, at url: URL, from catalogue: SharedCatalogue) throws -> Bool {
        let place = entered(identifier)
        defer { place.leave() }
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        do throws(FolderFailure) {
            // What the folder has not taken is under another name where the item was renamed.
            if unsent.error(of: identifier) != nil, try addEdit(identifier, at: url, catalogue) { return true }
            // What is known of that is not to be forgotten.
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
    ) throws(FolderFailure) {
        let name = url.path.lastPathName
        let item = try catalogue.copyOut(identifier, to: url.path, replacing: replacing) { catalogue, item, moment in
            try catalogue.noteCopy(
                of: identifier, named: name, version: item.contentVersion, moment: moment.bytesBeforeNaming)
        } named: { catalogue, moment in
            try catalogue.noteNamed(of: identifier, named: name, moment)
        }
        note(item, identifier, named: name)
    }

    /// Puts a copy of an unsent edit to a place. It begins with what the edit began with.
    private func addEdit(
        _ identifier: String, at url: URL, _ catalogue: SharedCatalogue
    ) throws(FolderFailure) -> Bool {
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
            throw FolderFailure(error)
        }
    }

    private func staysWhereItIs(_ identifier: String, _ url: URL, _ catalogue: SharedCatalogue) throws -> Bool {
        // Or it would be removed in between, as one that nobody has asked for.
        let place = entered(identifier)
        defer { place.leave() }
        return try isToStay(identifier, url, catalogue)
    }

    /// Whether what is there is what the folder has, or more. It counts as provided then. In ``entered(_:)``.
    private func isToStay(_ identifier: String, _ url: URL, _ catalogue: SharedCatalogue) throws -> Bool {
        guard let now = moment(url) else { return false }
        // What the folder has not taken is nowhere else.
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

    /// A program goes on using what is there. Of which version it is that another process has put there is not asked: of none that the
    /// folder has now.
    private func noteOlder(_ identifier: String, _ url: URL, _ catalogue: SharedCatalogue) throws {
        guard item(identifier, named: url.path.lastPathName) == nil else { return }
        guard try noteOther(identifier, url, catalogue) else { throw FolderFailure.busy }
    }

    /// What is there has contents that the folder's file does not have: until it is gone, the item is what is there.
    ///
    /// - Returns: `false` where nothing is there.
    @discardableResult
    func noteOther(_ identifier: String, _ url: URL, _ catalogue: SharedCatalogue) throws -> Bool {
        var item = try catalogue.perform { try $0.item(identifier) }
        guard let now = status(url) else { return false }
        (item.facts.size, item.facts.modified) = (Int64(now.size), now.modificationTime)
        note(item, identifier, named: url.path.lastPathName)
        return true
    }

    // MARK: The end

    /// Removes the copies of an item that nobody needs any more.
    ///
    /// - Returns: what the one with a name was a copy of.
    func remove(_ identifier: String, named name: String, from catalogue: SharedCatalogue) throws -> CatalogueItem? {
        // It is also told for whoever has given up to wait, while others go on.
        let removed = try turn(Self.patience).evict(place(of: identifier)) { () -> CatalogueItem? in
            let place = entered(identifier)
            defer { place.leave() }
            if unsent.error(of: identifier) == nil { try send(identifier, to: catalogue) }
            let item = item(identifier, named: name)
            return try removeSent(identifier, catalogue) ? item : nil
        }
        return removed ?? nil
    }

    /// Removes the copies of an item. Nobody uses them.
    ///
    /// - Returns: whether they are gone. An edit that is not in the folder is nowhere else.
    private func removeSent(_ identifier: String, _ catalogue: SharedCatalogue) throws -> Bool {
        guard unsent.error(of: identifier) == nil, try edits(of: identifier, catalogue).isEmpty else { return false }
        try removeAll(identifier, catalogue)
        return true
    }

    private func removeAll(_ identifier: String, _ catalogue: SharedCatalogue) throws {
        try? FileManager.default.removeItem(at: place(of: identifier))
        forget(identifier)
        // What is still there is of no version.
        try catalogue.perform { try $0.forgetCopies(of: identifier) }
    }

    /// What there was a copy of is gone.
    func forget(_ identifier: String) { provided.withLock { $0[identifier] = nil } }

    /// Removes the copies of an item that a person has deleted, with an edit that the folder has not taken. Those that a program uses
    /// stay until it is done.
    func discard(_ identifier: String, _ catalogue: SharedCatalogue) {
        unsent.forget(identifier)
        forget(identifier)
        _ = try? shortTurn().evict(place(of: identifier)) {
            let place = entered(identifier)
            defer { place.leave() }
            try removeAll(identifier, catalogue)
        }
    }

    /// Finds the copies that a process had which was killed, or was not needed: nobody will say of them that they are not needed any
    /// more. Those that have an edit count as unsent from now on, and so does what nobody knows.
    ///
    /// - Returns: the items of the others.
    func findOthers(_ catalogue: SharedCatalogue) -> [String] {
        guard let folder = try? FileDescriptor.open(storage.path, [.readOnly, .directory]),
            let entries = try? folder.entries()
        else { return [] }
        return entries.filter { (try? folder.status(of: $0.name).kind) == .directory }.map(\.name.description)
            .filter { identifier in
                do {
                    try noteUnknown(identifier, catalogue)
                    if try edits(of: identifier, catalogue).isEmpty { return true }
                    unsent.fail(identifier, FolderFailure.busy)
                } catch {
                    // What cannot be read is not known to have none.
                    unsent.fail(identifier, FolderFailure(error))
                }
                return false
            }
    }

    /// Whether a file of which nothing is known may be the item's. Hidden ones mostly are not: what the system puts there, and what
    /// editors keep beside the file that they have open.
    private static func mayBeOfItem(_ name: String, among names: [String], itemsName: String?) -> Bool {
        guard name.hasPrefix(".") else { return true }
        // A user's file may be called like one of the system's.
        if let itemsName, itemsName.hasSameBytes(as: name) { return true }
        if StoragePlace.isOfTheSystem(name) { return false }
        return itemsName == nil && !names.contains { !$0.hasPrefix(".") }
    }

    private func noteUnknown(_ identifier: String, _ catalogue: SharedCatalogue) throws {
        let place = storagePlace(identifier)
        let names = try names(of: identifier)
        if names.isEmpty { return }
        let known = try catalogue.perform { try? $0.lastName(of: identifier) }
        for name in names where Self.mayBeOfItem(name, among: names, itemsName: known) {
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

    /// Removes what was found, but for what is used, or has been provided again.
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
