import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Uploads new contents.
extension Uploader {
    func sendContents(
        _ entry: JournalEntry, _ row: IndexedItem, _ engine: isolated any EngineEvents
    ) async throws -> StepResult {
        let number = entry.number
        if let sent = scheduler.table[number].accepted, sent.generation == scheduler.table[number].generation {
            return try await pollConfirmation(entry, row, sent, engine)
        }
        scheduler.table.setAccepted(number, nil)
        if let result = try settleTaken(row, engine) { return result }
        if let result = scheduler.waitsForLargeUploads(row) { return result }
        let current: ProviderItem
        do {
            current = try await asking { () async throws(ProviderError) in
                try await provider.item(row.item.identifier)
            }
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            return try await finder.findNewIdentifier(of: number, asked: row.item.identifier, engine)
                ?? recreation.makeAgain(number, engine)
        }
        if current.isOfAnotherKind(than: row.item) { return try recreation.makeAgain(number, engine) }
        try check(current, is: .file, row.item.identifier)
        if current.contentVersion != entry.baseVersion { return try await resolveConflict(number, current, engine) }

        guard let upload = try await uploadCopy(of: number, engine) else { return .later(configuration.settlingTime) }
        let generation = upload.generation
        try await synchronized()
        // If another file replaced this one meanwhile, that file is sent instead.
        guard scheduler.table[number].step?.successor == nil else { return .done }
        if let result = try settleTaken(row, engine) { return result }
        let answer: ProviderItem
        do {
            answer = try await askingForChange { () async throws(ProviderError) in
                try await provider.replaceContents(
                    of: row.item.identifier, with: upload.file, base: entry.baseVersion,
                    modified: row.localModified ?? entry.modified)
            }
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            return try await finder.findNewIdentifier(of: number, asked: row.item.identifier, engine)
                ?? recreation.makeAgain(number, engine)
        }
        try check(answer, is: .file)
        try await finder.checkIdentity(answer, of: number, asked: row.item.identifier, engine)
        return try uploadDidFinish(
            number, generation: generation, size: upload.size, answer, asked: row.item.identifier, engine)
    }

    struct Upload {
        let file: FileDescriptor
        let size: Int64
        let generation: UInt64
    }

    /// Copies a file's contents for an upload. Returns `nil` if the file is being written to.
    func uploadCopy(of number: ItemNumber, _ engine: isolated any EngineEvents) async throws -> Upload? {
        do {
            return try await makeUploadCopy(of: number)
        } catch let failure as ProviderError where failure.kind == .noSpace {
            let size = (try? folders.edits.status(of: ContentFolders.name(number))).map { Int64($0.size) } ?? 0
            guard evictor.evict(bytes: max(size, Evictor.leastRoom), engine) > 0 else { throw failure }
            return try await makeUploadCopy(of: number)
        }
    }

    nonisolated(nonsending) private func makeUploadCopy(of number: ItemNumber) async throws -> Upload? {
        let generation = scheduler.table[number].generation
        let name = UploadName.latest(number)
        let earlier = UploadName.earlier(number)
        let (folders, isOpen) = (folders, isOpenForWriting(number))
        do {
            let file = try await blocking {
                let source = try folders.edits.open(ContentFolders.name(number), [.readOnly, .noFollow])
                // If a page is dirty already, a write to it through a memory mapping does not change the modification
                // date. Sealing writes such pages to disk first.
                if isOpen { try UploadCopy.seal(source) }
                // The previous upload copies stay, because the provider may have received one of them.
                try UploadCopy.keep(name, as: earlier, in: folders.uploads)
                return try UploadCopy.make(of: source, named: name, in: folders.uploads)
            }
            EngineStep.copied.reach()
            return Upload(file: file, size: Int64(try file.status().size), generation: generation)
        } catch UploadCopy.UploadCopyError.changing {
            return nil
        } catch UploadCopy.UploadCopyError.noSpace {
            throw ProviderError(.noSpace, message: "The disk has no space for the copy that is to be sent.")
        }
    }

    /// Records that the provider has accepted the contents that the step of the item `sender` sent.
    ///
    /// - Parameter identifier: The item's identifier in the request. The reply may contain a new one.
    func uploadDidFinish(
        _ sender: ItemNumber, generation: UInt64, size: Int64, _ answer: ProviderItem, asked identifier: String,
        _ engine: isolated any EngineEvents
    ) throws -> StepResult {
        let number = scheduler.table[sender].step?.successor ?? sender
        guard var entry = try journal.entry(number), let row = try index.itemEvenIfDeleted(number),
            number == sender || row.item.identifier.hasSameBytes(as: identifier)
                || row.item.identifier.hasSameBytes(as: answer.identifier)
        else { return .done }
        var answer = answer
        // The item may have got another identifier meanwhile, if a directory above it got one.
        if answer.identifier.hasSameBytes(as: identifier) { answer.identifier = row.item.identifier }
        let (double, result) = try finder.double(of: number, answer, engine)
        if let result { return result }
        let isFetchedAnew = answer.flags.contains(.hasOtherContents)
        answer.flags.subtract(.ofAnswers)
        let isLatest =
            number == sender && generation == scheduler.table[number].generation
            && entry.changes.contains(.contents)
        reconciler.confirmed(
            answer.identifier, told: row.item, answer.kept(at: row), request: scheduler.request(of: sender), engine)
        entry.identifier = answer.identifier
        entry.setPlace(of: row.item)
        entry.baseVersion = answer.contentVersion
        try passMetadata(of: number, to: answer.identifier)
        defer {
            tracker.follow(number, from: row.item.identifier, to: answer.identifier, engine)
            if let double { recreation.forgetDouble(double, engine) }
        }
        if isLatest {
            scheduler.table.setAccepted(number, AcceptedContents(generation: generation, size: size))
        }
        // An open file may be written to again, so its edit ends only after it is closed.
        if isLatest, answer.flags.contains(.uploaded), !isOpenForWriting(number) {
            try confirmContents(entry, answer, isFetchedAnew: isFetchedAnew, engine)
            return .done
        }
        let changed = entry
        try writer.confirm([.put(changed)]) { writer throws(IndexError) in
            try writer.update(number) { $0.item = answer.kept(at: row) }
        }
        return .done
    }

    /// Records that the provider's service has the local contents. If a crash loses this record, the edit is sent
    /// again, and the engine finds that the provider already has it.
    ///
    /// - Parameter isFetchedAnew: Whether the provider converted the contents. The converted contents are fetched when
    ///   they are next read.
    func confirmContents(
        _ entry: JournalEntry, _ answer: ProviderItem, isFetchedAnew: Bool = false, _ engine: isolated any EngineEvents
    ) throws {
        let number = entry.number
        var entry = entry
        entry.changes.remove(.contents)
        entry.baseVersion = answer.contentVersion
        entry.failure = nil
        let changed = entry
        let version = isFetchedAnew ? answer.versionOfOlderContents : answer.contentVersion
        let applied = try writing.reconcileContents(number, engine) { size in
            try writer.confirm([changed.changes.isEmpty ? .remove(number) : .put(changed)]) {
                writer throws(IndexError) in
                try writer.update(number) { row in
                    row.settle(size: size, version: version)
                    row.item = answer.kept(at: row)
                    row.changes = changed.changes
                }
                return try changed.changes.isDisjoint(with: [.deleted, .place])
                    ? writer.apply([answer]) : AppliedItems()
            }
        }
        replies.noteReport(of: [answer.identifier])
        reconciler.handle(applied, engine)
        scheduler.table.setAccepted(number, nil)
        folders.removeUploads(of: number)
        metadata.sendAttributesNow(of: number, isNew: false, engine)
        // The provider's own storage retains a copy of the uploaded contents, which is not needed any more.
        let (provider, identifier) = (provider, answer.identifier)
        Task.detached { await provider.stopProviding(identifier) }
    }

    // MARK: Confirmation

    /// Requests the item from the provider to find out whether the provider's service has the contents that the
    /// provider accepted.
    private func pollConfirmation(
        _ entry: JournalEntry, _ row: IndexedItem, _ sent: AcceptedContents, _ engine: isolated any EngineEvents
    ) async throws -> StepResult {
        let number = entry.number
        var item: ProviderItem
        do {
            item = try await asking { () async throws(ProviderError) in
                try await provider.item(row.item.identifier)
            }
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            return try await finder.findNewIdentifier(of: number, asked: row.item.identifier, engine)
                ?? recreation.makeAgain(number, engine)
        } catch let failure as ProviderError where failure.kind == .processEnded {
            // The uploads that the process was performing may be lost.
            scheduler.table.setAccepted(number, nil)
            throw failure
        }
        try check(item, is: .file, row.item.identifier)
        if let failure = item.uploadingError {
            scheduler.table.setAccepted(number, nil)
            throw failure
        }
        guard item.flags.contains(.uploaded) else {
            guard var sent = scheduler.table[number].accepted else { return .done }
            sent.polls += 1
            // An extension that was restarted may have lost the upload.
            if sent.polls % 8 == 0, !item.flags.contains(.uploading) {
                scheduler.table.setAccepted(number, nil)
            } else {
                scheduler.table.setAccepted(number, sent)
            }
            return .later(delay(afterAttempt: sent.polls))
        }
        if item.contentVersion != entry.baseVersion {
            // The service now has its own version of the upload, or a later version from another client.
            return try await resolveConflict(number, item, engine)
        }
        guard !isOpenForWriting(number) else { return .awaitsEvent }
        guard let entry = try journal.entry(number), sent.generation == scheduler.table[number].generation,
            entry.changes.contains(.contents), let now = try index.itemEvenIfDeleted(number)
        else { return .done }
        item.identifier = now.item.identifier
        try confirmContents(entry, item, engine)
        return .done
    }
}

extension ProviderItem {
    /// A version tag for local contents that differ from this item's contents. It differs from the item's own version
    /// tag.
    var versionOfOlderContents: [UInt8] { contentVersion + [0] }

    /// Returns the reply to a request, with the name that was sent in place of the provider's. The provider's name is
    /// applied later. A name that differs only in its Unicode normal form counts as equal and stays, because a local
    /// lookup of the sent name finds the item anyway.
    func sent(as name: String) -> ProviderItem {
        guard filename != name else { return self }
        var item = self
        item.filename = name
        return item
    }

    /// Returns the reply to an upload, with the place in `row` instead of the reported one. The engine adopts a place
    /// only from the reply to a move, or from a reported change.
    func kept(at row: IndexedItem) -> ProviderItem {
        var item = self
        item.parent = row.item.parent
        item.filename = row.item.filename
        return item
    }
}
