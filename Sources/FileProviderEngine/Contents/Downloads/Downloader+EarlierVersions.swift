import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Fetches a file with the help of local contents of an earlier version, so that the provider can transfer only the
/// difference.
extension Downloader {
    /// Fetches a file, and passes local contents of an earlier version to the provider.
    ///
    /// - Returns: `nil` if no contents of an earlier version are local, or the provider cannot use them. The whole file
    ///   then has to be fetched.
    nonisolated(nonsending) func contentsByDifference(
        _ row: IndexedItem, _ progress: FetchProgress
    ) async throws(ProviderError) -> ProviderContents? {
        guard cache.older.areUseful != false, let existing = existingContents(of: row) else { return nil }
        let provider = context.provider
        if cache.older.areUseful == nil {
            cache.older.noteUse(try await provider.usesExistingContents())
        }
        guard cache.older.areUseful == true, !context.isClosed else { return nil }
        do throws(ProviderError) {
            return try await provider.contents(of: row.item.identifier, using: existing) { done, total in
                progress.set(done, total)
            }
        } catch {
            switch error.kind {
            // The provider cannot use this version, or has no space for a copy of it.
            case .expired, .badAnswer, .unsupported, .cannotSynchronize, .noSpace: break
            default: throw error
            }
            cache.older.remove(row.number)
            return nil
        }
    }

    /// Returns local contents of an earlier version: the clean file if it is outdated, otherwise the contents in
    /// ``OlderContents``. Returns `nil` if there are none.
    private func existingContents(of row: IndexedItem) -> ExistingContents? {
        guard row.hasUsableOlderContents else { return cache.older.contents(of: row.number) }
        guard let file = try? folders.open(row.number, in: folders.clean, .readOnly) else { return nil }
        return ExistingContents(descriptor: file, version: row.localVersion)
    }
}

/// Appends to an open file the bytes that a new version adds at its end; see ``OutdatedFiles/fetchGrowth(_:_:)``.
extension Downloader {
    /// Appends the end of fetched contents to an open file, if the fetched contents begin with the file's bytes.
    /// Otherwise the fetched contents replace the file, or are dropped if the file cannot be replaced.
    ///
    /// - Returns: Whether the fetched contents were used or dropped. `false` if the file was closed, opened for writing
    ///   or replaced, so that the caller has to handle the fetched contents.
    func addGrowth(
        to number: ItemNumber, _ item: ProviderItem, answering request: ReplyOrdering.Request,
        _ engine: isolated any EngineEvents
    ) async throws(ProviderError) -> Bool {
        let folders = folders
        // The comparison may take long, so it does not run on the engine's thread.
        let isBeginning = try await HandlerThreads.shared.value { () -> Result<Bool, ProviderError> in
            Result { () throws(ProviderError) in
                try onDisk { () throws(Errno) in try folders.isCleanBeginningOfIncoming(number) }
            }
        }.get()
        // From here on the function does not suspend, so no program can begin to write to the file.
        guard fetchedNumber(number) == number else { return false }
        var row = try cache.openRow(number)
        if row.item.contentVersion != item.contentVersion, outdated.isGrowing(number) {
            guard !item.flags.contains(.hasOtherContents),
                !context.replies.isStale(for: item.identifier, since: request)
            else { throw .otherVersion }
            // The file has changed once more at the provider.
            try applyFetched(item, to: row, answering: request, engine)
            guard fetchedNumber(number) == number else { return false }
            row = try cache.openRow(number)
        }
        guard outdated.isGrowing(number), row.content == .current, openFiles.entry(number)?.writers == 0 else {
            return false
        }
        guard row.item.contentVersion == item.contentVersion else { throw .otherVersion }
        guard isBeginning else {
            outdated.endGrowth(number, refusing: item.contentVersion)
            do throws(ProviderError) {
                if try outdated.replace(number, engine) != nil { return false }
            } catch {
                context.recordBackgroundError(error)
            }
            try onDisk { () throws(Errno) in try folders.remove(number, in: folders.incoming) }
            return true
        }
        try outdated.growOpenFile(row, to: item)
        return true
    }
}
