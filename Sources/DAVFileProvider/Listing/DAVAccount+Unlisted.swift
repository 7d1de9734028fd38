import HTTPTransport
import WebDAVClient

/// Finds items that a server has but does not list: nginx omits names that begin with a dot.
extension DAVAccount {
    /// The maximum number of concurrent requests for unlisted items.
    private static let mostAtOnce = 4

    /// Requests the items that a complete listing of a folder lacks although the server may have them. Records the
    /// state of each item that exists.
    ///
    /// - Parameter round: the number of the listing.
    /// - Returns: the numbers of the items that the server has, and whether one of them has changed.
    func noteUnlisted(
        in folder: Int64, _ priority: HTTPRequest.Priority = .interactive, round: Int64
    ) async throws -> (numbers: [Int64], isDifferent: Bool) {
        let aside = catalogue.itemsAside
        let hidden = try await catalogue.perform { catalogue in
            try catalogue.unseen(in: folder, round: round).filter { $0.name.hasPrefix(".") }
        }.filter { !aside.contains($0.number) }
        guard !hidden.isEmpty, let known = try await known(folder) else { return ([], false) }
        let found = try await withThrowingTaskGroup(of: Unlisted.self) { group in
            var found: [Unlisted] = []
            for (index, item) in hidden.enumerated() {
                if index >= Self.mostAtOnce, let reply = try await group.next() { found.append(reply) }
                group.addTask { try await self.requestUnlisted(item, in: known, priority) }
            }
            for try await reply in group { found.append(reply) }
            return found
        }
        let observed = found.compactMap { if case .present(let item) = $0 { item } else { nil } }
        let forbidden = found.compactMap { if case .forbidden(let name) = $0 { name } else { nil } }
        try await keepNewerContents(than: observed, in: folder, priority, round: round)
        return try await catalogue.perform { catalogue in
            let (_, isDifferent) = try catalogue.compare(observed, in: folder, round)
            let present = try observed.compactMap { try catalogue.child(of: folder, named: $0.name)?.number }
            return (try present + catalogue.note(forbidden: forbidden, in: folder, round: round), isDifferent)
        }
    }

    /// The reply to the request for an item that was not listed.
    private enum Unlisted: Sendable {
        case present(ObservedItem)
        /// The server has the item, but does not show it to the user.
        case forbidden(String)
        case absent
    }

    private func requestUnlisted(
        _ item: CataloguedItem, in folder: DAVKnownItem, _ priority: HTTPRequest.Priority
    ) async throws -> Unlisted {
        let place = try folder.address.appending(item.name)
        let address = item.isFolder ? place.asDirectory : place
        do {
            let entry = try await ask(priority) { client throws(DAVError) in try await client.entry(at: address) }
            return .present(ObservedItem(entry, service))
        } catch DAVError.notFound {
            return .absent
        } catch DAVError.forbidden {
            return .forbidden(item.name)
        }
    }
}
