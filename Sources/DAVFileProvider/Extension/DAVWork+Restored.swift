import FileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import WebDAVClient

/// The error of a request for an item that the server lacks because it was restored from a backup. The catalogue
/// retains the item.
struct MissingAfterRestore: Error {
    let item: CataloguedItem

    /// The error that the system receives.
    var fileProviderError: any Error {
        let text = "The server was restored from a backup without “\(item.name)”."
        return NSFileProviderError(.cannotSynchronize, userInfo: [NSLocalizedDescriptionKey: text])
    }
}

/// Handles changes of items that the server lacks because it was restored from a backup. If the user has changed the
/// contents of such a file since, the file is sent to the server again, in the same place. The other items stay on this
/// machine.
extension DAVWork {
    /// Throws ``MissingAfterRestore`` if the catalogue retains an item that the server lacks.
    func requireNotKept(_ known: DAVKnownItem) async throws {
        let kept = try await account.catalogue.perform { try $0.kept(known.item.number) }
        if let kept { throw MissingAfterRestore(item: kept) }
    }

    /// Returns an item that the server is known to have. Requests the item only if the server has not reported it since
    /// it was restored from a backup.
    ///
    /// - Throws: ``MissingAfterRestore`` if the server lacks the item.
    func present(_ known: DAVKnownItem) async throws -> DAVKnownItem {
        let isKept = try await account.catalogue.perform { try $0.isKept(known.item) }
        return isKept ? try await refresh(known) : known
    }

    /// Sends a file that the server lacks with its new contents. The item keeps its identifier.
    ///
    /// - Throws: `changed` if the server has another item of this name. The system then repeats the change, after it
    ///   has learned of the other item.
    func sendLost(_ change: Modification, _ url: URL, _ progress: Progress) async throws -> Changed {
        let known = try await account.known(change.identifier)
        guard let parent = try await account.known(known.item.parent) else { throw DAVError.changed(known.name) }
        _ = try await makeAgain(parent)
        let modified = change.modified.map(HTTPDate.init)
        let outgoing = try await Blocking.run {
            try OutgoingFile(url, modified: modified, for: change.identifier.rawValue)
        }
        progress.totalUnitCount = Int64(outgoing.count) + 1
        // If the reply is lost, the next attempt must not take the file for that of another client.
        try await account.catalogue.perform { try $0.forgetIdentity(of: known.item.number) }
        let address = known.address
        let entry: DAVEntry
        do {
            // An earlier attempt may have left an empty file.
            entry = try await write(in: parent.item.number, uploadingTo: address, progress) { writer throws(DAVError) in
                try await writer.create(address, outgoing, isRepeated: true)
            }
        } catch DAVError.exists {
            _ = try await collision(.exists(address.path), at: address, in: parent)
            throw DAVError.changed(known.name)
        }
        let sent = try await noteAgain(known, entry)
        try await noteContents(outgoing.file, outgoing.count, of: sent.item, isRacy: entry.isRacy)
        // A new name or folder was recorded before, in the catalogue only.
        return Changed(
            item: try await tell(sent.item),
            pending: change.fields.subtracting([
                .contents, .contentModificationDate, .filename, .parentItemIdentifier,
            ]))
    }

    /// Runs a function that puts an item into a folder. If the server lacks the folder because it was restored from a
    /// backup, creates the folder at the server and runs the function again.
    func withFolder<Reply: Sendable>(
        _ folder: NSFileProviderItemIdentifier, _ body: () async throws -> Reply
    ) async throws -> Reply {
        do {
            return try await body()
        } catch let error as MissingAfterRestore {
            let number = error.item.number
            guard number == account.number(of: folder), let known = try await account.known(number),
                try await makeAgain(known)
            else { throw error }
            return try await body()
        }
    }

    /// Creates a folder that the server lacks, and the folders above it that the server lacks.
    ///
    /// - Returns: whether the catalogue retained the folder after a restore, and the server has it now.
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
        guard entry.isDirectory else {
            // Another item at the server has the folder's name. `collision` records that item, which gives the folder
            // another name in the catalogue. The system repeats the change.
            _ = try await collision(.exists(address.path), at: address, in: parent)
            throw DAVError.changed(folder.name)
        }
        _ = try await noteAgain(folder, entry)
        return true
    }

    /// Moves an item that the server lacks, in the catalogue only.
    func moveRetained(
        _ item: CataloguedItem, to parent: DAVKnownItem, named name: String
    ) async throws -> DAVKnownItem {
        do {
            _ = try await refresh(parent)
        } catch is MissingAfterRestore {
            // The server lacks the destination folder, too. The catalogue retains the folder.
        }
        let folder = parent.item.number
        let other = try await account.catalogue.perform { catalogue -> CataloguedItem? in
            let other = try catalogue.child(of: folder, named: name)
            if let other, other.number != item.number { return other }
            return try catalogue.moveRetained(item, to: folder, named: name)
        }
        if let other, other.number != item.number {
            throw NSError.fileProviderErrorForCollision(with: account.object(other))
        }
        guard other != nil, let moved = try await account.known(item.number) else { throw DAVError.changed(item.name) }
        return moved
    }

    /// Records that the server has an item again. The server may have assigned a new identity to the item.
    private func noteAgain(_ known: DAVKnownItem, _ entry: DAVEntry) async throws -> DAVKnownItem {
        let observed = ObservedItem(entry, account.service)
        let item = try await account.catalogue.perform {
            try $0.noteChanged(known.item, observed, in: known.item.parent)
        }
        guard let noted = try await account.known(item.number) else { throw CocoaError(.fileReadUnknown) }
        return noted
    }
}
