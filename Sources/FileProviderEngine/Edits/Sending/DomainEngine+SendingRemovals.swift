import FileProvider
import LinuxSystem

/// Removals on their way to the provider.
extension DomainEngine {
    func sendRemoval(_ entry: JournalEntry, _ row: IndexedItem) async throws -> StepResult {
        let number = entry.number
        guard row.isKnownToProvider else {
            // Whether the provider has it is not known.
            if let place = entry.sent, let result = try await findRemoved(row, place) { return result }
            try finishRemoval(number)
            return .done
        }
        if let result = awaitContents(beforeRemoving: number) { return result }
        if entry.goesToTrash, try awaitsFacts(beforeTrashing: number) { return .parked }
        let identifier = row.item.identifier
        let current: ProviderItem
        do {
            current = try await asking { () async throws(ProviderFailure) in try await provider.item(identifier) }
        } catch let failure as ProviderFailure where failure.kind == .noSuchItem {
            // It may have been moved before, by a request whose answer was lost.
            if let place = entry.movedTo, let result = try await findMoved(row, place) { return result }
            if let result = try await findNewIdentifier(of: number, asked: identifier) { return result }
            // It may have come to the trash before, and have been removed from there by others.
            if entry.goesToTrash {
                try index.write { writer throws(IndexFailure) in try writer.forgetTrashed(identifier) }
            }
            try finishRemoval(number)
            return .done
        }
        try check(current, is: row.item.kind, identifier)
        if row.item.kind == .file, current.contentVersion != entry.baseVersion,
            try await likeness(of: number, to: current).0 == .other
        {
            // Somebody changed what was to go: that is not deleted with it.
            try await comeBack(number, [current], nil)
            return .done
        }
        if row.item.kind == .folder, !entry.goesToTrash, let result = try await settleChildren(of: number, current) {
            return result
        }
        try await synchronized()
        do {
            if entry.goesToTrash {
                try await sendToTrash(number, identifier)
            } else {
                try await askingForChange { () async throws(ProviderFailure) in try await provider.delete(identifier) }
            }
        } catch let failure as ProviderFailure {
            switch failure.kind {
            case .noSuchItem:
                if let result = try await findNewIdentifier(of: number, asked: identifier) { return result }
            case .deletionRejected, .notPermitted, .unsupported, .directoryNotEmpty:
                try await comeBack(number, [current], failure)
                return .done
            default: throw failure
            }
        }
        try finishRemoval(number)
        return .done
    }

    /// Looks for what was sent before it was removed here, and whose answer was lost: if the provider has it, it is removed there too.
    ///
    /// - Returns: `nil` where nothing of it is there.
    private func findRemoved(_ row: IndexedItem, _ place: SentPlace) async throws -> StepResult? {
        let number = row.number
        // Two that were sent to one place, one after the other, may hold the same.
        if let sender = try sender(besides: number, to: place) { return .waits(for: sender) }
        let question = answers.ask()
        let found = try await item(at: place)
        guard let found, try index.item(identifier: found.identifier) == nil, try await isSent(row, found),
            try index.item(identifier: found.identifier) == nil, var entry = try journal.entry(number)
        else {
            try noteSent(number, nil)
            // What others have there is seen. What was told of that before a crash nobody tells again.
            if let found { try apply([found], listedIn: nil, answering: question) }
            return nil
        }
        entry.identifier = found.identifier
        entry.baseVersion = found.contentVersion
        entry.changes = .deleted
        entry.sent = nil
        let changed = entry
        try confirm([.put(changed)]) { writer throws(IndexFailure) in
            try writer.update(number) { row in
                row.item = found
                row.changes = changed.changes
            }
        }
        settle(place, of: number, as: found.identifier)
        return .done
    }

    /// Whether what the provider has is what was sent of an item.
    private func isSent(_ row: IndexedItem, _ found: ProviderItem) async throws -> Bool {
        guard found.kind == row.item.kind else { return false }
        return switch found.kind {
        case .file: try await likeness(of: row.number, to: found).0 != .other
        case .folder: try await isEmpty(found)
        case .symbolicLink: found.linkTarget == row.item.linkTarget
        }
    }

    /// Whether the provider has nothing in a folder.
    func isEmpty(_ folder: ProviderItem) async throws -> Bool {
        let page = try await asking { () async throws(ProviderFailure) in
            try await provider.page(of: folder.identifier, after: nil, suggestedSize: 1)
        }
        return page.items.isEmpty && page.next == nil
    }

    /// Sees to it that nothing goes with a folder that is not to go; `nil` when it may.
    private func settleChildren(of folder: ItemNumber, _ current: ProviderItem) async throws -> StepResult? {
        var page: [UInt8]?
        for _ in 0..<1000 {
            let after = page
            let question = answers.ask()
            let answer = try await asking { () async throws(ProviderFailure) in
                try await provider.page(of: current.identifier, after: after, suggestedSize: configuration.pageSize)
            }
            for child in answer.items where child.parent == current.identifier {
                // It may have been removed or moved since.
                if answers.hasNews(of: child.identifier, since: question) { return .later(0) }
                if let row = try index.item(identifier: child.identifier) {
                    if !row.changes.isDisjoint(with: [.deleted, .place]) { return .waits(for: row.number) }
                } else if let sender = try sender(
                    besides: folder, to: SentPlace(parent: child.parent, name: child.filename))
                {
                    return .waits(for: sender)
                } else if let row = try rowLeft(at: child), row.number != folder {
                    return .waits(for: row.number)
                }
                // Made by somebody else since the folder was seen to be empty.
                try await comeBack(folder, [current, child], nil)
                return .done
            }
            guard let next = answer.next else { return nil }
            page = next
        }
        return nil
    }

    func finishRemoval(_ number: ItemNumber) throws {
        if let row = try index.itemEvenIfDeleted(number) {
            let identifier = row.item.identifier
            // Said since the step began, and there still: others may have brought it back.
            if row.isKnownToProvider, let question = edits.questions[number],
                answers.hasNews(of: identifier, since: question)
            {
                askSoon([identifier])
            }
            confirmed(number, identifier)
        }
        // First: bytes of an edit that no journal knows of would be taken for one that was lost.
        removeBytes(of: number)
        try confirm([.remove(number)]) { writer throws(IndexFailure) in try writer.delete(number) }
        forget(number)
    }

    /// An item whose removal the provider does not want is seen again.
    private func comeBack(_ number: ItemNumber, _ said: [ProviderItem], _ failure: ProviderFailure?) async throws {
        // The folder that it was in here may be gone.
        let items = try await withAncestors(said)
        if isClosed { throw EngineClosed() }
        guard let row = try index.itemEvenIfDeleted(number), row.changes.contains(.deleted) else { return }
        let entry = try journal.entry(number)
        // What is in a folder that was to go to the trash is in the index still: it is there offline, and asked for again behind.
        let keepsListing = entry?.goesToTrash == true && row.listing == .complete
        // It may have been moved here before it was removed.
        let parent = try index.item(identifier: row.item.parent)?.number ?? row.parent
        // So are the contents that were edited before it was removed.
        var edit = entry.flatMap { $0.changes.contains(.contents) ? $0 : nil }
        let size = edit == nil ? nil : Self.size(of: number, in: folders.edits)
        if size == nil { edit = nil }
        if edit == nil, let item = said.first, try index.item(identifier: item.parent) == nil,
            !items.contains(where: { $0.identifier == item.parent })
        {
            // It is in no folder that could be seen.
            try finishRemoval(number)
            return note(.deletionRefused(failure), of: number, row.name)
        }
        edit?.changes = .contents
        edit?.parent = parent
        edit?.parentIdentifier = row.item.parent
        edit?.name = MountName.mended(row.item.filename)
        edit?.failure = nil
        let applied = try confirm([edit.map { .put($0) } ?? .remove(number)]) { writer throws(IndexFailure) in
            try writer.update(number) { row in
                row.changes = size == nil ? [] : .contents
                if let size {
                    row.content = .edited
                    row.localSize = size
                }
                row.parent = parent
                row.name = MountName.mended(row.item.filename)
                if row.item.kind == .folder, !keepsListing { row.listing = .never }
            }
            return try writer.apply(items)
        }
        handle(applied)
        note(.deletionRefused(failure), of: number, row.name)
        forget(number)
        if keepsListing { startListing(number, isRefresh: true) }
        if edit != nil { look(at: number, after: configuration.settlingTime) }
    }
}
