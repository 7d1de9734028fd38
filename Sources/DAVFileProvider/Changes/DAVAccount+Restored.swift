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
    /// If the server now reports an earlier date for a file, the server may have been restored, so this function first
    /// reads the identifier of the server's data. If the server was restored, the system uploads its own contents of
    /// the file. It then finds another version at the server and keeps both versions, one of them as a conflicted copy.
    /// If the date is not earlier, another client changed the file after the restore.
    ///
    /// - Parameters:
    ///   - observed: entries of a folder that are about to be recorded.
    ///   - round: the number of the listing that contains them.
    func keepNewerContents(
        than observed: [ObservedItem], in folder: Int64, _ priority: HTTPRequest.Priority = .interactive, round: Int64
    ) async throws {
        let newer = try await catalogue.perform { try $0.newer(than: observed, in: folder) }
        guard !newer.isEmpty else { return }
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
    /// received another version than that of the entry. Returns none if the service has no identifier of its data.
    func newer(than observed: [ObservedItem], in folder: Int64) throws -> [CataloguedItem] {
        guard try hasMark() else { return [] }
        return try observed.compactMap { entry in
            guard !entry.isFolder, let modified = entry.version.modified,
                let known = try child(of: folder, named: entry.name), !known.isFolder, known.told != nil,
                let date = known.version.modified, modified < date, entry.version.text != known.told
            else { return nil }
            return known
        }
    }
}
