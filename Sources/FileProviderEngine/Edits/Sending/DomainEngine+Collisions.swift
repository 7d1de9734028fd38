import FileProvider
import LinuxSystem

/// The name that an item is to have at the provider is taken there.
extension DomainEngine {
    /// Of a new item: what has the name may be this very item, made before a crash or an answer that was lost.
    func settleCollision(
        _ number: ItemNumber, _ new: NewItem, parent: ItemNumber, _ upload: Upload?, _ failure: ProviderFailure
    ) async throws -> StepResult {
        let question = answers.ask()
        guard let holder = try await holder(of: new.filename, in: new.parent, failure),
            isInTheWay(holder, of: number, named: new.filename, in: new.parent)
        else { throw failure }
        // What was removed or moved away since is in nobody's way.
        if answers.hasNews(of: holder.identifier, since: question) { return .later(0) }
        if let result = try await makeWay(for: number, holder) { return result }
        let place = SentPlace(parent: new.parent, name: new.filename)
        if let sender = try sender(besides: number, to: place) { return .waits(for: sender) }
        guard try isSettled(holder, number, named: new.filename, in: new.parent) else { throw failure }
        if let result = try await adopt(number, new, parent: parent, upload, holder, isFoldersOwn: true) {
            return result
        }
        try takeNumberedName(number, holder)
        return .done
    }

    /// If what the provider has is the new item, or as good as that, it is that from now on.
    ///
    /// - Parameter isFoldersOwn: whether any folder of the name will do, whatever is in it.
    func adopt(
        _ number: ItemNumber, _ new: NewItem, parent: ItemNumber, _ upload: Upload?, _ holder: ProviderItem,
        isFoldersOwn: Bool
    ) async throws -> StepResult? {
        guard holder.kind == new.kind else { return nil }
        switch new.kind {
        case .folder:
            guard try await isFree(holder) else { return nil }
            if !isFoldersOwn, try await !isEmpty(holder) { return nil }
            return try finishNewItem(number, sent: new, in: parent, nil, holder, wasThere: true)
        case .symbolicLink:
            guard holder.linkTarget == new.linkTarget, try await isFree(holder) else { return nil }
            return try finishNewItem(number, sent: new, in: parent, nil, holder)
        case .file:
            guard let upload else { return nil }
            let (likeness, theirs) = try await likeness(of: number, to: holder)
            switch likeness {
            case .edited: return try finishNewItem(number, sent: new, in: parent, upload, theirs)
            case .sent:
                let earlier = Upload(file: upload.file, size: upload.size, generation: .max)
                return try finishNewItem(number, sent: new, in: parent, earlier, theirs)
            case .other: return nil
            }
        }
    }

    /// Of an item that is moved.
    func settleCollision(
        _ number: ItemNumber, movedTo name: String, in parent: String, _ failure: ProviderFailure
    ) async throws -> StepResult {
        let question = answers.ask()
        guard let holder = try await holder(of: name, in: parent, failure),
            isInTheWay(holder, of: number, named: name, in: parent)
        else { throw failure }
        // What was removed or moved away since is in nobody's way.
        if answers.hasNews(of: holder.identifier, since: question) { return .later(0) }
        if let result = try await makeWay(for: number, holder) { return result }
        let place = SentPlace(parent: parent, name: name)
        if let sender = try sender(besides: number, to: place) { return .waits(for: sender) }
        guard try isSettled(holder, number, named: name, in: parent) else { throw failure }
        try takeNumberedName(number, holder)
        return .done
    }

    /// Whether what has the name is known to have it. What is known to be elsewhere, or is not known at all, may be an item of this
    /// machine whose step has just ended: that is tried once more before anything is renamed for it, or taken for another.
    private func isSettled(
        _ holder: ProviderItem, _ number: ItemNumber, named name: String, in parent: String
    ) throws(IndexFailure) -> Bool {
        guard edits.attempts[number, default: 0] == 0 else { return true }
        guard let row = try index.item(identifier: holder.identifier) else { return false }
        return row.item.isAt(name, in: parent)
    }

    /// Whether an item still has the name that another is to have: it may have left meanwhile. A name that is another one's by the
    /// provider's lights only, as with other capitals, is believed after some attempts.
    private func isInTheWay(_ holder: ProviderItem, of number: ItemNumber, named name: String, in parent: String)
        -> Bool
    {
        holder.isAt(name, in: parent) || edits.attempts[number, default: 0] >= 3
    }

    /// Whether nothing was done here to what the provider has under a name.
    private func isFree(_ holder: ProviderItem) async throws -> Bool {
        guard let row = try index.item(identifier: holder.identifier) else { return true }
        let hasEntry = try journal.entry(row.number) != nil
        return row.changes.isEmpty && !edits.isBusy(row.number) && !hasEntry
    }

    /// What has a name at the provider now; `nil` where it cannot be found.
    func holder(
        of name: String, in parent: String, _ failure: ProviderFailure
    ) async throws -> ProviderItem? {
        if let identifier = failure.collidingItem {
            return try await asking { () async throws(ProviderFailure) in try await provider.item(identifier) }
        }
        return try await listedItem(named: name, in: parent)
    }

    /// Returns the item that the provider has in a place; `nil` if it has none there, or no such folder.
    func item(at place: SentPlace) async throws -> ProviderItem? {
        do {
            return try await listedItem(named: place.name, in: place.parent)
        } catch let failure as ProviderFailure where failure.kind == .noSuchItem {
            return nil
        }
    }

    /// Returns the item of a name in the listing of a folder.
    func listedItem(named name: String, in parent: String) async throws -> ProviderItem? {
        var page: [UInt8]?
        for _ in 0..<1000 {
            let after = page
            let answer = try await asking { () async throws(ProviderFailure) in
                try await provider.page(of: parent, after: after, suggestedSize: configuration.pageSize)
            }
            let item = answer.items.first { $0.isAt(name, in: parent) }
            if let item { return item }
            guard let next = answer.next else { break }
            page = next
        }
        return nil
    }

    /// Where what has the name is on its way elsewhere, lets it go first; where it waits for this item in turn, it gets another
    /// name for a while.
    private func makeWay(for number: ItemNumber, _ holder: ProviderItem) async throws -> StepResult? {
        guard let row = try index.item(identifier: holder.identifier), row.number != number,
            let entry = try journal.entry(row.number), !entry.changes.isDisjoint(with: [.place, .deleted])
        else { return nil }
        guard waits(row.number, for: number) else {
            if !edits.isBusy(row.number), edits.waitsFor[row.number] == nil, uploads[row.number]?.failure == nil {
                edits.queue.put(row.number, at: clock.now)
            }
            return .waits(for: row.number)
        }
        let name = ConflictName.inserting(
            " (purvey \(String(UInt32.random(in: .min ... .max, using: &edits.generator), radix: 16)))",
            into: holder.filename)
        let moved = row.number
        edits.reserved.insert(moved)
        defer {
            edits.reserved.remove(moved)
            edits.again.remove(moved)
            if !isClosed { edits.queue.put(moved, at: clock.now) }
        }
        // What is to give it its own name later must not be lost.
        let place = SentPlace(parent: holder.parent, name: name)
        try noteMayMove(moved, to: place)
        try await synchronized()
        let answer = try await asking { () async throws(ProviderFailure) in
            try await provider.move(holder.identifier, to: holder.parent, named: name)
        }
        try check(answer, is: holder.kind)
        try await checkIdentity(answer, of: moved, asked: holder.identifier)
        let (double, result) = try double(of: moved, answer)
        if let result { return result }
        edits.namesInBetween[answer.identifier] = NameInBetween(name: name)
        confirmed(moved, answer.identifier)
        try passFacts(of: moved, to: answer.identifier)
        try writeIndex { writer throws(IndexFailure) in
            try writer.update(moved) { row in
                row.item.identifier = answer.identifier
                row.item.parent = answer.parent
                row.item.filename = answer.filename
            }
        }
        if var entry = try journal.entry(moved), !entry.identifier.hasSameBytes(as: answer.identifier) {
            entry.identifier = answer.identifier
            entry.mayHaveMoved = false
            entry.movedTo = nil
            try writeInAnyCase([.put(entry)])
        }
        follow(moved, from: holder.identifier, to: answer.identifier)
        if let double {
            try journal.remove(double)
            forgetDouble(double)
        }
        settleMove(of: moved)
        return .later(0)
    }

    /// The item gets another name here, and is sent with that.
    private func takeNumberedName(_ number: ItemNumber, _ holder: ProviderItem) throws {
        guard var entry = try journal.entry(number), let row = try index.item(number) else { return }
        // Where it is in the way here too, what has the name there gets it here.
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
        let applied = try record([.put(changed)]) { writer throws(IndexFailure) in
            try writer.update(number) { $0.name = Self.nameInBetween }
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
        handle(applied)
        if let place { settle(place, of: number, as: holder.identifier) }
        note(.renamed(to: name), of: number, row.name)
    }
}
