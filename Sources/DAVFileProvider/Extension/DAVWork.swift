import FileProvider
import Foundation
import HTTPTransport
import WebDAVClient

/// Performs the requests of a running extension for its domain: listings, transfers and changes. ``DAVExtension``
/// passes the system's calls to this object.
package final class DAVWork: Sendable {
    package let account: DAVAccount
    let listings: FolderListings
    package let watch: ChangeWatch
    /// The directory for files that are passed to the system, which removes them.
    let temporary: URL
    /// Whether small contents are passed to the system in memory.
    let handsOverMemory: Bool
    let partTags = PartTags()
    let digests = PendingDigests()

    /// Creates the object that performs a domain's requests.
    ///
    /// - Parameters:
    ///   - handsOverMemory: whether small contents are passed to the system in memory.
    ///   - signal: reports to the system that the working set has changed.
    package init(
        _ account: DAVAccount, temporary: URL, handsOverMemory: Bool = false, signal: @escaping @Sendable () -> Void
    ) {
        self.handsOverMemory = handsOverMemory
        self.account = account
        self.temporary = temporary
        listings = FolderListings(account, temporary: temporary)
        watch = ChangeWatch(account, temporary: temporary, signal: signal)
    }

    // MARK: Changes

    func anchor(_ change: Int64) -> NSFileProviderSyncAnchor {
        NSFileProviderSyncAnchor(Data("\(account.catalogue.stamp).\(change)".utf8))
    }

    /// Returns the changes since a sync anchor. For a folder, checks the server first. For the working set, returns the
    /// changes that were found so far, and starts a search for further changes.
    func changes(
        since anchor: NSFileProviderSyncAnchor, in folder: NSFileProviderItemIdentifier?, limit: Int
    ) async throws -> FoundChanges {
        let parts = String(decoding: anchor.rawValue, as: UTF8.self).split(separator: ".")
        guard parts.count == 2, parts[0] == account.catalogue.stamp, let change = Int64(parts[1]) else {
            throw NSFileProviderError(.syncAnchorExpired)
        }
        var number: Int64?
        if let folder {
            let known = try await account.known(folder)
            number = known.item.number
            try await watch.check(known)
        } else {
            watch.wasAsked()
        }
        let wanted = number
        let found = try await account.catalogue.perform { try $0.changes(since: change, in: wanted, limit: limit) }
        guard let found else { throw NSFileProviderError(.syncAnchorExpired) }
        return found
    }

    // MARK: Items

    /// Lists a folder, and returns its first page.
    func list(_ folder: NSFileProviderItemIdentifier, size: Int) async throws -> FolderListings.Page {
        let known = try await account.known(folder)
        do {
            return try await listings.begin(known, size: size)
        } catch DAVError.notFound {
            do {
                return try await listings.begin(try await refresh(known), size: size)
            } catch let error as MissingAfterRestore {
                return try await listings.beginRetained(error.item, size: size)
            }
        }
    }

    /// Requests an item from the server and returns its current state. If the server lacks the item because it was
    /// restored from a backup, returns the recorded state: after an error, the system would block the changes of the
    /// item. A change of contents can still be sent, as a new file.
    ///
    /// - Throws: `noSuchItem` if the item no longer exists at the server.
    func current(_ identifier: NSFileProviderItemIdentifier) async throws -> DAVItem {
        do {
            return account.object(try await refresh(try await account.known(identifier)).item)
        } catch let error as MissingAfterRestore {
            return account.object(error.item)
        }
    }

    /// Requests an item from the server, and records the reply.
    ///
    /// - Throws: ``MissingAfterRestore`` if the server lacks the item because it was restored from a backup.
    func refresh(_ known: DAVKnownItem) async throws -> DAVKnownItem {
        let round = try await account.catalogue.perform { try $0.beginRound() }
        let entry: DAVEntry
        do {
            entry = try await account.ask { client throws(DAVError) in try await client.entry(at: known.address) }
        } catch DAVError.notFound {
            await account.moves.wait()
            if let now = try await account.known(known.item.number), now.address != known.address {
                return try await refresh(now)
            }
            let place = ExchangePlace(folder: known.item.parent, name: known.name)
            if try await account.clearExchange(place, temporary: temporary) { return try await refresh(known) }
            return try await found(known, round: round)
        }
        return try await note(entry, as: known, round: round)
    }

    /// Searches for an item that is missing at its address. If the item was removed, removes it from the catalogue and
    /// throws an error.
    private func found(_ known: DAVKnownItem, round: Int64) async throws -> DAVKnownItem {
        try await account.checkMark(round: round)
        if let moved = try await moved(known, round: round) { return moved }
        try await requireNotKept(known)
        let isGone = try await account.catalogue.perform { catalogue in
            guard let item = try catalogue.item(known.item.number), item.round < round else { return false }
            try catalogue.remove(item)
            try catalogue.noteUncertain(of: item.name, in: item.parent)
            return true
        }
        if isGone { watch.signalSoon() }
        throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: known.identifier)
    }

    /// Requests the address of a moved item from the service, by the item's identity. Returns the item at its new
    /// place; `nil` if the service did not find it.
    private func moved(_ known: DAVKnownItem, round: Int64) async throws -> DAVKnownItem? {
        guard let identity = known.traits.identity else { return nil }
        let found = try await account.ask { [account] client throws(DAVError) -> DAVEntry? in
            guard let address = try await account.service.find(identity: identity, root: account.root, with: client)
            else { return nil }
            return try await client.entry(at: address)
        }
        guard let found, let parent = try await folder(of: found.address, round: round) else { return nil }
        // After the server was restored from a backup, another item may have the identity.
        let noted = try await note(found, in: parent, round: round)
        return noted?.item.number == known.item.number ? noted : nil
    }

    /// Records the state of an item.
    func note(_ entry: DAVEntry, as known: DAVKnownItem, round: Int64) async throws -> DAVKnownItem {
        let parent = known.item.parent
        guard known.item.number != CataloguedItem.root else {
            let observed = ObservedItem(entry, account.service)
            let item = try await account.catalogue.perform {
                try $0.update(known.item, observed, in: parent, round: round)
            }
            return DAVKnownItem(item: item, identifier: known.identifier, address: known.address)
        }
        guard let noted = try await note(entry, in: parent, round: round), noted.item.number == known.item.number else {
            // Another item has this name now, such as a folder instead of a file.
            try await requireNotKept(known)
            throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: known.identifier)
        }
        return noted
    }

    /// Records the state of an entry of a folder.
    func note(_ entry: DAVEntry, in parent: Int64, round: Int64) async throws -> DAVKnownItem? {
        if let folder = try await account.known(parent) { account.service.recall(folder) }
        let observed = ObservedItem(entry, account.service)
        try await account.keepNewerContents(than: [observed], in: parent, round: round)
        let item = try await account.catalogue.perform { try $0.note(observed, in: parent, round: round).item }
        return try await account.known(item.number)
    }

    /// Records that the system is about to receive an item in its current version.
    func tell(_ item: CataloguedItem) async throws -> DAVItem {
        try await account.catalogue.perform { try $0.note(told: [item]) }
        return account.object(item)
    }
}

extension DAVAccount {
    /// Returns the number of the folder that contains the item at the given address, and the item's name. Returns `nil`
    /// if the folder is not in the catalogue.
    func place(of address: HTTPAddress) async throws -> (parent: Int64, name: String)? {
        guard address.origin == root.origin, address.path.hasPrefix(root.path) else { return nil }
        var names = address.path.dropFirst(root.path.count).split(separator: "/").map {
            String($0).percentDecoded ?? String($0)
        }
        guard let name = names.popLast() else { return nil }
        let folders = names
        return try await catalogue.perform { catalogue in
            var parent = CataloguedItem.root
            for folder in folders {
                guard let item = try catalogue.child(of: parent, named: folder), item.isFolder else { return nil }
                parent = item.number
            }
            return (parent, name)
        }
    }
}
