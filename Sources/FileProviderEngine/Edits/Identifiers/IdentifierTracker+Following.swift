import FileProvider
import ItemStore
import ItemValues
import LinuxSystem

/// Updates the journal and queued edits after identifiers changed in the index.
extension IdentifierTracker {
    /// Updates the journal and the queued edits after an item got another identifier in the index.
    ///
    /// - Parameter mayBeReused: Whether another item may have the former identifier by now, as with identifiers that
    ///   are paths. Until the index had the new identifier, reports of the other item counted as reports of this one.
    ///   The former identifier is therefore revalidated.
    func follow(
        _ number: ItemNumber, from former: String, to identifier: String, mayBeReused: Bool = false,
        _ engine: isolated any EngineEvents
    ) {
        guard !former.hasSameBytes(as: identifier), !former.hasPrefix(IndexedItem.localPrefix) else { return }
        // Replies to earlier requests contain the former identifier.
        replies.noteReport(of: [former, identifier])
        follow([Reidentified(number: number, former: former, identifier: identifier)], engine)
        if mayBeReused { engine.itemsMayBeShown([ExactText(former)]) }
    }

    /// Updates the journal and the queued edits for items whose identifiers changed in the index. Schedules the
    /// enumeration of those items that are directories.
    func follow(_ items: [Reidentified], _ engine: isolated any EngineEvents) {
        guard !items.isEmpty else { return }
        for item in items {
            do throws(IndexError) {
                try passPlaces(from: item.former, to: item.identifier)
                var records: [JournalChange] = []
                if var entry = try journal.entry(item.number), !entry.identifier.hasSameBytes(as: item.identifier) {
                    entry.identifier = item.identifier
                    if let row = try index.itemEvenIfDeleted(item.number) { entry.setPlace(of: row.item) }
                    records.append(.put(entry))
                }
                records += try recorder.entries(in: item.number, whichIsNow: item.identifier)
                // If this fails, the next start reads the missing changes from the index.
                if !records.isEmpty { try writer.writeInAnyCase(records) }
            } catch {
                damage.note(error)
            }
            scheduler.schedule(item.number, engine)
        }
        replies.noteReport(of: items.map(\.former))
        do throws(IndexError) {
            // The index marks a directory whose identifier changed until the directory is enumerated again.
            for item in items where try index.isReidentified(item.number) { engine.directoryIsOutdated(item.number) }
        } catch {
            damage.note(error)
        }
    }

    /// Updates the recorded places of edits that await a reply, if their directory had the identifier `former`.
    private func passPlaces(from former: String, to identifier: String) throws(IndexError) {
        func moved(_ place: SentLocation) -> SentLocation? {
            place.parent.hasSameBytes(as: former) ? SentLocation(parent: identifier, name: place.name) : nil
        }
        for (place, numbers) in unanswered {
            guard let new = moved(place) else { continue }
            unanswered[place] = nil
            unanswered[new, default: []].formUnion(numbers)
            for number in numbers {
                guard var entry = try journal.entry(number), entry.sent == place else { continue }
                entry.sent = new
                try writer.writeInAnyCase([.put(entry)])
            }
        }
        for (number, place) in moves {
            guard let new = moved(place) else { continue }
            moves[number] = new
            guard var entry = try journal.entry(number), entry.movedTo == place else { continue }
            entry.movedTo = new
            try writer.writeInAnyCase([.put(entry)])
        }
        for (number, place) in leaving {
            if let new = moved(place) { leaving[number] = new }
        }
        for (identifier, told) in withheld {
            if let new = moved(told.place) { withheld[identifier]?.place = new }
        }
    }

    /// Returns the journal entry with its places updated, if the index already has a new identifier for their
    /// directory. This is the case if a crash prevented the update of the journal.
    func withPresentPlaces(_ entry: JournalEntry) throws(IndexError) -> JournalEntry {
        guard entry.sent != nil || entry.movedTo != nil, let folder = try index.item(entry.parent),
            folder.isKnownToProvider, !folder.item.identifier.hasSameBytes(as: entry.parentIdentifier)
        else { return entry }
        var present = entry
        func isOutdated(_ place: SentLocation?) -> Bool {
            place?.parent.hasSameBytes(as: entry.parentIdentifier) == true
        }
        if isOutdated(entry.sent) { present.sent?.parent = folder.item.identifier }
        if isOutdated(entry.movedTo) { present.movedTo?.parent = folder.item.identifier }
        present.parentIdentifier = folder.item.identifier
        try journal.put(present)
        return present
    }

    /// Corrects the parent in the reply `answer`, if the item's directory got a new identifier since the request. The
    /// item's own new identifier is learnt when the directory is enumerated.
    ///
    /// - Parameter parent: The directory's identifier at the time of the request.
    /// - Returns: Whether the directory got a new identifier.
    func isOutdated(_ answer: inout ProviderItem, in folder: ItemNumber, asked parent: String) throws -> Bool {
        guard let now = try index.item(folder), !now.item.identifier.hasSameBytes(as: parent),
            answer.parent.hasSameBytes(as: parent)
        else { return false }
        answer.parent = now.item.identifier
        return true
    }

    /// Enumerates the given directory, because the provider may have an item in it under another identifier than the
    /// one in the provider's reply about this item.
    func listForIdentifiers(_ folder: ItemNumber, _ engine: isolated any EngineEvents) throws {
        try writer.writeIndex { writer throws(IndexError) in
            try writer.noteReidentified(folder, hasNewIdentifier: true)
        }
        listReidentified(engine)
    }

    /// Enumerates the directories whose items may have new identifiers.
    func listReidentified(_ engine: isolated any EngineEvents) {
        do throws(IndexError) {
            for folder in try index.reidentifiedFolders() where try index.item(folder) != nil {
                engine.directoryIsOutdated(folder)
            }
        } catch {
            damage.note(error)
        }
    }
}
