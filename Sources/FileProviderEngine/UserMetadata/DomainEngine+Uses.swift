import FileProviderWire
import ItemStore
import ItemValues

/// The last-used dates of files.
extension DomainEngine {
    /// Returns the most recently used files, latest first, including open ones. The provider is not asked.
    package nonisolated func recents(limit: Int) throws(IndexError) -> [FoundItem] {
        // Uses are dropped once they are in the index, so they are read before it.
        let uses = openFiles.withLock { $0.personal.all }
        var items = try index.recents(limit: limit)
        for (number, time) in uses {
            if let place = items.firstIndex(where: { $0.item.number == number }) {
                items[place].metadata.lastUsed = max(items[place].metadata.lastUsed ?? 0, time)
            } else if var item = try index.found(number), item.item.item.kind == .file {
                item.metadata.lastUsed = max(item.metadata.lastUsed ?? 0, time)
                items.append(item)
            }
        }
        items.sort { ($0.metadata.lastUsed ?? 0) > ($1.metadata.lastUsed ?? 0) }
        return Array(items.prefix(limit))
    }

    /// Writes the uses of files to the index.
    ///
    /// - Parameter isEnd: Whether the engine is closing.
    func writeUses(isEnd: Bool) {
        let (uses, personal) = openFiles.withLock { state in
            defer { state.uses = [:] }
            return (state.uses, state.personal.due(isEnd: isEnd))
        }
        guard !uses.isEmpty || !personal.isEmpty else { return }
        let told =
            isEnd
            ? [:]
            : personal.filter { number, time in
                guard let known = try? index.metadata(of: number) else { return false }
                return time - (known.lastUsed ?? 0) >= configuration.lastUsedInterval
            }
        do throws(ProviderError) {
            try write { writer throws(IndexError) in
                for (number, time) in uses { try writer.touch(number, time) }
                for (number, time) in personal { try writer.noteUse(of: number, at: time) }
            }
        } catch {
            recordBackgroundError(error)
        }
        // Uses that could not be written are dropped, too: only a place in a list is lost.
        openFiles.withLock { $0.personal.forget(personal) }
        for (number, time) in told where (try? index.item(number)) != nil {
            // If this fails, the provider gets the next last-used date.
            try? metadata.set(
                .lastUsed, [number: ItemMetadata(lastUsed: time)], after: configuration.lastUsedDelay, self)
        }
    }
}
