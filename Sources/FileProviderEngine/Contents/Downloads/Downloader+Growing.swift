import FileProvider
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
        to number: ItemNumber, _ item: ProviderItem, answering question: AnswerOrder.Question,
        _ engine: isolated any DownloaderHost
    ) async throws(ProviderFailure) -> Bool {
        let folders = folders
        // The comparison may take long, so it does not run on the engine's thread.
        let isBeginning = try await HandlerThreads.shared.value { () -> Result<Bool, ProviderFailure> in
            Result { () throws(ProviderFailure) in
                try onDisk { () throws(Errno) in try folders.isCleanBeginningOfIncoming(number) }
            }
        }.get()
        // From here on the function does not suspend, so no program can begin to write to the file.
        guard fetchedNumber(number) == number else { return false }
        var row = try cache.openRow(number)
        if row.item.contentVersion != item.contentVersion, cache.isGrowing(number) {
            guard !item.flags.contains(.hasOtherContents),
                !context.answers.hasNews(of: item.identifier, since: question)
            else { throw .otherVersion }
            // The file has changed once more at the provider.
            try applyFetched(item, to: row, answering: question, engine)
            guard fetchedNumber(number) == number else { return false }
            row = try cache.openRow(number)
        }
        guard cache.isGrowing(number), row.content == .current, openFiles.entry(number)?.writers == 0 else {
            return false
        }
        guard row.item.contentVersion == item.contentVersion else { throw .otherVersion }
        guard isBeginning else {
            openFiles.update(number) { entry in
                entry.isGrowing = false
                entry.otherVersion = item.contentVersion
            }
            do throws(ProviderFailure) {
                if try engine.replace(number) != nil { return false }
            } catch {
                context.recordBackgroundError(error)
            }
            try onDisk { () throws(Errno) in try folders.remove(number, in: folders.incoming) }
            return true
        }
        // The file has no version until all bytes are appended. If that fails, it is dropped when it is closed.
        try context.write { writer throws(IndexFailure) in try writer.update(number) { $0.localVersion = [] } }
        let size = try folders.addEndOfIncoming(to: number, modified: item.modified)
        try context.write { writer throws(IndexFailure) in
            try writer.update(number) { $0.settle(size: size, version: item.contentVersion) }
        }
        cache.noteCleanBytes(size - row.localSize)
        openFiles.update(number) { entry in
            entry.isGrowing = false
            entry.isOutdated = false
        }
        context.resources.events.tell(.contentsReplaced(number))
        return true
    }
}

extension ContentFolders {
    /// Whether the incoming file begins with all bytes of the clean file.
    fileprivate func isCleanBeginningOfIncoming(_ number: ItemNumber) throws(Errno) -> Bool {
        guard let new = try open(number, in: incoming, .readOnly), let old = try open(number, in: clean, .readOnly)
        else { return false }
        let size = Int(try old.status().size)
        guard try new.status().size >= size else { return false }
        return try ContentComparison.areEqual(old, new, in: 0..<size)
    }

    /// Appends the additional bytes of the incoming file to the clean file, and removes the incoming file.
    ///
    /// - Parameter modified: the modification date to set, by which recovery identifies the clean file.
    /// - Returns: the new size of the clean file, in bytes.
    fileprivate func addEndOfIncoming(
        to number: ItemNumber, modified: Double?
    ) throws(ProviderFailure) -> Int64 {
        do {
            guard let new = try open(number, in: incoming, .readOnly), let old = try open(number, in: clean, .readWrite)
            else { throw Errno.noSuchFile }
            // A previous attempt may have appended some bytes before the disk was full.
            let (start, size) = (Int(try old.status().size), Int(try new.status().size))
            guard start <= size else { throw Errno.invalidArgument }
            if start < size { try FileCopier.copyRange(start..<size, of: new, to: old, named: Self.name(number)) }
            // The copy does not extend the file by a hole at the end.
            if try old.status().size < size { try old.truncate(to: size) }
            try ContentStamp.date(old, modified)
            try remove(number, in: incoming)
            return Int64(size)
        } catch let error as CopyError {
            throw ProviderFailure(error)
        } catch let error as Errno {
            throw ProviderFailure(error)
        } catch {
            throw ProviderFailure(.transient, message: "\(error)")
        }
    }
}
