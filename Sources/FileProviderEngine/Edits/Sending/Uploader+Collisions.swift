import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Resolves name collisions: another item at the provider has the name that an item should get.
extension Uploader {
    /// Resolves the collision of a new item with the provider's item that has its name. The provider's item may be the
    /// new item itself, created before a crash or by a request whose reply was lost.
    func resolveCollision(
        _ number: ItemNumber, _ new: NewItem, parent: ItemNumber, _ upload: Upload?, _ failure: ProviderError,
        _ engine: isolated any EngineEvents
    ) async throws -> StepResult {
        let request = replies.beginRequest()
        guard let holder = try await holder(of: new.filename, in: new.parent, failure),
            occupiesName(holder, of: number, named: new.filename, in: new.parent)
        else { throw failure }
        // An item that was removed or moved away after the request does not collide.
        if replies.isStale(for: holder.identifier, since: request) { return .later(0) }
        if let result = try await makeWay(for: number, holder, engine) { return result }
        let place = SentLocation(parent: new.parent, name: new.filename)
        if let sender = try tracker.sender(besides: number, to: place) { return .waits(for: sender) }
        guard try isSettled(holder, number, named: new.filename, in: new.parent) else { throw failure }
        if let result = try await adopt(number, new, parent: parent, upload, holder, isFoldersOwn: true, engine) {
            return result
        }
        try takeNumberedName(number, holder, engine)
        return .done
    }

    /// Treats the provider's item `holder` as the new item, if both are the same or have equal contents.
    ///
    /// - Parameter isFoldersOwn: Whether a directory with the new item's name is treated as the new item even if it is
    ///   not empty.
    /// - Returns: `nil` if `holder` is a different item.
    func adopt(
        _ number: ItemNumber, _ new: NewItem, parent: ItemNumber, _ upload: Upload?, _ holder: ProviderItem,
        isFoldersOwn: Bool, _ engine: isolated any EngineEvents
    ) async throws -> StepResult? {
        guard holder.kind == new.kind else { return nil }
        switch new.kind {
        case .folder:
            guard try await isFree(holder) else { return nil }
            if !isFoldersOwn, try await !isEmpty(holder) { return nil }
            return try finishNewItem(number, sent: new, in: parent, nil, holder, wasThere: true, engine)
        case .symbolicLink:
            let target = new.linkTarget.map { ExactText($0) }
            guard holder.linkTarget.map({ ExactText($0) }) == target, try await isFree(holder) else { return nil }
            return try finishNewItem(number, sent: new, in: parent, nil, holder, engine)
        case .file:
            guard let upload else { return nil }
            let (likeness, theirs) = try await likeness(of: number, to: holder)
            switch likeness {
            case .edited: return try finishNewItem(number, sent: new, in: parent, upload, theirs, engine)
            case .sent:
                let earlier = Upload(file: upload.file, size: upload.size, generation: .max)
                return try finishNewItem(number, sent: new, in: parent, earlier, theirs, engine)
            case .other: return nil
            }
        }
    }

    /// Resolves the collision of a moved item with the provider's item that has its new name.
    func resolveCollision(
        _ number: ItemNumber, movedTo name: String, in parent: String, _ failure: ProviderError,
        _ engine: isolated any EngineEvents
    ) async throws -> StepResult {
        let request = replies.beginRequest()
        guard let holder = try await holder(of: name, in: parent, failure),
            occupiesName(holder, of: number, named: name, in: parent)
        else { throw failure }
        // An item that was removed or moved away after the request does not collide.
        if replies.isStale(for: holder.identifier, since: request) { return .later(0) }
        if let result = try await makeWay(for: number, holder, engine) { return result }
        let place = SentLocation(parent: parent, name: name)
        if let sender = try tracker.sender(besides: number, to: place) { return .waits(for: sender) }
        guard try isSettled(holder, number, named: name, in: parent) else { throw failure }
        try takeNumberedName(number, holder, engine)
        return .done
    }

    /// Whether it is certain that the provider's item `holder` has the name. If the index has `holder` in another
    /// place, or does not have it, it may be a local item whose step has just ended. In this case the step is repeated
    /// once before anything is renamed or merged.
    private func isSettled(
        _ holder: ProviderItem, _ number: ItemNumber, named name: String, in parent: String
    ) throws(IndexError) -> Bool {
        guard scheduler.table[number].attempts == 0 else { return true }
        guard let row = try index.item(identifier: holder.identifier) else { return false }
        return row.item.isAt(name, in: parent)
    }

    /// Whether `holder` still has the name that the item `number` should get. `holder` may have been renamed or moved
    /// since the request. A provider may also compare names differently, for example without case. Therefore the
    /// collision counts as real after three attempts.
    private func occupiesName(_ holder: ProviderItem, of number: ItemNumber, named name: String, in parent: String)
        -> Bool
    {
        holder.isAt(name, in: parent) || scheduler.table[number].attempts >= 3
    }

    /// Whether the provider's item has no local changes and no running step.
    nonisolated(nonsending) private func isFree(_ holder: ProviderItem) async throws -> Bool {
        guard let row = try index.item(identifier: holder.identifier) else { return true }
        let hasEntry = try journal.entry(row.number) != nil
        return row.changes.isEmpty && !scheduler.table.isBusy(row.number) && !hasEntry
    }

    /// Returns the item that now has the given name at the provider; `nil` if it cannot be found.
    nonisolated(nonsending) func holder(
        of name: String, in parent: String, _ failure: ProviderError
    ) async throws -> ProviderItem? {
        if let identifier = failure.collidingItem {
            return try await asking { () async throws(ProviderError) in try await provider.item(identifier) }
        }
        return try await finder.listedItem(named: name, in: parent)
    }

    /// Makes the given item wait if the provider's item `holder` is about to be moved or removed. If `holder` itself
    /// waits for the given item, renames `holder` temporarily at the provider.
    ///
    /// - Returns: `nil` if `holder` is not about to be moved or removed.
    private func makeWay(
        for number: ItemNumber, _ holder: ProviderItem, _ engine: isolated any EngineEvents
    ) async throws -> StepResult? {
        guard let row = try index.item(identifier: holder.identifier) ?? tracker.rowLeft(at: holder),
            row.number != number,
            let entry = try journal.entry(row.number), !entry.changes.isDisjoint(with: [.place, .deleted])
        else { return nil }
        guard scheduler.waits(row.number, for: number) else {
            if uploads[row.number]?.failure == nil { scheduler.hurry(row.number) }
            return .waits(for: row.number)
        }
        let name = ConflictName.inserting(
            " (purvey \(String(UInt32.random(in: .min ... .max), radix: 16)))",
            into: holder.filename)
        let moved = row.number
        guard scheduler.table.reserve(moved, by: number) else { return .waits(for: moved) }
        defer { scheduler.table.endReservation(moved, at: clock.now) }
        // Journal the temporary name first, because the edit that restores the item's own name must not be lost.
        let place = SentLocation(parent: holder.parent, name: name)
        try tracker.noteMayMove(moved, to: place, engine)
        try await synchronized()
        guard try index.itemEvenIfDeleted(moved)?.item.identifier.hasSameBytes(as: holder.identifier) == true else {
            return .later(0)
        }
        let answer = try await asking { () async throws(ProviderError) in
            try await provider.move(holder.identifier, to: holder.parent, named: name)
        }
        try check(answer, is: holder.kind)
        try await finder.checkIdentity(answer, of: moved, asked: holder.identifier, engine)
        let (double, result) = try finder.double(of: moved, answer, engine)
        if let result { return result }
        tracker.namesInBetween[ExactText(answer.identifier)] = NameInBetween(name: name)
        reconciler.confirmed(
            answer.identifier, told: nil, nil, request: scheduler.request(of: moved), engine)
        try passMetadata(of: moved, to: answer.identifier)
        try writer.writeIndex { writer throws(IndexError) in
            try writer.update(moved) { row in
                row.item.identifier = answer.identifier
                row.item.parent = answer.parent
                row.item.filename = answer.filename
            }
        }
        if var entry = try journal.entry(moved), !entry.identifier.hasSameBytes(as: answer.identifier) {
            entry.identifier = answer.identifier
            entry.setPlace(of: answer)
            entry.mayHaveMoved = false
            entry.movedTo = nil
            try writer.writeInAnyCase([.put(entry)])
        }
        tracker.follow(moved, from: row.item.identifier, to: answer.identifier, engine)
        if let double {
            try journal.remove(double)
            recreation.forgetDouble(double, engine)
        }
        tracker.forgetMove(of: moved, engine)
        return .later(0)
    }

    /// Renames the given item locally to a numbered name, under which it is then sent.
    private func takeNumberedName(
        _ number: ItemNumber, _ holder: ProviderItem, _ engine: isolated any EngineEvents
    ) throws {
        guard var entry = try journal.entry(number), let row = try index.item(number) else { return }
        // If the colliding item exists locally, too, it gets the original name locally.
        let other = try index.item(identifier: holder.identifier)
        var count = 2
        while let taken = try index.item(named: MountName.numbered(row.name, count), in: row.parent),
            taken.number != other?.number
        { count += 1 }
        let name = MountName.numbered(row.name, count)
        entry.name = name
        let place = entry.sent
        entry.sent = nil
        let changed = entry
        let applied = try recorder.record([.put(changed)], engine) { writer throws(IndexError) in
            try writer.update(number) { $0.name = EditRecorder.nameInBetween }
            let applied = try writer.apply([holder])
            if let other, !other.changes.contains(.place) {
                try writer.update(other.number) { $0.name = MountName.mended(holder.filename) }
            }
            try writer.update(number) { row in
                row.name = name
                if !row.isKnownToProvider { row.item.filename = name }
            }
            return applied
        }
        reconciler.handle(applied, engine)
        if let place { tracker.settle(place, of: number, as: holder.identifier, engine) }
        recorder.note(.renamed(to: name), of: number, row.name)
    }
}
