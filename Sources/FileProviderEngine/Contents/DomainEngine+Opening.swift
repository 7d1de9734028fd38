import FileProvider
import LinuxSystem

/// Opening files and closing them.
extension DomainEngine {
    /// Opens a file. A complete, clean file is opened for reading at once, on the calling thread. A dataless file is
    /// opened too, without a fetch: ``OpenItem/ready(_:)`` waits for its bytes.
    ///
    /// If a newer version of an open file is being fetched, the opening waits until it is known whether that version
    /// only adds bytes at the end; see ``fetchGrowth(_:)``.
    ///
    /// - Parameter completion: called on the calling thread or on the engine's thread; must not block. Fails with
    ///   ``ProviderFailure/Kind/expired`` if the item got another number meanwhile (``replace(_:)``), and with
    ///   ``ProviderFailure/Kind/noSuchItem`` if the item does not exist.
    /// - Returns: an object that cancels the opening while it waits.
    @discardableResult
    package nonisolated func open(
        _ number: ItemNumber, for purpose: OpenPurpose,
        completion: @escaping @Sendable (Result<OpenItem, ProviderFailure>) -> Void
    ) -> Waiting {
        if purpose == .reading, let item = openAtOnce(number) {
            completion(.success(item))
            return .over
        }
        let opening = PendingOpening(purpose, completion)
        perform { $0.open(number, opening) }
        return Waiting { opening.cancel() }
    }

    /// Opens a complete file for reading at once, with a single lookup in the index.
    ///
    /// - Returns: `nil` if the caller has to use ``open(_:for:completion:)``.
    package nonisolated func openComplete(_ number: ItemNumber) -> (row: IndexedItem, item: OpenItem)? {
        let epoch = openFiles.epoch
        guard let row = try? index.item(number), row.hasAllBytes,
            let item = joined(number) ?? openAtOnce(row, since: epoch)
        else { return nil }
        return (row, item)
    }

    /// Whether a program has the file open for writing. Its contents may then differ from the version at the
    /// provider.
    package nonisolated func isOpenForWriting(_ number: ItemNumber) -> Bool {
        openFiles.entry(number).map { $0.writers > 0 } ?? false
    }

    // MARK: On any thread

    /// Opens a file for reading with only a lock, the index and the file itself. Returns `nil` if the engine's thread
    /// has to open it.
    private nonisolated func openAtOnce(_ number: ItemNumber) -> OpenItem? {
        let epoch = openFiles.epoch
        if let item = joined(number) { return item }
        return (try? index.item(number)).flatMap { openAtOnce($0, since: epoch) }
    }

    /// Adds a read handle to a file that is open already. Returns `nil` if the file is not open.
    private nonisolated func joined(_ number: ItemNumber) -> OpenItem? {
        let now = clock.now
        return openFiles.withLock { $0.openForReading(number, now) }
            .map { OpenItem(self, number, isForWriting: false, descriptor: $0.reading) }
    }

    /// Opens a file for reading by its row. Returns `nil` if the engine's thread has to open it.
    ///
    /// - Parameter epoch: the epoch of the open files before the row was read. If it has changed, the row may be
    ///   outdated.
    private nonisolated func openAtOnce(_ row: IndexedItem, since epoch: Int) -> OpenItem? {
        guard row.item.kind == .file else { return nil }
        let (number, now) = (row.number, clock.now)
        var file: FileDescriptor?
        switch row.content {
        case .dataless, .partial: break
        case .current:
            guard row.localVersion == row.item.contentVersion else { return nil }
            file = try? folders.open(number, in: folders.lastClean, .readOnly)
            if file == nil { return nil }
        case .edited:
            file = try? folders.open(number, in: folders.edits, .readOnly)
            if file == nil { return nil }
        }
        let found = file
        let entry = openFiles.withLock { state -> OpenFiles.Entry? in
            guard state.epoch == epoch, !state.claimed.contains(number) else { return nil }
            // Another thread may have opened the file first. Its descriptor refers to the same file.
            if state.entries[number] == nil { state.entries[number] = OpenFiles.Entry(reading: found) }
            return state.openForReading(number, now)
        }
        return entry.map { OpenItem(self, number, isForWriting: false, descriptor: $0.reading) }
    }

    /// Closes a handle. Closing a read handle completes at once; closing a write handle completes on the engine's
    /// thread.
    nonisolated func closed(
        _ number: ItemNumber, isForWriting: Bool,
        _ completion: @escaping @Sendable (Result<Void, ProviderFailure>) -> Void
    ) {
        guard !isForWriting else {
            return perform { engine in
                completion(Result { () throws(ProviderFailure) in try engine.closedWriting(number) })
            }
        }
        let (last, usesAreDue) = openFiles.withLock { state in
            (state.close(number, isForWriting: false), state.uses.count >= 1024 || state.personal.isDue)
        }
        completion(.success(()))
        if let last, last.isOutdated || last.isDiscarded || last.reading == nil {
            perform { $0.lastClosed(number, last) }
        }
        if usesAreDue { perform { $0.writeUses() } }
    }

    // MARK: On the engine's thread

    func open(_ number: ItemNumber, _ opening: PendingOpening) {
        lookAtOutdated(number)
        if isGrowing(number), !isClosed {
            if opening.wait() { contents.openings[number, default: []].append(opening) }
            return
        }
        opening.finish { () throws(ProviderFailure) in try opened(number, for: opening.purpose) }
    }

    /// Resumes the openings that wait for a file's growth. If the fetch failed, readers share the local version, and
    /// truncating openings proceed. Other writers fail, because they would edit an outdated version.
    func endOpeningWaits(for number: ItemNumber, _ result: Result<Void, ProviderFailure>) {
        for opening in contents.openings.removeValue(forKey: number) ?? [] {
            switch result {
            case .success: open(number, opening)
            case .failure(let failure) where opening.purpose == .writing(truncating: false): opening.fail(failure)
            case .failure:
                opening.finish { () throws(ProviderFailure) in try opened(number, for: opening.purpose) }
            }
        }
    }

    /// Opens a file on the engine's thread, as ``open(_:for:completion:)`` does.
    func opened(_ number: ItemNumber, for purpose: OpenPurpose) throws(ProviderFailure) -> OpenItem {
        guard !isClosed else { throw .closed }
        let row = try row(number)
        guard row.item.kind == .file else {
            throw ProviderFailure(.unsupported, message: "“\(row.name)” is not a file.")
        }
        if purpose == .writing(truncating: false), contents.parts.files[number]?.isStale == true { throw .otherVersion }
        let (isForWriting, now) = (purpose.isWriting, clock.now)
        openFiles.withLock { state in state.open(number, isForWriting: isForWriting, now) }
        do throws(ProviderFailure) {
            let file =
                switch purpose {
                case .reading: try fileForReading(row)
                case .writing(let truncating):
                    try makingRoom { () throws(ProviderFailure) in
                        try onDisk { () throws(Errno) in try writerMarks.mark(number) }
                        return try fileForWriting(row, truncating: truncating)
                    }
                }
            // The file is empty now, so that readers and writers that wait for its contents need not wait any longer.
            if purpose == .writing(truncating: true) {
                endParts(number)
                makeReady(number)
            }
            if file != nil { noteUse(of: number) }
            return OpenItem(self, number, isForWriting: isForWriting, descriptor: file)
        } catch {
            if let last = openFiles.withLock({ $0.close(number, isForWriting: isForWriting) }) {
                lastClosed(number, last)
            }
            if isForWriting, !isOpenForWriting(number) { writerMarks.unmark(number) }
            throw error
        }
    }

    /// Returns the row of an item whose bytes are read. The row of a removed item is returned as long as a program
    /// has the file open.
    func openRow(_ number: ItemNumber) throws(ProviderFailure) -> IndexedItem {
        try context.row(of: number, evenIfDeleted: openFiles.entry(number) != nil)
    }

    /// Returns the file that all handles of an item share, or `nil` if its bytes are not local.
    func fileForReading(_ row: IndexedItem) throws(ProviderFailure) -> FileDescriptor? {
        let number = row.number
        if let file = openFiles.entry(number)?.reading { return file }
        // A handle has already read bytes of another version.
        if contents.parts.files[number]?.isStale == true { return nil }
        let folder: FileDescriptor
        switch row.content {
        case .dataless, .partial: return nil
        case .current:
            // No handle uses this outdated version, so it is dropped.
            guard row.localVersion == row.item.contentVersion else {
                try forgetContents(number)
                return nil
            }
            folder = folders.clean
        case .edited: folder = folders.edits
        }
        if let file = try onDisk({ () throws(Errno) in try folders.open(number, in: folder, .readOnly) }) {
            openFiles.update(number) { $0.reading = file }
            return file
        }
        guard row.content == .current else {
            throw ProviderFailure(.cannotSynchronize, message: "The edited contents of “\(row.name)” are gone.")
        }
        // The clean file was removed from the cache directory by another process.
        try forgetContents(number)
        return nil
    }

    /// Marks a file as dataless in the index, and removes its local clean contents and parts.
    func forgetContents(_ number: ItemNumber) throws(ProviderFailure) {
        try onDisk { () throws(Errno) in
            try folders.remove(number, in: folders.clean)
            try folders.remove(number, in: folders.parts)
        }
        try write(freesSpace: true) { writer throws(IndexFailure) in
            try writer.update(number) { row in
                row.content = .dataless
                row.localSize = 0
                row.localVersion = []
                row.parts = ByteRanges()
            }
        }
    }

    private func isGone(_ number: ItemNumber) -> Bool {
        do throws(IndexFailure) {
            return try index.itemEvenIfDeleted(number) == nil
        } catch {
            return false
        }
    }

    /// Releases the contents of a file after its last handle was closed, and ends the requests that waited for the
    /// file.
    ///
    /// - Parameter entry: the file's entry at the time of the close.
    func lastClosed(_ number: ItemNumber, _ entry: OpenFiles.Entry) {
        if entry.isDiscarded || isGone(number) {
            discardContents(number)
        } else if entry.isOutdated {
            dropOutdatedContents(number)
        }
        guard openFiles.entry(number) == nil else { return }
        // Only waiters that were cancelled are left.
        for waiter in contents.waiters.removeValue(forKey: number) ?? [] { waiter.answer.cancel() }
        cancelFetch(number)
        endOpeningWaits(for: number, .success(()))
        putAwayParts(number)
        endRemovalWaits(for: number, nil)
    }
}

extension OpenFiles.State {
    /// Counts an additional handle.
    mutating func open(_ number: ItemNumber, isForWriting: Bool, _ now: Double) {
        var entry = entries[number] ?? OpenFiles.Entry()
        if isForWriting { entry.writers += 1 } else { entry.readers += 1 }
        entries[number] = entry
        uses[number] = now
    }

    /// Counts an additional read handle of a file that is open already. Returns `nil` if the file is not open, or if
    /// its version is older than the provider's. If the bytes are local, the file counts as used by the user.
    mutating func openForReading(_ number: ItemNumber, _ now: Double) -> OpenFiles.Entry? {
        guard let entry = entries[number], !entry.isOutdated else { return nil }
        open(number, isForWriting: false, now)
        if entries[number]?.reading != nil { personal.note(number, now) }
        return entries[number]
    }

    /// Counts a closed handle.
    ///
    /// - Returns: the file's entry if this was its last handle.
    mutating func close(_ number: ItemNumber, isForWriting: Bool) -> OpenFiles.Entry? {
        guard var entry = entries[number] else { return nil }
        if isForWriting { entry.writers -= 1 } else { entry.readers -= 1 }
        entries[number] = entry.openings > 0 ? entry : nil
        return entry.openings > 0 ? nil : entry
    }
}
