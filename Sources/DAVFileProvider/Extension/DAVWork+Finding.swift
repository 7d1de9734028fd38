import FileProvider
import HTTPTransport
import WebDAVClient

/// Records items that a service found in any folder, such as by a search.
extension DAVWork {
    /// Records an entry of any folder. Also records the folders on the entry's path that were never listed.
    ///
    /// - Returns: `nil` if the entry is outside the domain, or is hidden.
    package func record(_ entry: DAVEntry) async throws -> DAVKnownItem? {
        let round = try await account.catalogue.perform { try $0.beginRound() }
        guard let parent = try await folder(of: entry.address, round: round),
            try await !account.hides(entry, in: parent)
        else { return nil }
        return try await note(entry, in: parent, round: round)
    }

    /// Returns the number of the folder that contains the item at the given address. Records the unknown folders on the
    /// item's path.
    func folder(of address: HTTPAddress, round: Int64) async throws -> Int64? {
        if let place = try await account.place(of: address) { return place.parent }
        guard address.origin == account.root.origin, address.path.hasPrefix(account.root.path) else { return nil }
        let names = address.path.dropFirst(account.root.path.utf8.count).split(separator: "/").dropLast()
        var (parent, place) = (CataloguedItem.root, account.root)
        for name in names.map({ String($0).percentDecoded ?? String($0) }) {
            place = try place.appending(name).asDirectory
            let number = parent
            let known = try await account.catalogue.perform { try $0.child(of: number, named: name) }
            if let known, known.isFolder {
                parent = known.number
                continue
            }
            let address = place
            let entry = try await account.ask { client throws(DAVError) in try await client.entry(at: address) }
            guard entry.isDirectory, try await !account.hides(entry, in: parent),
                let folder = try await note(entry, in: parent, round: round)
            else { return nil }
            parent = folder.item.number
        }
        return parent
    }
}
