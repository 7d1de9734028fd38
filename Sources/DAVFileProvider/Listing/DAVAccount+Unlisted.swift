import HTTPTransport
import OSLog
import WebDAVClient

/// Requests items that a listing may lack or list wrongly. nginx omits names that begin with a dot. Some servers write
/// wrong addresses into their listings, at which they have nothing.
extension DAVAccount {
    /// The maximum number of concurrent requests for unlisted items.
    private static let mostAtOnce = 4
    private static let log = Logger(subsystem: "Purvey", category: "DAVFileProvider")

    /// The items that were requested after a listing.
    struct Unlisted: Sendable {
        /// The numbers of the items that the server has.
        var numbers: [Int64] = []
        /// The entries of requested items that the catalogue does not have yet. They replace the listing's entries with
        /// repeated names.
        var corrected: [ObservedItem] = []
        /// Whether the recorded state of an item has changed.
        var isDifferent = false
    }

    /// Requests the entries of a listing whose names are uncertain. Returns all entries except those at whose addresses
    /// the server still has nothing.
    func addressed(
        _ entries: [ObservedItem], in folder: Int64, _ uncertain: inout UncertainEntries,
        _ priority: HTTPRequest.Priority = .interactive
    ) async throws -> [ObservedItem] {
        let names = entries.filter { uncertain.names.contains(Array($0.name.utf8)) }
            .map { Name(text: $0.name, isFolder: $0.isFolder) }
        guard !names.isEmpty, let known = try await known(folder) else { return entries }
        for (name, reply) in try await request(names, in: known, priority) {
            if case .absent = reply { try await leaveOut(name, of: known, &uncertain) }
        }
        return entries.filter { !uncertain.mislisted.contains(Array($0.name.utf8)) }
    }

    /// Requests the items that a complete listing of a folder lacks although the server may have them, and the entries
    /// of the listing that may have wrong addresses. Records the state of each item that exists.
    ///
    /// - Parameters:
    ///   - uncertain: the uncertain entries of the listing. Receives the names at whose addresses the server has
    ///     nothing.
    ///   - round: the number of the listing.
    func noteUnlisted(
        in folder: Int64, of listing: DAVListing, _ uncertain: inout UncertainEntries,
        _ priority: HTTPRequest.Priority = .interactive, round: Int64
    ) async throws -> Unlisted {
        let (refused, forbidden) = (await listing.refusedNames, await listing.forbiddenNames)
        uncertain.refused = refused.filter { !forbidden.contains($0) }
        uncertain.hasDeeper = await listing.deeperCount > 0
        let (aside, current) = (catalogue.itemsAside, uncertain)
        let unseen = try await catalogue.perform { catalogue in
            try catalogue.unseen(in: folder, round: round).filter { current.mayHave($0) }
        }.filter { !aside.contains($0.number) }
        var names = unseen.map { Name(text: $0.name, isFolder: $0.isFolder) }
        names += uncertain.repeated.map { Name(text: String(decoding: $0.key, as: UTF8.self), isFolder: $0.value) }
        let isCertain = names.isEmpty && uncertain.refused.isEmpty && uncertain.names.isEmpty
        guard !isCertain, let known = try await known(folder) else { return Unlisted() }
        for name in uncertain.refused { try await log(name, of: known) }
        let replies = try await request(names, in: known, priority)
        for (name, reply) in replies {
            if case .absent = reply, uncertain.repeated[Array(name.utf8)] != nil {
                try await leaveOut(name, of: known, &uncertain)
            }
        }
        let isMislisting = replies.contains { $0.reply.isPresent && !$0.name.hasPrefix(".") }
        if isMislisting {
            let new = uncertain.new.filter { current.repeated[Array($0.name.utf8)] == nil }
                .map { Name(text: $0.name, isFolder: $0.isFolder) }
            for (name, reply) in try await request(new, in: known, priority) {
                if case .absent = reply { try await leaveOut(name, of: known, &uncertain) }
            }
        }
        return try await note(replies, in: folder, uncertain, priority, round: round)
    }

    private func note(
        _ replies: [(name: String, reply: Reply)], in folder: Int64, _ uncertain: UncertainEntries,
        _ priority: HTTPRequest.Priority, round: Int64
    ) async throws -> Unlisted {
        let observed = replies.compactMap { if case .present(let item) = $0.reply { item } else { nil } }
        let forbidden = replies.compactMap { if case .forbidden = $0.reply { $0.name } else { nil } }
        try await keepNewerContents(than: observed, in: folder, priority, round: round)
        return try await catalogue.perform { catalogue in
            var found = Unlisted()
            let before = try catalogue.last("change")
            for entry in observed {
                if try catalogue.child(of: folder, named: entry.name) != nil {
                    found.numbers.append(try catalogue.note(entry, in: folder, round: round).item.number)
                } else {
                    found.corrected.append(entry)
                }
            }
            found.numbers += try catalogue.note(forbidden: forbidden, in: folder, round: round)
            for name in uncertain.mislisted {
                let item = try catalogue.child(of: folder, named: String(decoding: name, as: UTF8.self))
                // The item may have been created since.
                guard let item, item.round <= round else { continue }
                // A file that the system has never received is removed without a report. This listing may have recorded
                // such a file before its entry was left out.
                try catalogue.remove(item, isTold: item.isFolder || item.told != nil)
            }
            try catalogue.forgetMislisted(
                in: folder, except: uncertain.mislisted.union(uncertain.refused.map { Array($0.utf8) }))
            found.isDifferent = try catalogue.last("change") != before
            return found
        }
    }

    private func leaveOut(_ name: String, of folder: DAVKnownItem, _ uncertain: inout UncertainEntries) async throws {
        uncertain.mislisted.insert(Array(name.utf8))
        try await log(name, of: folder)
    }

    /// Records that a listing contains a name that cannot be addressed. Logs this the first time.
    private func log(_ name: String, of folder: DAVKnownItem) async throws {
        let isFirst = try await catalogue.perform { try $0.noteMislisted(name, in: folder.item.number) }
        guard isFirst else { return }
        let place = DAVError.name(of: folder.address)
        Self.log.error(
            "“\(name, privacy: .public)” in \(place, privacy: .public) is left out: its listed address is wrong")
    }

    /// The reply to the request for one name.
    private enum Reply: Sendable {
        case present(ObservedItem)
        /// The server has the item, but does not show it to the user.
        case forbidden
        case absent

        var isPresent: Bool { if case .present = self { true } else { false } }
    }

    /// A name in a folder.
    private struct Name: Sendable {
        let text: String
        let isFolder: Bool
    }

    private func request(
        _ names: [Name], in folder: DAVKnownItem, _ priority: HTTPRequest.Priority
    ) async throws -> [(name: String, reply: Reply)] {
        try await withThrowingTaskGroup(of: (name: String, reply: Reply).self) { group in
            var replies: [(name: String, reply: Reply)] = []
            for (index, name) in names.enumerated() {
                if index >= Self.mostAtOnce, let reply = try await group.next() { replies.append(reply) }
                group.addTask {
                    (name.text, try await self.request(name.text, isFolder: name.isFolder, in: folder, priority))
                }
            }
            for try await reply in group { replies.append(reply) }
            return replies
        }
    }

    private func request(
        _ name: String, isFolder: Bool, in folder: DAVKnownItem, _ priority: HTTPRequest.Priority
    ) async throws -> Reply {
        let place = try folder.address.appending(name)
        let address = isFolder ? place.asDirectory : place
        do {
            let entry = try await ask(priority) { client throws(DAVError) in try await client.entry(at: address) }
            // The server may ignore case or the Unicode normal form, and has found an item with another spelling of the
            // name. The listing contains that item, so the requested item counts as absent.
            guard entry.name.utf8.elementsEqual(name.utf8) else { return .absent }
            return .present(ObservedItem(entry, service))
        } catch DAVError.notFound {
            return .absent
        } catch DAVError.forbidden {
            return .forbidden
        }
    }
}
