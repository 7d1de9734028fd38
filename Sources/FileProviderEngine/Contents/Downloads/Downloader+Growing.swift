import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Growth of open files: the end of a new version is appended to the open file; see
/// ``ContentCache/fetchGrowth(_:_:)``.
extension Downloader {
    /// Appends the end of fetched contents to an open file, if the fetched contents begin with the file's bytes.
    /// Otherwise the fetched contents replace the file, or are dropped if the file cannot be replaced.
    ///
    /// - Returns: `false` if the file was closed, opened for writing or replaced meanwhile, so that the caller has to
    ///   handle the fetched contents.
    func addGrowth(
        to number: ItemNumber, _ item: ProviderItem, answering request: ReplyOrdering.Request,
        _ engine: isolated any DownloaderHost
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
        if row.item.contentVersion != item.contentVersion, cache.isGrowing(number) {
            guard !item.flags.contains(.hasOtherContents),
                !context.replies.isStale(for: item.identifier, since: request)
            else { throw .otherVersion }
            // The file has changed once more at the provider.
            try applyFetched(item, to: row, answering: request, engine)
            guard fetchedNumber(number) == number else { return false }
            row = try cache.openRow(number)
        }
        guard cache.isGrowing(number), row.content == .current, openFiles.entry(number)?.writers == 0 else {
            return false
        }
        guard row.item.contentVersion == item.contentVersion else { throw .otherVersion }
        guard isBeginning else {
            cache.endGrowth(number, refusing: item.contentVersion)
            do throws(ProviderError) {
                if try engine.replace(number) != nil { return false }
            } catch {
                context.recordBackgroundError(error)
            }
            try onDisk { () throws(Errno) in try folders.remove(number, in: folders.incoming) }
            return true
        }
        try cache.growOpenFile(row, to: item)
        return true
    }
}
