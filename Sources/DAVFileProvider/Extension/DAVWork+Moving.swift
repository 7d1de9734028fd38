import FileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import WebDAVClient

/// Moves items at the server, and restores items from its trash.
extension DAVWork {
    func move(_ known: DAVKnownItem, _ change: Modification) async throws -> DAVKnownItem {
        let parent = try await account.known(
            change.fields.contains(.parentItemIdentifier) ? change.parent : account.identifier(of: known.item.parent))
        let name = change.fields.contains(.filename) ? change.name : known.name
        guard parent.item.number != known.item.parent || !name.utf8.elementsEqual(known.name.utf8) else { return known }
        if parent.item.number != known.item.parent {
            try known.require(.allowsReparenting)
            try parent.require(.allowsWriting)
        }
        let target = try parent.address.appending(name)
        let address = known.isFolder ? target.asDirectory : target
        do {
            return try await account.moves.perform(moving: known.isFolder ? known.address : nil) {
                try await account.catalogue.moving(known.item.number) {
                    let entry = try await write(in: parent.item.number) { writer throws(DAVError) in
                        try await writer.move(known.address, to: address)
                    }
                    return try await noteMoved(known, entry, to: parent)
                }
            }
        } catch let error as DAVError {
            if case .notFound = error { return try await moved(known, to: parent, named: name, address) }
            throw try await collision(error, at: address, in: parent)
        }
    }

    /// Returns an item that is missing at its former address because an earlier attempt moved it. If the server lacks
    /// the item because it was restored from a backup, moves the item in the catalogue only.
    ///
    /// - Throws: an error if the item is not at its destination.
    private func moved(
        _ known: DAVKnownItem, to parent: DAVKnownItem, named name: String, _ address: HTTPAddress
    ) async throws -> DAVKnownItem {
        let entry = try? await account.ask { client throws(DAVError) in try await client.entry(at: address) }
        guard let entry, entry.isDirectory == known.isFolder, entry.version.isSameState(as: known.version) else {
            do {
                // If the item is at another address, the system repeats the change.
                _ = try await refresh(known)
            } catch let error as MissingAfterRestore {
                if entry != nil { throw try await collision(.exists(address.path), at: address, in: parent) }
                return try await moveRetained(error.item, to: parent, named: name)
            }
            _ = try await refresh(parent)
            throw DAVError.changed(known.name)
        }
        return try await noteMoved(known, entry, to: parent)
    }

    private func noteMoved(
        _ known: DAVKnownItem, _ entry: DAVEntry, to parent: DAVKnownItem
    ) async throws -> DAVKnownItem {
        let observed = ObservedItem(entry, account.service)
        await digests.wait(for: known.item.number)
        let item = try await account.catalogue.perform { catalogue in
            let item = try catalogue.noteChanged(known.item, observed, in: parent.item.number)
            // Some servers assign a new version to a moved file. Its bytes are the same, and so is their digest.
            if let digest = try catalogue.digest(of: item.number, version: known.item.contentVersion) {
                try catalogue.note(digest: digest, of: item.number, version: item.contentVersion)
            }
            return item
        }
        guard let moved = try await account.known(item.number) else { throw CocoaError(.fileReadUnknown) }
        return moved
    }

    func trash(_ known: DAVKnownItem) async throws -> Changed {
        try await requireRemovable(known)
        var known = known
        do {
            known = try await present(known)
        } catch is MissingAfterRestore {
            // The server's trash cannot contain the item.
            let item = known.item
            try await account.catalogue.perform { try $0.remove(item) }
            throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: known.identifier)
        }
        let removed = known.item
        let item = try await account.service.trash(known, of: account)
        try await account.catalogue.perform { try $0.remove(removed, isTold: false) }
        return Changed(item: item)
    }

    /// Moves an item out of the trash.
    func restore(_ change: Modification) async throws -> Changed {
        guard change.fields.contains(.parentItemIdentifier), change.parent != .trashContainer else {
            throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: change.identifier)
        }
        let parent = try await account.known(change.parent)
        let address = try await account.service.restore(
            change.identifier, named: change.name, to: parent.address, of: account)
        let round = try await account.catalogue.perform { try $0.beginRound() }
        let entry = try await account.ask { client throws(DAVError) in try await client.entry(at: address) }
        guard let restored = try await note(entry, in: parent.item.number, round: round) else {
            throw CocoaError(.fileReadUnknown)
        }
        return Changed(
            item: try await tell(restored.item),
            pending: change.fields.subtracting([.filename, .parentItemIdentifier]))
    }
}
