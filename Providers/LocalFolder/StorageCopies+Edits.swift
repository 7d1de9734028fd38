import FileProvider
import Foundation
import LinuxSystem

/// Edits go to the folder.
extension StorageCopies {
    /// Takes note of an edit that was told, which ``send(_:only:to:)`` puts into the folder. Until that is done it counts as not being
    /// there.
    func begin(_ identifier: String, named name: String, _ catalogue: SharedCatalogue) throws(FolderFailure) {
        // What the system puts there replaces what the item has: it has asked for that.
        let isOfLatest = storagePlace(identifier).isMarked(name)
        try catalogue.perform { catalogue in
            try catalogue.noteEdit(of: identifier, named: name, isOfLatest: isOfLatest)
            unsent.noted(identifier, name)
        }
        FolderStep.editNoted.reach()
    }

    /// The item as it is with an edit that the folder has not taken.
    func edited(_ item: CatalogueItem, _ identifier: String, _ catalogue: SharedCatalogue) -> CatalogueItem {
        guard let name = try? edits(of: identifier, catalogue).last, let now = status(url(identifier, name)) else {
            return item
        }
        var item = item
        (item.facts.size, item.facts.modified) = (Int64(now.size), now.modificationTime)
        return item
    }

    /// Puts the edits of an item into the folder, while nobody writes to them.
    ///
    /// - Parameter name: of the only copy whose edit it is to be; others may be written to.
    func send(_ identifier: String, only name: String? = nil, to catalogue: SharedCatalogue) throws {
        try unsent.working(identifier) {
            sending.begin(identifier)
            defer { sending.end(identifier) }
            for told in unsent.told(of: identifier) { try begin(identifier, named: told, catalogue) }
            for edited in try edits(of: identifier, catalogue) where edited == name ?? edited {
                try send(identifier, edited, catalogue)
            }
            // An edit that was told meanwhile is sent by whoever was told.
            try catalogue.perform { catalogue in
                let told = try catalogue.toldEdits(of: identifier)
                if told.allSatisfy({ moment(url(identifier, $0)) == nil }) { unsent.end(identifier) }
            }
        }
    }

    private func send(_ identifier: String, _ name: String, _ catalogue: SharedCatalogue) throws(FolderFailure) {
        let url = url(identifier, name)
        // What is written or told after this is another edit.
        guard let now = moment(url) else { return }
        let known = try catalogue.perform { try $0.copy(of: identifier, named: name) }
        var sent = known ?? StoredCopy(version: [], moment: [])
        do throws(FolderFailure) {
            if sent.version.isEmpty { throw .outdated }
            if now.isDatedAs(sent.moment), try catalogue.hasContents(identifier, of: url.path, in: sent.version) {
                // Its permissions or the like were changed: that is no edit.
                return try note(sent, now, identifier, name, catalogue)
            }
            let item = try catalogue.replace(identifier, withContentsOf: url.path, over: sent.version)
            sent.version = item.contentVersion
            update(item, identifier, named: name)
        } catch {
            switch error {
            // Both stay, and what was edited here becomes a new file. So does what was removed from the folder meanwhile.
            case .outdated, .noSuchItem: sent.version = try sendBeside(identifier, url, catalogue) ?? sent.version
            default: throw error
            }
        }
        FolderStep.editTaken.reach()
        try note(sent, now, identifier, name, catalogue)
    }

    /// The folder has what a copy has now.
    private func note(
        _ sent: StoredCopy, _ now: FileMoment, _ identifier: String, _ name: String, _ catalogue: SharedCatalogue
    ) throws(FolderFailure) {
        var sent = sent
        sent.moment = now.bytes
        let done = sent
        try catalogue.perform { try $0.noteSent(of: identifier, named: name, done) }
    }

    /// Puts an edit into the folder as a file of its own, where the item has not the same bytes: whoever was killed may have put them
    /// there.
    ///
    /// - Returns: the version that the edit is then; `nil` where the item has another.
    private func sendBeside(
        _ identifier: String, _ url: URL, _ catalogue: SharedCatalogue
    ) throws(FolderFailure) -> [UInt8]? {
        do throws(FolderFailure) {
            if try catalogue.hasContents(identifier, of: url.path) {
                let item = try catalogue.perform { try $0.item(identifier) }
                update(item, identifier, named: url.path.lastPathName)
                return item.contentVersion
            }
            try addBeside(identifier, url, catalogue)
            do { try noteOther(identifier, url, catalogue) } catch { throw FolderFailure(error) }
        } catch {
            guard case .noSuchItem = error else { throw error }
            forget(identifier)
            try addBeside(identifier, url, catalogue)
        }
        return nil
    }

    /// Adds an edit, with the item's name where that is free.
    private func addBeside(
        _ identifier: String, _ url: URL, _ catalogue: SharedCatalogue
    ) throws(FolderFailure) {
        let (name, parents) = try catalogue.perform { catalogue in
            // A catalogue that was made anew knows the root.
            (try? catalogue.lastPlace(of: identifier))
                ?? (url.path.lastPathName, [catalogue.identifier(of: CatalogueItem.root)])
        }
        let now = Date().timeIntervalSince1970
        for parent in parents {
            do throws(FolderFailure) {
                return try catalogue.copyIn(url.path, into: parent, isOnce: true) { number in
                    number == 1 ? name : ConflictName.conflictedCopy(of: name, at: now, number: number - 1)
                }
            } catch {
                // The folder is gone too.
                guard case .noSuchItem = error else { throw error }
            }
        }
        throw .noSuchItem
    }

    /// Tries once more to put edits into the folder, unless a program uses the files. What is being sent needs no other attempt: whoever
    /// asks would wait for all of it.
    ///
    /// - Returns: whether anything was tried.
    func sendAgain(_ identifier: String, to catalogue: SharedCatalogue) throws -> Bool {
        if unsent.isWorking(identifier) { return false }
        for told in unsent.told(of: identifier) { try begin(identifier, named: told, catalogue) }
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
