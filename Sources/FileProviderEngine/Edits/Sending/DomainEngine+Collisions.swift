import FileProvider
import LinuxSystem

/// The name that an item is to have at the provider is taken there.
extension DomainEngine {
    /// Of a new item: what has the name may be this very item, made before a crash or an answer that was lost.
    func settleCollision(
        _ number: ItemNumber, _ new: NewItem, parent: ItemNumber, _ upload: Upload?, _ failure: ProviderFailure
    ) async throws -> StepResult {
        let holder = try await holder(of: new.filename, in: new.parent, failure)
        guard let holder else { throw failure }
        if let result = try await makeWay(for: number, holder) { return result }
        let isOurs =
            switch new.kind {
            case _ where holder.kind != new.kind: false
            case .folder: true
            case .symbolicLink: holder.linkTarget == new.linkTarget
            case .file: false
            }
        if isOurs, try await isFree(holder) {
            try finishNewItem(number, sent: new, in: parent, nil, holder, wasThere: true)
            return .done
        }
        if new.kind == .file, holder.kind == .file, let upload, try await isFree(holder) {
            let (likeness, theirs) = try await likeness(of: number, to: holder)
            switch likeness {
            case .edited:
                try finishNewItem(number, sent: new, in: parent, upload, theirs)
                return .done
            case .sent:
                let earlier = Upload(file: upload.file, size: upload.size, generation: .max)
                try finishNewItem(number, sent: new, in: parent, earlier, theirs)
                return .done
            case .other: break
            }
        }
        try takeNumberedName(number, holder)
        return .done
    }

    /// Of an item that is moved.
    func settleCollision(
        _ number: ItemNumber, movedTo name: String, in parent: String, _ failure: ProviderFailure
    ) async throws -> StepResult {
        guard let holder = try await holder(of: name, in: parent, failure) else { throw failure }
        if let result = try await makeWay(for: number, holder) { return result }
        try takeNumberedName(number, holder)
        return .done
    }

    /// Whether nothing was done here to what the provider has under a name.
    private func isFree(_ holder: ProviderItem) async throws -> Bool {
        guard let row = try index.item(identifier: holder.identifier) else { return true }
        let hasEntry = try journal.entry(row.number) != nil
        return row.changes.isEmpty && edits.running[row.number] == nil && !hasEntry
    }

    /// What has a name at the provider now; `nil` where it cannot be found.
    private func holder(
        of name: String, in parent: String, _ failure: ProviderFailure
    ) async throws -> ProviderItem? {
        if let identifier = failure.collidingItem {
            return try await asking { () async throws(ProviderFailure) in try await provider.item(identifier) }
        }
        var page: [UInt8]?
        for _ in 0..<1000 {
            let after = page
            let answer = try await asking { () async throws(ProviderFailure) in
                try await provider.page(of: parent, after: after, suggestedSize: configuration.pageSize)
            }
            if let item = answer.items.first(where: { $0.filename == name && $0.parent == parent }) { return item }
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
            if edits.running[row.number] == nil, edits.waitsFor[row.number] == nil, edits.failures[row.number] == nil {
                edits.queue.put(row.number, at: clock.now)
            }
            return .waits(for: row.number)
        }
        let name = ConflictName.inserting(
            " (purvey \(String(UInt32.random(in: .min ... .max, using: &edits.generator), radix: 16)))",
            into: holder.filename)
        let answer = try await asking { () async throws(ProviderFailure) in
            try await provider.move(holder.identifier, to: holder.parent, named: name)
        }
        try check(answer, is: holder.kind, holder.identifier)
        try writeIndex { writer throws(IndexFailure) in
            try writer.update(row.number) { $0.item = answer }
        }
        return .later(0)
    }

    /// The item gets another name here, and is sent with that.
    private func takeNumberedName(_ number: ItemNumber, _ holder: ProviderItem) throws {
        guard var entry = try journal.entry(number), let row = try index.item(number) else { return }
        let name = try freeName(in: row.parent) { MountName.numbered(row.name, $0 + 1) }
        entry.name = name
        let changed = entry
        let applied = try record([.put(changed)]) { writer throws(IndexFailure) in
            try writer.update(number) { row in
                row.name = name
                if !row.isKnownToProvider { row.item.filename = name }
            }
            return try writer.apply([holder])
        }
        handle(applied)
        note(.renamed(to: name), of: number, row.name)
    }
}
