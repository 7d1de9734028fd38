import FileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import WebDAVClient

/// Changes of items that the server lacks because it was restored from a backup. The items that the user has changed
/// since are sent again, in the same place. The others stay on this machine.
extension DAVWork {
    /// Sends a file with its new contents as a new one, in place of the one that the server lacks. The item stays the
    /// same for the system.
    ///
    /// - Throws: `changed` if the server has another item of this name. The system asks again, after the file got
    ///   another name.
    func sendLost(_ change: Modification, _ url: URL, _ progress: Progress) async throws -> Changed {
        var known = try await account.known(change.identifier)
        guard let parent = try await account.known(known.item.parent) else { throw DAVError.changed(known.name) }
        _ = try await makeAgain(parent)
        let modified = change.modified.map { HTTPDate(seconds: Int64($0.timeIntervalSince1970.rounded(.down))) }
        let outgoing = try await Blocking.run {
            try OutgoingFile(url, modified: modified, for: change.identifier.rawValue)
        }
        progress.totalUnitCount = Int64(outgoing.count) + 1
        let address = known.address
        let entry: DAVEntry
        do {
            // An earlier attempt may have left an empty file.
            entry = try await write(in: parent.item.number, progress) { writer throws(DAVError) in
                try await writer.create(address, outgoing, isRepeated: true)
            }
        } catch DAVError.exists {
            _ = try await collision(.exists(address.path), at: address, in: parent)
            throw DAVError.changed(known.name)
        }
        known = try await noteAgain(known, entry)
        try await noteContents(outgoing.file, outgoing.count, of: known.item, isRacy: entry.isRacy)
        var sent: NSFileProviderItemFields = [.contents, .contentModificationDate]
        if change.isMove {
            known = try await move(known, change)
            sent.formUnion([.filename, .parentItemIdentifier])
        }
        return Changed(item: try await tell(known.item), pending: change.fields.subtracting(sent))
    }

    /// Runs a function that puts an item into a folder. If the server lacks the folder because it was restored from a
    /// backup, makes it there and runs the function again.
    func withFolder<Reply: Sendable>(
        _ folder: NSFileProviderItemIdentifier, _ body: () async throws -> Reply
    ) async throws -> Reply {
        do {
            return try await body()
        } catch let error as NSFileProviderError where error.code == .cannotSynchronize {
            guard try await makeAgain(try await account.known(folder)) else { throw error }
            return try await body()
        }
    }

    /// Makes a folder that the server lacks, and those above it.
    ///
    /// - Returns: whether the folder was kept after a restore, and exists now.
    private func makeAgain(_ folder: DAVKnownItem) async throws -> Bool {
        guard folder.item.number != CataloguedItem.root,
            try await account.catalogue.perform({ try $0.isKept(folder.item) }),
            let parent = try await account.known(folder.item.parent)
        else { return false }
        _ = try await makeAgain(parent)
        let address = folder.address
        let entry = try await write(in: parent.item.number) { writer throws(DAVError) in
            if let existing = try await writer.entry(at: address) { return existing }
            return try await writer.makeFolder(address, isRepeated: true)
        }
        if entry.isDirectory {
            _ = try await noteAgain(folder, entry)
        } else {
            // The folder gets another name. The system asks again.
            _ = try await collision(.exists(address.path), at: address, in: parent)
            throw DAVError.changed(folder.name)
        }
        return true
    }

    /// Records that the server has an item again. Its identity there is a new one.
    private func noteAgain(_ known: DAVKnownItem, _ entry: DAVEntry) async throws -> DAVKnownItem {
        let observed = ObservedItem(entry, account.service)
        let item = try await account.catalogue.perform { catalogue in
            // Not before the change: a listing that began meanwhile may not have seen it.
            let round = try catalogue.beginRound()
            return try catalogue.update(known.item, observed, in: known.item.parent, round: round)
        }
        guard let noted = try await account.known(item.number) else { throw CocoaError(.fileReadUnknown) }
        return noted
    }
}
