import FileProviderWire
import ItemStore
import ItemValues

/// Reports the engine's present work, to find out why an engine does not become idle.
extension DomainEngine {
    /// Whether requests are running or waiting for other requests. If not, the engine is idle until its next event.
    /// Work that is scheduled for later, such as a retry, does not count.
    package var isBusy: Bool {
        !scheduler.table.running.isEmpty || !changes.running.isEmpty || reconciler.revalidation.isRunning
            || trash.enumeration.isRunning || enumerator.count > 0 || downloader.isRunning
    }

    /// Returns a line of text for each running or waiting piece of work.
    package func work() throws(IndexError) -> [String] {
        var lines: [String] = []
        for entry in try context.journal.all() { lines.append(try work(on: entry)) }
        for (identifier, told) in components.tracker.withheld {
            lines.append("\(identifier.string) is withheld at \(told.place.name) in \(told.place.parent)")
        }
        lines += changes.running.map { "changes in \($0.string) are asked for" + ($1 ? ", and again" : "") }
        lines += changes.backingOff.map { "changes in \($0) are to be asked for" }
        lines += reconciler.revalidation.waiting.sorted().map { "\($0.string) is to be revalidated" }
        if let (failure, nextTime) = trash.enumeration.failure {
            lines.append("the trash cannot be listed: \(failure.message), due in \(nextTime - clock.now)")
        }
        lines += enumerator.waiterCounts.map { "\($0.rawValue) is listed, \($1) wait for it" }
        lines += downloader.work()
        return lines
    }

    private func work(on entry: JournalEntry) throws(IndexError) -> String {
        let number = entry.number
        var words = ["\(number.rawValue) \(entry.name), changed \(entry.changes.rawValue), \(entry.identifier)"]
        if let row = try index.itemEvenIfDeleted(number) {
            words.append("in \(row.parent.rawValue), there \(row.item.filename) in \(row.item.parent)")
        } else {
            words.append("not in the index")
        }
        if entry.isOpen { words.append("open") }
        if let sent = entry.sent { words.append("sent to \(sent.name) in \(sent.parent)") }
        if scheduler.table[number].step != nil { words.append("under way") }
        if case .reserved = scheduler.table[number].phase { words.append("reserved") }
        if scheduler.table[number].isWantedAgain { words.append("again") }
        if let other = scheduler.table[number].blocker { words.append("waits for \(other.rawValue)") }
        if let sent = scheduler.table[number].accepted { words.append("not confirmed after \(sent.polls) looks") }
        if let time = scheduler.table[number].due { words.append("due in \(time - clock.now)") }
        if scheduler.table[number].attempts > 0 { words.append("attempts \(scheduler.table[number].attempts)") }
        if let failure = uploads[number]?.failure ?? entry.failure { words.append("failed: \(failure.kind)") }
        return words.joined(separator: ", ")
    }
}
