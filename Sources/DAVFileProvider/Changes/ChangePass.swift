import HTTPTransport
import LinuxSystem
import SQLite
import WebDAVClient

/// One search for changes in several folders.
///
/// An item that is missing from one folder may have moved to another folder. Its identity shows this move. New and
/// missing items are therefore recorded at the end.
///
/// Without identities, a file in another place counts as another file. A matching tag proves nothing, because many
/// servers compute tags from the date and the size, which files with other contents can share.
final class ChangePass: Sendable {
    private struct State {
        /// New entries, each with the number of its folder and the number of the folder's listing.
        var appeared: [(entry: ObservedItem, folder: Int64, round: Int64)] = []
        var vanished: [(item: CataloguedItem, round: Int64)] = []
        /// The folders that were listed, each before its subfolders, with the tag that it had when it was listed, and
        /// the number of the listing.
        var listed: [(folder: Int64, tag: String?, round: Int64)] = []
        /// The error of the first folder that the server refused to list.
        var refusal: DAVError?
        var hasChecked = false
    }

    /// The result of the check of one folder.
    enum Outcome {
        case same, changed
        /// The server has refused to list this folder. The other folders are checked nevertheless.
        case refused
        /// The server was busy.
        case busy
    }

    private let account: DAVAccount
    // Leaf lock.
    private let state = Lock(State())

    init(_ account: DAVAccount) { self.account = account }

    /// Whether an item was missing from its folder.
    var hasVanished: Bool { state.withLock { !$0.vanished.isEmpty } }

    /// Whether a folder was listed in this pass.
    func hasListed(_ number: Int64) -> Bool { state.withLock { $0.listed.contains { $0.folder == number } } }

    /// Checks a folder that the server may refuse to list. If the server refuses all folders of the pass, ``finish()``
    /// throws the first of these errors.
    @discardableResult
    func attempt(_ number: Int64) async throws -> Outcome {
        do {
            let hasChanged = try await check(number)
            state.withLock { $0.hasChecked = true }
            return hasChanged ? .changed : .same
        } catch let error as DAVError where error.isAboutOneFolder {
            state.withLock { $0.refusal = $0.refusal ?? error }
            if case .unavailable = error { return .busy }
            return .refused
        }
    }

    /// Lists a folder that was listed before, and compares the listing with the catalogue.
    ///
    /// - Returns: whether the folder has changed.
    @discardableResult
    func check(_ number: Int64) async throws -> Bool {
        guard let known = try await account.known(number), known.isFolder else { return false }
        let (catalogue, service) = (account.catalogue, account.service)
        service.recall(known)
        let round = try await catalogue.perform { try $0.beginRound() }
        var hasChanged = false
        var appeared: [ObservedItem] = []
        // The entries of a listing that breaks off are recorded, too.
        defer { state.withLock { state in state.appeared += appeared.map { ($0, number, round) } } }
        var uncertain = UncertainEntries(try await catalogue.perform { try $0.uncertainNames(in: number) })
        do {
            let listing = try await account.ask(.background) { client throws(DAVError) in
                try await client.list(known.address)
            }
            while let entries = try await listing.next() {
                // A service may need the folder's properties to interpret those of its entries.
                if let own = await listing.directory { _ = service.traits(of: own) }
                let listed = try await account.visible(entries, in: number).map { ObservedItem($0, service) }
                let observed = try await account.addressed(listed, in: number, &uncertain, .background)
                try await account.keepNewerContents(than: observed, in: number, .background, round: round)
                let found = try await catalogue.perform { try $0.compare(observed, in: number, round) }
                hasChanged = hasChanged || found.isDifferent || !found.new.isEmpty
                uncertain.add(new: found.new, repeated: found.repeated)
                appeared += found.new
            }
            uncertain.add(new: [], repeated: Self.repeated(in: appeared))
            try await account.noteMark(of: await listing.directory, number, round: round)
            let tag = await listing.directory?.tag?.opaque
            let forbidden = await listing.forbiddenNames
            _ = try await catalogue.perform { try $0.note(forbidden: forbidden, in: number, round: round) }
            let unlisted = try await account.noteUnlisted(
                in: number, of: listing, &uncertain, .background, round: round)
            hasChanged = hasChanged || unlisted.isDifferent
            appeared.removeAll { entry in
                let name = Array(entry.name.utf8)
                return uncertain.mislisted.contains(name) || uncertain.repeated[name] != nil
            }
            appeared += unlisted.corrected
            let aside = catalogue.itemsAside
            let unseen = try await catalogue.perform { catalogue in
                try catalogue.unseen(in: number, round: round).filter { !aside.contains($0.number) }
            }
            state.withLock { state in
                state.vanished += unseen.map { ($0, round) }
                state.listed.append((number, tag, round))
            }
            return hasChanged || !unseen.isEmpty
        } catch DAVError.notFound where number != CataloguedItem.root {
            state.withLock { $0.vanished.append((known.item, round)) }
            return true
        }
    }

    /// Returns the entries that have the same name as an earlier entry, but another kind or version.
    private static func repeated(in entries: [ObservedItem]) -> [ObservedItem] {
        var first: [[UInt8]: ObservedItem] = [:]
        return entries.filter { entry in
            let name = Array(entry.name.utf8)
            guard let other = first[name] else {
                first[name] = entry
                return false
            }
            return other.isFolder != entry.isFolder || other.version.text != entry.version.text
        }
    }

    /// Checks the folders whose tag differs from the tag in their last listing. Starts at the root and enters only such
    /// folders.
    func descend() async throws {
        let catalogue = account.catalogue
        let isListed = try await catalogue.perform { try $0.isListed(CataloguedItem.root) }
        guard isListed, let root = try await account.known(CataloguedItem.root) else { return }
        let round = try await catalogue.perform { try $0.beginRound() }
        let hasQuota = account.room.isDue
        let entry = try await account.ask(.background) { client throws(DAVError) in
            try await client.entry(at: root.address, hasQuota: hasQuota)
        }
        if hasQuota { try await account.note(entry.quota) }
        let observed = ObservedItem(entry, account.service)
        let mark = account.service.dataMark(of: entry)
        try await catalogue.perform { try $0.note(dataMark: mark, round: round) }
        _ = try await catalogue.perform { try $0.update(root.item, observed, in: root.item.parent, round: round) }
        var rest = [CataloguedItem.root]
        while let number = rest.popLast() {
            let isOutdated = try await catalogue.perform { catalogue in
                guard try catalogue.isListed(number), let item = try catalogue.item(number) else { return false }
                // The server's listing of the parent folder lacks a folder that the catalogue retains, so the folder
                // cannot be listed.
                guard try number == CataloguedItem.root || !catalogue.isKept(item) else { return false }
                let tag = try catalogue.listedTag(number)
                return tag == nil || tag != item.version.tag
            }
            guard isOutdated else { continue }
            if !hasListed(number) { try await attempt(number) }
            rest += try await catalogue.perform { try $0.folders(in: number) }
        }
    }

    /// Records the items that have appeared or disappeared in the checked folders.
    ///
    /// - Throws: the first error, if the server has refused every folder of the pass.
    func finish() async throws {
        let found = state.withLock { state in
            defer { state = State() }
            return state
        }
        if let last = found.vanished.map(\.round).max() { try await account.checkMark(.background, round: last) }
        try await account.catalogue.perform { catalogue in
            for (entry, folder, round) in found.appeared { _ = try catalogue.note(entry, in: folder, round: round) }
            for (item, round) in found.vanished {
                // A later listing may have found the item in another folder.
                guard let current = try catalogue.item(item.number), current.round < round,
                    current.parent == item.parent, current.name.utf8.elementsEqual(item.name.utf8),
                    try !catalogue.isKept(current)
                else { continue }
                try catalogue.remove(current)
            }
            // The tags are recorded only at the end of a pass. If a pass fails midway, the next pass thus lists the
            // folders again.
            for (folder, tag, round) in found.listed where try !catalogue.isBeforeRestore(round: round) {
                try catalogue.noteTag(folder, tag)
            }
            for (folder, _, _) in found.listed.reversed() { try catalogue.requireCheckedFolders(in: folder) }
        }
        if !found.hasChecked, let refusal = found.refusal { throw refusal }
    }
}

extension ServerCatalogue {
    /// Records the entries that the catalogue already has in this folder.
    ///
    /// - Returns: the entries that the catalogue lacks, the entries whose name an earlier entry of the listing had, and
    ///   whether one of the recorded entries has changed.
    func compare(
        _ entries: [ObservedItem], in folder: Int64, _ round: Int64
    ) throws -> (new: [ObservedItem], repeated: [ObservedItem], isDifferent: Bool) {
        var (new, repeated): ([ObservedItem], [ObservedItem]) = ([], [])
        let before = try last("change")
        for entry in entries {
            if try isRepeated(entry, in: folder, round: round) {
                repeated.append(entry)
            } else if try child(of: folder, named: entry.name) != nil {
                _ = try note(entry, in: folder, round: round)
            } else {
                new.append(entry)
            }
        }
        return (new, repeated, try last("change") != before)
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
