import FileProvider
import LinuxSystem

/// What was made here on its way to the provider.
extension DomainEngine {
    func sendNewItem(_ entry: JournalEntry, _ row: IndexedItem) async throws -> StepResult {
        let number = entry.number
        guard let parent = try index.item(row.parent) else { throw LocalFailure(errno: .noSuchFile) }
        guard parent.isKnownToProvider else { return .waits(for: parent.number) }
        var upload: Upload?
        if row.item.kind == .file {
            upload = try await uploadCopy(of: number)
            guard upload != nil else { return .later(configuration.settlingTime) }
        }
        let new = NewItem(
            parent: parent.item.identifier, filename: row.name, kind: row.item.kind, linkTarget: row.item.linkTarget,
            modified: row.localModified ?? entry.modified, isExecutable: row.mode.map { $0 & 0o111 != 0 } ?? false)
        let answer: ProviderItem
        do {
            let file = upload?.file
            answer = try await asking { () async throws(ProviderFailure) in
                try await provider.create(new, contents: file)
            }
        } catch let failure as ProviderFailure where failure.kind == .filenameCollision {
            return try await settleCollision(number, new, parent: parent.number, upload, failure)
        } catch let failure as ProviderFailure where failure.kind == .noSuchItem {
            return try await settleMissingParent(parent, failure)
        }
        try check(answer, is: row.item.kind)
        try finishNewItem(number, sent: new, in: parent.number, upload, answer)
        return .done
    }

    /// Writes that the provider has an item, which from now on is the one of the answer.
    ///
    /// - Parameter wasThere: whether the provider had it before it was asked, so that there may be more in it.
    func finishNewItem(
        _ number: ItemNumber, sent: NewItem, in parent: ItemNumber, _ upload: Upload?, _ answer: ProviderItem,
        wasThere: Bool = false
    ) throws {
        guard var entry = try journal.entry(number), let row = try index.itemEvenIfDeleted(number) else { return }
        let double = try index.item(identifier: answer.identifier).flatMap { $0.number == number ? nil : $0.number }
        entry.identifier = answer.identifier
        entry.changes.remove(.created)
        entry.baseVersion = answer.contentVersion
        entry.failure = nil
        let isDeleted = entry.changes.contains(.deleted)
        if !isDeleted, row.parent != parent || !row.name.hasSameBytes(as: sent.filename) { entry.changes.insert(.place) }
        let isLatest = upload.map { $0.generation == edits.generations[number, default: 0] } ?? false
        if row.item.kind != .file { entry.changes.remove(.contents) }
        if isLatest, let upload, !isDeleted {
            edits.sent[number] = EditState.SentContents(generation: upload.generation, size: upload.size, polls: 0)
        }
        let isConfirmed = isLatest && !isDeleted && answer.flags.contains(.uploaded) && !isOpenForWriting(number)
        if isConfirmed {
            _ = try settleContents(number, version: answer.contentVersion)
            entry.changes.remove(.contents)
            edits.sent[number] = nil
        }
        let changed = entry
        let applied = try confirm([changed.changes.isEmpty && !changed.isOpen ? .remove(number) : .put(changed)]) {
            writer throws(IndexFailure) in
            // An item that came back through a listing before the answer did is this one.
            try writer.update(number) { row in
                row.item = answer
                row.changes = changed.changes
                row.localVersion = answer.contentVersion
                if wasThere, row.item.kind == .folder { row.listing = .never }
            }
            return try changed.changes.isDisjoint(with: [.deleted, .place]) ? writer.apply([answer]) : AppliedItems()
        }
        handle(applied)
        if let double {
            try journal.remove(double)
            removeBytes(of: double)
            forget(double)
        }
        if isConfirmed { removeUploads(of: number) }
        wakeWaiters(of: number)
    }

    /// The folder in which something was to be made is not there any more: it is made again, for what is in it.
    func settleMissingParent(_ parent: IndexedItem, _ failure: ProviderFailure) async throws -> StepResult {
        guard parent.number != .root else { throw failure }
        do {
            _ = try await asking { () async throws(ProviderFailure) in
                try await provider.item(parent.item.identifier)
            }
        } catch let failure as ProviderFailure where failure.kind == .noSuchItem {
            noteRemovedByProvider([parent.number])
            return .later(0)
        }
        throw failure
    }
}
