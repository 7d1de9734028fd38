import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Uploads items that were created locally.
extension Uploader {
    func sendNewItem(
        _ entry: JournalEntry, _ row: IndexedItem, _ engine: isolated any EngineEvents
    ) async throws -> StepResult {
        let number = entry.number
        guard let parent = try index.item(row.parent) else { return try moveToRoot(entry, row, engine) }
        guard parent.isKnownToProvider else { return .waits(for: parent.number) }
        var upload: Upload?
        if row.item.kind == .file {
            if let result = scheduler.waitsForLargeUploads(row) { return result }
            upload = try await uploadCopy(of: number, engine)
            guard upload != nil else { return .later(configuration.settlingTime) }
        }
        let new = NewItem(
            parent: parent.item.identifier, filename: row.name, kind: row.item.kind, linkTarget: row.item.linkTarget,
            modified: row.localModified ?? entry.modified, isExecutable: row.mode.map { $0 & 0o111 != 0 } ?? false,
            isPrivate: row.mode.map { $0 & 0o077 == 0 } ?? false, template: row.item.identifier,
            mayAlreadyExist: entry.mayAlreadyExist)
        if let result = try await findSent(number, new, upload, engine) { return result }
        let place = SentLocation(parent: new.parent, name: new.filename)
        if let sender = try tracker.sender(besides: number, to: place) {
            scheduler.hurry(sender)
            return .waits(for: sender)
        }
        if let removal = try removalWaits.removal(in: place) { return .waits(for: removal) }
        if let result = try await finder.findMoved(from: place, for: number, engine) { return result }
        if let result = try await findUnfit(number, entry, new, in: parent.number, upload, engine) { return result }
        // A request that has to wait is not recorded as sent.
        if let result = try tracker.obstacle(for: number, to: place, in: parent.number) { return result }
        // The place is on disk before the provider is asked, because the reply may be lost, for example by a power
        // failure.
        try tracker.noteSent(number, place, engine)
        try await synchronized()
        EngineStep.placeNoted.reach()
        if let result = try tracker.obstacle(for: number, to: place, in: parent.number) { return result }
        let answer: ProviderItem
        do {
            let file = upload?.file
            answer = try await askingForChange { () async throws(ProviderError) in
                try await provider.create(new, contents: file)
            }
        } catch let failure as ProviderError where failure.kind == .filenameCollision {
            return try await resolveCollision(number, new, parent: parent.number, upload, failure, engine)
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            return try await reconcileMissingParent(parent, failure, engine)
        } catch let failure as ProviderError where failure.kind == .badAnswer {
            // The provider may have created the item nevertheless.
            scheduler.table.setUnfit(number, .repeatableCreation)
            throw failure
        }
        do { try check(answer, is: row.item.kind) } catch { throw unfit(number, answer, new, error) }
        try await finder.resolveHolder(of: answer.identifier, besides: number, engine)
        if let known = try index.item(identifier: answer.identifier), known.number.rawValue < number.rawValue,
            known.isCreatedLocally || !known.changes.isEmpty, known.item.isAt(new.filename, in: new.parent),
            let result = try finder.reconcileReplaced(known, engine)
        {
            return result
        }
        do { try checkIsNew(answer, number, new) } catch let failure as ProviderError {
            throw unfit(number, answer, new, failure)
        }
        return try finishNewItem(number, sent: new, in: parent.number, upload, answer, engine)
    }

    /// Checks that the reply to the creation of an item can be about this item. If the index already has the item in
    /// the reply, one of two conditions must hold: its row was added after the new item was created locally, or it has
    /// the name that was sent, as when a service merges two items. Any other known item is a different one.
    private func checkIsNew(_ answer: ProviderItem, _ number: ItemNumber, _ new: NewItem) throws {
        guard let known = try index.item(identifier: answer.identifier), known.number != number else { return }
        let mayBeIt =
            known.item.kind == new.kind && !known.isCreatedLocally
            && (known.number.rawValue > number.rawValue || known.item.isAt(new.filename, in: new.parent))
        if !mayBeIt {
            throw ProviderError(
                .badAnswer, message: "The provider gave a new item the identifier of “\(known.name)”.")
        }
    }

    /// Looks for an item in the place to which it was sent earlier, if the outcome is unknown and the item now has
    /// another place.
    ///
    /// - Returns: `nil` if the step can continue.
    private func findSent(
        _ number: ItemNumber, _ new: NewItem, _ upload: Upload?, _ engine: isolated any EngineEvents
    ) async throws -> StepResult? {
        guard let place = try journal.entry(number)?.sent,
            place != SentLocation(parent: new.parent, name: new.filename)
        else { return nil }
        let request = replies.beginRequest()
        guard let found = try await finder.item(at: place) else { return nil }
        if let result = try formerHolder(of: found, besides: number) { return result }
        if try index.item(identifier: place.parent) == nil {
            // The index was lost after the item was sent.
            let folders = try await reconciler.withAncestors([found], engine).dropLast()
            if isClosed { throw EngineClosedError() }
            try reconciler.apply(Array(folders), answering: request, engine)
        }
        let known = try index.item(identifier: found.identifier)
        let isDeleted = known?.changes.contains(.deleted) ?? false
        // A local item that was confirmed under this name meanwhile is certainly a different one.
        let isCreatedLocally = known?.isCreatedLocally ?? false
        if found.kind == new.kind, !isDeleted, !isCreatedLocally, let parent = try index.item(identifier: place.parent)
        {
            var sent = new
            sent.parent = place.parent
            sent.filename = place.name
            let result = try await adopt(
                number, sent, parent: parent.number, upload, found, isFoldersOwn: false, engine)
            if let result { return result }
        }
        // The item that was found is a different one, and is shown as a separate item.
        try tracker.noteSent(number, nil, engine)
        if !isDeleted { try reconciler.apply([found], answering: request, engine) }
        return nil
    }

    /// Records that the provider has the new item. The item's identifier comes from the reply.
    ///
    /// - Parameter wasThere: Whether the provider had the item before the request. If it is a directory, it may then
    ///   contain further items.
    func finishNewItem(
        _ number: ItemNumber, sent: NewItem, in parent: ItemNumber, _ upload: Upload?, _ answer: ProviderItem,
        wasThere: Bool = false, _ engine: isolated any EngineEvents
    ) throws -> StepResult {
        guard var entry = try journal.entry(number), let row = try index.itemEvenIfDeleted(number) else { return .done }
        let answered = answer.flags.intersection(.ofAnswers)
        var answer = answer
        answer.flags.subtract(.ofAnswers)
        let isOutdated = try tracker.isOutdated(&answer, in: parent, asked: sent.parent)
        // The provider may leave out the link's target, which is then the target in the request.
        if answer.kind == .symbolicLink, answer.linkTarget == nil { answer.linkTarget = sent.linkTarget }
        scheduler.table.setUnfit(number, nil)
        var double = try index.item(identifier: answer.identifier).flatMap { $0.number == number ? nil : $0.number }
        if let other = double {
            // Local changes of the duplicate row are sent first, or become a new item. In the second case, the row is
            // no longer a duplicate.
            if let result = try recreation.free(other, engine) { return result }
            if try index.item(identifier: answer.identifier)?.number != other { double = nil }
        }
        entry.identifier = answer.identifier
        entry.setPlace(of: answer)
        entry.changes.remove(.created)
        entry.mayAlreadyExist = false
        entry.baseVersion = answer.contentVersion
        entry.failure = nil
        let place = entry.sent
        entry.sent = nil
        let isDeleted = entry.changes.contains(.deleted)
        if !isDeleted, row.parent != parent || !row.name.hasSameBytes(as: sent.filename) {
            entry.changes.insert(.place)
        }
        let isLatest =
            !answered.contains(.lacksContents)
            && upload.map { $0.generation == scheduler.table[number].generation } ?? false
        if row.item.kind != .file { entry.changes.remove(.contents) }
        if isLatest, let upload, !isDeleted {
            scheduler.table.setAccepted(number, AcceptedContents(generation: upload.generation, size: upload.size))
        }
        let isConfirmed = isLatest && !isDeleted && answer.flags.contains(.uploaded) && !isOpenForWriting(number)
        if isConfirmed { entry.changes.remove(.contents) }
        let changed = entry
        let version = answered.contains(.hasOtherContents) ? answer.versionOfOlderContents : answer.contentVersion
        let isFilled = wasThere || tracker.holdsItems(answer.identifier)
        var records: [JournalChange] = [changed.changes.isEmpty && !changed.isOpen ? .remove(number) : .put(changed)]
        if row.item.kind == .folder { records += try recorder.entries(in: number, whichIsNow: answer.identifier) }
        if let double { records.append(.remove(double)) }
        let written = records
        let isInPlace = changed.changes.isDisjoint(with: [.deleted, .place])
        let asSent = isInPlace ? answer.sent(as: sent.filename) : answer
        func write(settling size: Int64?) throws -> AppliedItems {
            try writer.confirm(written) { writer throws(IndexError) in
                // A listing may have reported the item before the reply came. The index then merges the reported row
                // into this one.
                try writer.update(number) { row in
                    row.item = asSent
                    row.changes = changed.changes
                    row.localVersion = answer.contentVersion
                    if let size { row.settle(size: size, version: version) }
                    if isFilled, row.item.kind == .folder { row.listing = .never }
                }
                return try isInPlace ? writer.apply([answer]) : AppliedItems()
            }
        }
        let applied =
            try isConfirmed ? writing.reconcileContents(number, engine, write(settling:)) : write(settling: nil)
        if isConfirmed { scheduler.table.setAccepted(number, nil) }
        // No earlier report is passed, because this row had none. A listing that reported the item meanwhile created
        // the duplicate row.
        reconciler.confirmed(
            answer.identifier, told: nil, nil, request: scheduler.request(of: number), engine)
        reconciler.handle(applied, engine)
        if let place { tracker.settle(place, of: number, as: answer.identifier, engine) }
        if let double {
            recorder.removeBytes(of: double, engine)
            scheduler.forget(double, engine)
        }
        if isConfirmed || row.item.kind != .file { folders.removeUploads(of: number) }
        if isOutdated { try tracker.listForIdentifiers(parent, engine) }
        if !isDeleted { metadata.sendAttributesNow(of: number, isNew: true, engine) }
        scheduler.wakeWaiters(of: number)
        return .done
    }

    /// Creates the parent directory of a new or moved item again, if the provider no longer has it.
    func reconcileMissingParent(
        _ parent: IndexedItem, _ failure: ProviderError, _ engine: isolated any EngineEvents
    ) async throws -> StepResult {
        guard parent.number != .root else { throw failure }
        if let result = try await finder.findNewIdentifier(of: parent.number, asked: parent.item.identifier, engine) {
            return result
        }
        do {
            _ = try await asking { () async throws(ProviderError) in
                try await provider.item(parent.item.identifier)
            }
        } catch let failure as ProviderError where failure.kind == .noSuchItem {
            recreation.noteRemovedByProvider([parent.number], engine)
            return .later(0)
        }
        throw failure
    }
}

extension IndexedItem {
    /// Whether the item was created on this machine, or has a local mode or date that the provider does not receive.
    fileprivate var isCreatedLocally: Bool { mode != nil || localModified != nil }
}
