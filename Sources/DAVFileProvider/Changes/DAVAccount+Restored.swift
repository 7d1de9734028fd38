import FileProvider
import HTTPTransport
import WebDAVClient

/// Protects local contents that are newer than the state of a server that was restored from a backup.
extension DAVAccount {
    /// If the listed folder is the root, records the identifier of the server's data, which the root's entry contains.
    /// The identifier is thus recorded together with the first items.
    func noteMark(of directory: DAVEntry?, _ folder: Int64, round: Int64) async throws {
        guard folder == CataloguedItem.root, let mark = directory.flatMap({ service.dataMark(of: $0) }) else { return }
        try await catalogue.perform { try $0.note(dataMark: mark, round: round) }
    }

    /// Makes the system upload local contents that a restored backup would replace, before the server's older states
    /// are recorded.
    ///
    /// Does nothing unless the entries suggest that the server was restored: a file has an earlier date than the
    /// catalogue's record, or an entry has the identity of an item in another place. In this case, reads the identifier
    /// of the server's data first. A restored server assigns identities again to other items, so the catalogue must not
    /// take such an entry for a moved item.
    ///
    /// If the server was restored, the system uploads its own contents of each file that has an earlier date at the
    /// server. The system then finds another version at the server and keeps both versions, one of them as a conflicted
    /// copy. A file whose date is not earlier is not uploaded, because another client changed it after the restore.
    ///
    /// - Parameters:
    ///   - observed: entries of a folder that are about to be recorded.
    ///   - round: the number of the listing that contains them.
    func keepNewerContents(
        than observed: [ObservedItem], in folder: Int64, _ priority: HTTPRequest.Priority = .interactive, round: Int64
    ) async throws {
        let (newer, hasMoves) = try await catalogue.perform { catalogue in
            guard try catalogue.hasMark() else { return ([CataloguedItem](), false) }
            return (
                try catalogue.newer(than: observed, in: folder), try catalogue.hasMoves(in: observed, of: folder)
            )
        }
        guard hasMoves || !newer.isEmpty else { return }
        try await checkMark(priority, round: round)
        let kept = try await catalogue.perform { catalogue in
            // Another listing may have recorded the files meanwhile.
            try newer.compactMap { try catalogue.item($0.number) }.filter { try catalogue.isKept($0) }
        }
        for item in kept { await sendAgain(identifier(of: item.number)) }
    }
}

extension ServerCatalogue {
    /// Returns the known files whose recorded date is later than the date of their new entry, if the system has
    /// received another version than that of the entry.
    func newer(than observed: [ObservedItem], in folder: Int64) throws -> [CataloguedItem] {
        try observed.compactMap { entry in
            guard !entry.isFolder, let modified = entry.version.modified,
                let known = try child(of: folder, named: entry.name), !known.isFolder, known.told != nil,
                let date = known.version.modified, modified < date, entry.version.text != known.told
            else { return nil }
            return known
        }
    }

    /// Whether one of the entries has the place of an item with another identity, or the identity of an item that is or
    /// was in another place.
    func hasMoves(in observed: [ObservedItem], of folder: Int64) throws -> Bool {
        try observed.contains { entry in
            guard let identity = entry.traits.identity else { return false }
            if let known = try child(of: folder, named: entry.name) {
                return known.isFolder != entry.isFolder || known.traits.identity != identity
            }
            return try item(identity: identity) != nil || removedItem(withIdentity: identity) != nil
        }
    }
}
