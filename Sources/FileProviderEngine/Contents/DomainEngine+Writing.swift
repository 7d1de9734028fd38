import FileProvider
import LinuxSystem

/// Files that are open for writing. The mount may write to a file of ours past the engine, so whether it was written to is seen by
/// comparing.
extension DomainEngine {
    /// The file for writing, moved among the edits and noted in the journal; `nil` where its bytes have to be fetched first.
    func fileForWriting(_ row: IndexedItem, truncating: Bool) throws(ProviderFailure) -> FileDescriptor? {
        var opened = openFiles.entry(row.number)?.writing
        if opened == nil { opened = try beginWriting(row, creating: truncating) }
        guard let file = opened else { return nil }
        guard truncating else { return file }
        // From here on the file is another one than the provider's, whatever is written to it afterwards.
        try noteOpenForWriting(row, .none)
        EngineStep.emptyingJournalled.reach()
        try onDisk { () throws(Errno) in try file.truncate(to: 0) }
        EngineStep.emptied.reach()
        openFiles.update(row.number) { entry in
            entry.beforeWriting = nil
            entry.noted = nil
        }
        return file
    }

    /// - Parameter creating: whether a file that is not here is made, empty.
    private func beginWriting(_ row: IndexedItem, creating: Bool) throws(ProviderFailure) -> FileDescriptor? {
        let number = row.number
        switch row.content {
        case .edited:
            guard let file = try onDisk({ () throws(Errno) in try openEdit(number) }) else {
                throw ProviderFailure(.cannotSynchronize, message: "The edited contents of “\(row.name)” are gone.")
            }
            let stamp = try onDisk { () throws(Errno) in ContentStamp(try file.status()) }
            try share(number, file, stamp)
            return file
        // Half of an edit that somebody else has not finished is nothing to begin with.
        case .current where !creating && openFiles.entry(number)?.isUnfinished == true:
            throw .otherVersion
        case .current where row.localVersion == row.item.contentVersion || openFiles.entry(number)?.reading != nil:
            if let file = try moveAmongEdits(row) { return file }
            // Somebody has emptied the cache.
            try forgetContents(number)
        case .current:
            try forgetContents(number)
        case .dataless, .partial: break
        }
        guard creating else { return nil }
        cancelFetch(number)
        // What is written replaces the version that the provider has now.
        var row = row
        row.localVersion = row.item.contentVersion
        let version = row.localVersion
        try write { writer throws(IndexFailure) in
            try writer.update(number) { row in
                row.localVersion = version
                guard row.content == .partial else { return }
                row.content = .dataless
                row.localSize = 0
                row.parts = ByteRanges()
            }
        }
        try noteOpenForWriting(row, .none)
        let file = try onDisk { () throws(Errno) in
            try folders.edits.open(
                ContentFolders.name(number), [.readWrite, .create, .truncate, .noFollow], permissions: 0o600)
        }
        try share(number, file, nil)
        return file
    }

    private func openEdit(_ number: ItemNumber) throws(Errno) -> FileDescriptor? {
        try folders.open(number, in: folders.edits, .readWrite)
    }

    /// Moves clean contents among the edits; `nil` where they are gone.
    ///
    /// The file is moved before the journal says so: a crash in between leaves a file that nobody has written to, and that is known
    /// by its date and size.
    private func moveAmongEdits(_ row: IndexedItem) throws(ProviderFailure) -> FileDescriptor? {
        let number = row.number
        do throws(Errno) {
            try folders.move(number, from: folders.clean, to: folders.edits)
        } catch .noSuchFile {
            return nil
        } catch {
            throw ProviderFailure(error)
        }
        EngineStep.openingMoved.reach()
        do throws(ProviderFailure) {
            let file = try onDisk { () throws(Errno) in try openEdit(number) }
            guard let file else { return nil }
            let stamp = try onDisk { () throws(Errno) in ContentStamp(try file.status()) }
            try noteOpenForWriting(row, stamp)
            EngineStep.openingJournalled.reach()
            try share(number, file, stamp)
            return file
        } catch {
            try? folders.move(number, from: folders.edits, to: folders.clean)
            throw error
        }
    }

    /// Lets all openings of an item have its file for writing, and the same for reading.
    private func share(_ number: ItemNumber, _ file: FileDescriptor, _ stamp: ContentStamp?) throws(ProviderFailure) {
        var reading = openFiles.entry(number)?.reading
        if reading == nil { reading = try onDisk { () throws(Errno) in try file.reopen(.readOnly) } }
        let shared = reading
        openFiles.update(number) { entry in
            entry.writing = file
            entry.reading = shared
            entry.beforeWriting = stamp
            entry.noted = nil
        }
    }

    /// If a file that is open for writing was written to since the last look, that is journalled.
    func compare(_ number: ItemNumber) throws(ProviderFailure) {
        guard let entry = openFiles.entry(number), let file = entry.writing, !entry.isDiscarded else { return }
        let status = try onDisk { () throws(Errno) in try file.status() }
        let stamp = ContentStamp(status)
        guard stamp != entry.noted ?? entry.beforeWriting else { return }
        try onDisk { () throws(Errno) in
            try noteEdited(number, size: stamp.size, modified: status.modifiedDate)
        }
        openFiles.update(number) { $0.noted = stamp }
    }

    /// Has a file that is open for writing journalled as edited, whether it was written to yet or not: what is written later would
    /// otherwise have no place to go.
    func takeAsEdited(_ number: ItemNumber) throws(ProviderFailure) {
        try compare(number)
        guard let entry = openFiles.entry(number), let file = entry.writing, entry.noted == nil else { return }
        let status = try onDisk { () throws(Errno) in try file.status() }
        let stamp = ContentStamp(status)
        // Nothing was written, so a date that was set here is still the file's.
        let modified = (try? row(number))?.localModified ?? status.modifiedDate
        try onDisk { () throws(Errno) in try noteEdited(number, size: stamp.size, modified: modified) }
        openFiles.update(number) { $0.noted = stamp }
    }

    /// An opening for writing has ended: after the last one the file is clean again or edited.
    func closedWriting(_ number: ItemNumber) throws(ProviderFailure) {
        guard let entry = openFiles.entry(number) else { return }
        guard entry.writers == 1 else {
            openFiles.withLock { state in _ = state.close(number, isForWriting: true) }
            return try compare(number)
        }
        do throws(ProviderFailure) {
            try compare(number)
        } catch {
            // The opening stays, so that nothing is taken to be clean, and another attempt is made.
            clock.run(after: 5) { [weak self] in
                self?.perform { engine in try? engine.closedWriting(number) }
            }
            throw error
        }
        let now = openFiles.entry(number)
        openFiles.update(number) { entry in
            entry.writing = nil
            entry.beforeWriting = nil
            entry.noted = nil
        }
        let last = openFiles.withLock { $0.close(number, isForWriting: true) }
        if let now, now.writing != nil, now.noted == nil, !now.isDiscarded { moveBack(number) }
        if let last {
            lastClosed(number, last)
        } else if now?.isDiscarded == true {
            // Readers may outlive this process.
            try? folders.moveAside(number)
        } else if now?.isOutdated == true {
            dropOutdatedContents(number)
        }
        // Another engine's by now, where this one has ended.
        if !isClosed { writerMarks.unmark(number) }
        noteClosed(number)
    }

    /// A file that was open for writing and that nobody wrote to is what it was.
    func moveBack(_ number: ItemNumber) {
        guard let row = try? row(number), row.content == .current else { return }
        do {
            try folders.move(number, from: folders.edits, to: folders.clean)
            EngineStep.unchangedMoved.reach()
            try noteNotWritten(number)
            EngineStep.unchangedJournalled.reach()
        } catch {
            // It stays among the edits, as open for writing, and is looked at again at the next start.
            remember(error)
        }
    }

    // MARK: Journal

    /// Notes in the journal that a file is open for writing.
    ///
    /// - Parameter stamp: what the file is now; `nil` where it counts as written to already.
    private func noteOpenForWriting(_ row: IndexedItem, _ stamp: ContentStamp?) throws(ProviderFailure) {
        // Bytes that are written to a removed file go with it.
        guard !row.changes.contains(.deleted) else { return }
        try onRecord { () throws(IndexFailure) in
            var known = try journal.entry(row.number)
            if known == nil { known = JournalEntry(row, parentIdentifier: try identifier(of: row.parent)) }
            guard var entry = known else { return }
            // It will be sent whatever becomes of this opening.
            guard !entry.changes.contains(.contents) else { return }
            entry.isOpen = true
            entry.statusAtOpen = stamp
            entry.baseVersion = row.localVersion
            try journal.put(entry)
        }
    }

    /// Takes that back.
    private func noteNotWritten(_ number: ItemNumber) throws(IndexFailure) {
        guard var entry = try journal.entry(number) else { return }
        entry.isOpen = false
        try writeInAnyCase([entry.changes.isEmpty ? .remove(number) : .put(entry)])
    }

    func identifier(of number: ItemNumber) throws(IndexFailure) -> String {
        try index.item(number)?.item.identifier ?? ProviderItem.rootIdentifier
    }
}
