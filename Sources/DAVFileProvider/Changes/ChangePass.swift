import HTTPTransport
import LinuxSystem
import SQLite
import WebDAVClient

/// One search for changes, in several folders. An item that is gone from one folder and new in another one has moved,
/// so both are recorded at the end.
final class ChangePass: Sendable {
    private struct State {
        /// New entries, with their folder and listing.
        var appeared: [(entry: ObservedItem, folder: Int64, round: Int64)] = []
        var vanished: [(item: CataloguedItem, round: Int64)] = []
        /// The folders that were listed, the upper ones first, with their tags at that time.
        var listed: [(folder: Int64, tag: String?)] = []
    }

    private let account: DAVAccount
    // Leaf lock.
    private let state = Lock(State())

    init(_ account: DAVAccount) { self.account = account }

    /// Lists a folder that was listed before, and compares it with the catalogue.
    ///
    /// - Returns: whether something differs.
    @discardableResult
    func check(_ number: Int64) async throws -> Bool {
        guard let known = try await account.known(number), known.isFolder else { return false }
        let (catalogue, service) = (account.catalogue, account.service)
        let round = try await catalogue.perform { try $0.beginRound() }
        var hasChanged = false
        do {
            let listing = try await account.ask(.background) { client throws(DAVError) in
                try await client.list(known.address)
            }
            while let entries = try await listing.next() {
                let observed = entries.filter { !service.hides($0) }.map { ObservedItem($0, service) }
                let (new, isDifferent) = try await catalogue.perform { try $0.compare(observed, in: number, round) }
                hasChanged = hasChanged || isDifferent || !new.isEmpty
                state.withLock { $0.appeared += new.map { ($0, number, round) } }
            }
            let tag = await listing.directory?.tag?.opaque
            let unseen = try await catalogue.perform { try $0.unseen(in: number, round: round) }
            state.withLock { state in
                state.vanished += unseen.map { ($0, round) }
                state.listed.append((number, tag))
            }
            return hasChanged || !unseen.isEmpty
        } catch DAVError.notFound where number != CataloguedItem.root {
            state.withLock { $0.vanished.append((known.item, round)) }
            return true
        }
    }

    /// Checks the folders whose tag differs from that of their last listing, from the root down.
    func descend() async throws {
        let catalogue = account.catalogue
        let isListed = try await catalogue.perform { try $0.isListed(CataloguedItem.root) }
        guard isListed, let root = try await account.known(CataloguedItem.root) else { return }
        let round = try await catalogue.perform { try $0.beginRound() }
        let entry = try await account.ask(.background) { client throws(DAVError) in
            try await client.entry(at: root.address)
        }
        let observed = ObservedItem(entry, account.service)
        let mark = account.service.dataMark(of: entry)
        try await catalogue.perform { try $0.note(dataMark: mark, round: round) }
        _ = try await catalogue.perform { try $0.update(root.item, observed, in: root.item.parent, round: round) }
        var rest = [CataloguedItem.root]
        while let number = rest.popLast() {
            let isOutdated = try await catalogue.perform { catalogue in
                guard try catalogue.isListed(number), let item = try catalogue.item(number) else { return false }
                let tag = try catalogue.listedTag(number)
                return tag == nil || tag != item.version.tag
            }
            guard isOutdated else { continue }
            try await check(number)
            rest += try await catalogue.perform { try $0.folders(in: number) }
        }
    }

    /// Records what has appeared and vanished.
    func finish() async throws {
        let found = state.withLock { state in
            defer { state = State() }
            return state
        }
        try await account.catalogue.perform { catalogue in
            var vanished = found.vanished
            for (entry, folder, round) in found.appeared {
                if let index = Self.origin(of: entry, among: vanished.map(\.item), found.appeared.map(\.entry)) {
                    let (item, _) = vanished.remove(at: index)
                    if let current = try catalogue.item(item.number),
                        try catalogue.child(of: folder, named: entry.name) == nil
                    {
                        _ = try catalogue.update(current, entry, in: folder, round: round)
                        continue
                    }
                }
                _ = try catalogue.note(entry, in: folder, round: round)
            }
            for (item, round) in vanished {
                // It may have been found elsewhere.
                guard let current = try catalogue.item(item.number), current.round < round,
                    current.parent == item.parent, current.name.utf8.elementsEqual(item.name.utf8),
                    try !catalogue.isKept(current)
                else { continue }
                try catalogue.remove(current)
            }
            // Last, so that a pass that breaks off before is repeated.
            for (folder, tag) in found.listed { try catalogue.noteTag(folder, tag) }
            for (folder, _) in found.listed.reversed() { try catalogue.requireCheckedFolders(in: folder) }
        }
    }

    /// Returns the index of the only vanished file that an entry can be, by its tag, length and date.
    private static func origin(
        of entry: ObservedItem, among vanished: [CataloguedItem], _ appeared: [ObservedItem]
    ) -> Int? {
        let version = entry.version
        guard entry.traits.identity == nil, !entry.isFolder, version.tag != nil, version.length != nil,
            version.modified != nil
        else { return nil }
        let candidates = vanished.indices.filter { !vanished[$0].isFolder && vanished[$0].version == version }
        guard candidates.count == 1, appeared.count(where: { !$0.isFolder && $0.version == version }) == 1 else {
            return nil
        }
        return candidates[0]
    }
}

extension ServerCatalogue {
    /// Records entries that were in their place before.
    ///
    /// - Returns: the others, and whether one of the recorded ones differs from before.
    func compare(
        _ entries: [ObservedItem], in folder: Int64, _ round: Int64
    ) throws -> (new: [ObservedItem], isDifferent: Bool) {
        var new: [ObservedItem] = []
        let before = try last("change")
        for entry in entries {
            if try child(of: folder, named: entry.name) != nil {
                _ = try note(entry, in: folder, round: round)
            } else {
                new.append(entry)
            }
        }
        return (new, try last("change") != before)
    }

    /// Records the tag that a folder had when it was listed.
    func noteTag(_ folder: Int64, _ tag: String?) throws {
        try database.run("UPDATE folder SET tag = ? WHERE number = ?", .optional(tag), .integer(folder))
    }

    /// Sets the time of the next check of a folder.
    func plan(_ folder: Int64, due: Int64, pause: Int64) throws {
        try database.run(
            "UPDATE folder SET due = ?, pause = ? WHERE number = ?", .integer(due), .integer(pause), .integer(folder))
    }
}
