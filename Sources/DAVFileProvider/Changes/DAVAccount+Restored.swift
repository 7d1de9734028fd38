import FileProvider
import HTTPTransport
import WebDAVClient

/// Protection of local contents that are newer than those of a server that was restored from a backup.
extension DAVAccount {
    /// Records the server's mark of its data, which the listing of the root contains. So the mark is known as soon as
    /// the first items are.
    func noteMark(of directory: DAVEntry?, _ folder: Int64, round: Int64) async throws {
        guard folder == CataloguedItem.root, let mark = directory.flatMap({ service.dataMark(of: $0) }) else { return }
        try await catalogue.perform { try $0.note(dataMark: mark, round: round) }
    }

    /// Keeps local contents that a restored backup would replace, before the older states are recorded.
    ///
    /// A file whose date is earlier than before may be such a file, so the identifier of the server's data is read
    /// first. If the server was restored, the system is asked to send its own contents again. It then finds another
    /// version at the server and keeps both, one of them as a conflicted copy. A file whose date is not earlier was
    /// changed by another client after the restore.
    ///
    /// - Parameters:
    ///   - observed: entries of a folder that are about to be recorded.
    ///   - round: the round of their listing.
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
    /// Returns the known files whose recorded date is later than that of an entry with other contents. Returns none if
    /// the service has no identifier of its data.
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
