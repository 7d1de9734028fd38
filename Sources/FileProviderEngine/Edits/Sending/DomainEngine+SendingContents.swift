import FileProvider
import LinuxSystem

/// New contents on their way to the provider.
extension DomainEngine {
    func sendContents(_ entry: JournalEntry, _ row: IndexedItem) async throws -> StepResult {
        let number = entry.number
        if let sent = edits.sent[number], sent.generation == edits.generations[number, default: 0] {
            return try await askWhetherConfirmed(entry, sent)
        }
        edits.sent[number] = nil
        let current: ProviderItem
        do {
            current = try await asking { () async throws(ProviderFailure) in
                try await provider.item(row.item.identifier)
            }
        } catch let failure as ProviderFailure where failure.kind == .noSuchItem {
            return try makeAgain(number)
        }
        try check(current, is: .file, row.item.identifier)
        if current.contentVersion != entry.base { return try await settleConflict(number, current) }

        guard let upload = try await uploadCopy(of: number) else { return .later(configuration.settlingTime) }
        let generation = upload.generation
        let answer: ProviderItem
        do {
            answer = try await asking { () async throws(ProviderFailure) in
                try await provider.replaceContents(
                    of: row.item.identifier, with: upload.file, base: entry.base,
                    modified: row.localModified ?? entry.modified)
            }
        } catch let failure as ProviderFailure where failure.kind == .noSuchItem {
            return try makeAgain(number)
        }
        try check(answer, is: .file, row.item.identifier)
        try took(number, generation: generation, size: upload.size, answer)
        return .done
    }

    struct Upload {
        let file: FileDescriptor
        let size: Int64
        let generation: UInt64
    }

    /// A copy of a file's contents to be sent; `nil` where the file is being written to.
    func uploadCopy(of number: ItemNumber) async throws -> Upload? {
        guard let folders = edits.folders else { throw EngineClosed() }
        let generation = edits.generations[number, default: 0]
        let name = EditFolders.name(number)
        let earlier = EditFolders.earlierName(number)
        do {
            let file = try await blocking {
                let source = try folders.edits.open(name, [.readOnly, .noFollow])
                // What was sent before stays, because the provider may turn out to have that.
                do throws(Errno) {
                    try UploadCopy.move(name, in: folders.uploads, to: folders.uploads, as: earlier)
                } catch .noSuchFile {}
                return try UploadCopy.make(of: source, named: name, in: folders.uploads)
            }
            return Upload(file: file, size: Int64(try file.status().size), generation: generation)
        } catch UploadCopy.Failure.changing {
            return nil
        } catch UploadCopy.Failure.noSpace {
            throw ProviderFailure(.noSpace, message: "The disk has no room for the copy that is to be sent.")
        }
    }

    /// Writes that the provider took contents.
    func took(_ number: ItemNumber, generation: UInt64, size: Int64, _ answer: ProviderItem) throws {
        guard var entry = try journal.entry(number), let row = try index.itemEvenIfDeleted(number) else { return }
        let isLatest = generation == edits.generations[number, default: 0] && entry.changes.contains(.contents)
        entry.base = answer.contentVersion
        if isLatest, answer.flags.contains(.uploaded) {
            try confirmContents(entry, row, answer)
            return
        }
        if isLatest {
            edits.sent[number] = EditState.SentContents(generation: generation, size: size, polls: 0)
        }
        let changed = entry
        try confirm([.put(changed)]) { writer throws(IndexFailure) in
            try writer.update(number) { $0.item = answer }
        }
    }

    /// Writes that the provider has the contents that are here.
    func confirmContents(_ entry: JournalEntry, _ row: IndexedItem, _ answer: ProviderItem) throws {
        let number = entry.number
        var entry = entry
        entry.changes.remove(.contents)
        entry.base = answer.contentVersion
        entry.failure = nil
        let changes = entry.changes
        let isOpen = entry.isOpen
        let wasHidden = changes.contains(.deleted)
        // The bytes go to the cache before anything says that they are there; the entry stays until they have.
        if !isOpen, !wasHidden { try moveToCache(number) }
        try confirm([changes.isEmpty && !isOpen ? .remove(number) : .put(entry)]) { writer throws(IndexFailure) in
            try writer.update(number) { row in
                row.item = answer
                row.changes = changes
                row.localVersion = answer.contentVersion
                if !isOpen, !wasHidden { row.content = .current }
            }
            if changes.isDisjoint(with: [.deleted, .created]) {
                _ = try writer.apply([answer], listedIn: nil, mark: 0)
            }
        }
        edits.sent[number] = nil
        edits.folders?.removeUploads(of: number)
    }

    /// Clean bytes belong to the cache; where that is on another disk they are copied.
    func moveToCache(_ number: ItemNumber) throws(Errno) {
        guard let folders = edits.folders else { return }
        let name = EditFolders.name(number)
        do throws(Errno) {
            try UploadCopy.move(name, in: folders.edits, to: folders.content, as: name)
        } catch .noSuchFile {
            // It was moved before a crash.
        }
    }

    // MARK: Confirmation

    /// The service may not have yet what the provider took: it is asked now and then.
    private func askWhetherConfirmed(_ entry: JournalEntry, _ sent: EditState.SentContents) async throws -> StepResult {
        let number = entry.number
        let item: ProviderItem
        do {
            item = try await asking { () async throws(ProviderFailure) in try await provider.item(entry.identifier) }
        } catch let failure as ProviderFailure where failure.kind == .noSuchItem {
            return try makeAgain(number)
        } catch let failure as ProviderFailure where failure.kind == .processEnded {
            // What it was sending may have gone with it.
            edits.sent[number] = nil
            throw failure
        }
        try check(item, is: .file, entry.identifier)
        if let failure = item.uploadingError {
            edits.sent[number] = nil
            throw failure
        }
        guard item.flags.contains(.uploaded) else {
            guard var sent = edits.sent[number] else { return .done }
            sent.polls += 1
            // An extension that started again may not know of it any more.
            if sent.polls % 8 == 0, !item.flags.contains(.uploading) {
                edits.sent[number] = nil
            } else {
                edits.sent[number] = sent
            }
            return .later(edits.pauses.seconds(after: sent.polls, using: &edits.generator))
        }
        if item.contentVersion != entry.base {
            // The service's own version of what was sent, or somebody's later one.
            return try await settleConflict(number, item)
        }
        guard let entry = try journal.entry(number), let row = try index.itemEvenIfDeleted(number),
            sent.generation == edits.generations[number, default: 0], entry.changes.contains(.contents)
        else { return .done }
        try confirmContents(entry, row, item)
        return .done
    }
}
