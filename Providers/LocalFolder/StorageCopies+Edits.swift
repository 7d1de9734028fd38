import FileProvider
import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem

/// Sends edits to the served directory.
extension StorageCopies {
    /// Records an edit that the system reported. The edit counts as unsent until ``send(_:only:to:)`` has written it to
    /// the served directory.
    func begin(_ identifier: String, named name: String, _ catalogue: SharedCatalogue) throws(FolderError) {
        // A file that the system itself puts into the storage is meant to replace the item's current version.
        let isOfLatest = storagePlace(identifier).isMarked(name)
        try catalogue.perform { catalogue in
            try catalogue.noteEdit(of: identifier, named: name, isOfLatest: isOfLatest)
            unsent.noted(identifier, name)
        }
        FolderStep.editNoted.reach()
    }

    /// Returns the given item with the size and date of its unsent edit, or unchanged if it has no unsent edit.
    func edited(_ item: CatalogueItem, _ identifier: String, _ catalogue: SharedCatalogue) -> CatalogueItem {
        guard let name = try? edits(of: identifier, catalogue).last, let now = status(url(identifier, name)) else {
            return item
        }
        var item = item
        (item.facts.size, item.facts.modified) = (Int64(now.size), now.modificationTime)
        return item
    }

    /// Writes the edits of an item to the served directory. The caller must ensure that no program writes to the copies
    /// that are sent.
    ///
    /// - Parameter name: the name of the copy to send; `nil` for all copies.
    func send(_ identifier: String, only name: String? = nil, to catalogue: SharedCatalogue) throws {
        try unsent.working(identifier) {
            sending.begin(identifier)
            defer { sending.end(identifier) }
            for told in unsent.told(of: identifier).strings { try begin(identifier, named: told, catalogue) }
            for edited in try edits(of: identifier, catalogue)
            where name?.hasSameBytes(as: edited) ?? true {
                try send(identifier, edited, catalogue)
            }
            // If an edit was reported meanwhile, the thread that received the report sends it.
            try catalogue.perform { catalogue in
                let told = try catalogue.toldEdits(of: identifier)
                if told.allSatisfy({ moment(url(identifier, $0)) == nil }) { unsent.end(identifier) }
            }
        }
    }

    private func send(_ identifier: String, _ name: String, _ catalogue: SharedCatalogue) throws(FolderError) {
        let url = url(identifier, name)
        // A write or report after this point counts as another edit.
        guard let now = moment(url) else { return }
        let known = try catalogue.perform { try $0.copy(of: identifier, named: name) }
        var sent = known ?? StoredCopy(version: [], moment: [])
        do throws(FolderError) {
            if sent.version.isEmpty { throw .outdated }
            if now.isDatedAs(sent.moment), try catalogue.hasContents(identifier, of: url.path, in: sent.version) {
                // Only permissions, names or dates were changed, which is no edit.
                return try note(sent, now, identifier, name, catalogue)
            }
            let item = try catalogue.replace(identifier, withContentsOf: url.path, over: sent.version)
            sent.version = item.contentVersion
            update(item, identifier, named: name)
        } catch {
            switch error {
            // Both versions are kept, and the edit becomes a new file. This is a conflict, or an edit of an item that
            // was removed meanwhile.
            case .outdated, .noSuchItem: sent.version = try sendBeside(identifier, url, catalogue) ?? sent.version
            default: throw error
            }
        }
        FolderStep.editTaken.reach()
        try note(sent, now, identifier, name, catalogue)
    }

    /// Records that the served file has the current contents of a copy.
    private func note(
        _ sent: StoredCopy, _ now: FileMoment, _ identifier: String, _ name: String, _ catalogue: SharedCatalogue
    ) throws(FolderError) {
        var sent = sent
        sent.moment = now.bytes
        let done = sent
        try catalogue.perform { try $0.noteSent(of: identifier, named: name, done) }
    }

    /// Writes an edit to the served directory as a separate file. Does nothing if the item has the same bytes already,
    /// for example because a process was killed after writing them.
    ///
    /// - Returns: the item's version if the item already has these bytes; `nil` if the edit became a separate file.
    private func sendBeside(
        _ identifier: String, _ url: URL, _ catalogue: SharedCatalogue
    ) throws(FolderError) -> [UInt8]? {
        do throws(FolderError) {
            if try catalogue.hasContents(identifier, of: url.path) {
                let item = try catalogue.perform { try $0.item(identifier) }
                update(item, identifier, named: url.path.lastPathName)
                return item.contentVersion
            }
            try addBeside(identifier, url, catalogue)
            do { try noteOther(identifier, url, catalogue) } catch { throw FolderError(error) }
        } catch {
            guard case .noSuchItem = error else { throw error }
            forget(identifier)
            try addBeside(identifier, url, catalogue)
        }
        return nil
    }

    /// Adds an edit as a new file, with the item's name if that name is unused.
    private func addBeside(
        _ identifier: String, _ url: URL, _ catalogue: SharedCatalogue
    ) throws(FolderError) {
        let (name, parents) = try catalogue.perform { catalogue in
            // A catalogue that was created again does not know the item, but has a root.
            (try? catalogue.lastPlace(of: identifier))
                ?? (url.path.lastPathName, [catalogue.identifier(of: CatalogueItem.root)])
        }
        let now = Date().timeIntervalSince1970
        for parent in parents {
            do throws(FolderError) {
                return try catalogue.copyIn(url.path, into: parent, isOnce: true) { number in
                    number == 1 ? name : ConflictName.conflictedCopy(of: name, at: now, number: number - 1)
                }
            } catch {
                // The item's last directory does not exist any more, so the file is added to the root.
                guard case .noSuchItem = error else { throw error }
            }
        }
        throw .noSuchItem
    }

    /// Retries edits, unless a program uses the files. Skips an item whose edit is being sent, because the caller would
    /// wait for the whole transfer.
    ///
    /// - Returns: whether an edit was tried.
    func sendAgain(_ identifier: String, to catalogue: SharedCatalogue) throws -> Bool {
        if unsent.isWorking(identifier) { return false }
        for told in unsent.told(of: identifier).strings { try begin(identifier, named: told, catalogue) }
        let names = try edits(of: identifier, catalogue)
        if names.isEmpty { try send(identifier, to: catalogue) }
        var isTried = names.isEmpty
        for name in names {
            let hasHadTurn: Void? = try shortTurn().read(url(identifier, name)) {
                try send(identifier, only: name, to: catalogue)
            }
            if hasHadTurn != nil { isTried = true }
        }
        return isTried
    }
}
