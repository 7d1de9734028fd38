import FileProvider

/// The last-used dates of files.
extension DomainEngine {
    /// Returns the most recently used files, latest first, including open ones. The provider is not asked.
    package nonisolated func recents(limit: Int) throws(IndexFailure) -> [FoundItem] {
        var items = try index.recents(limit: limit)
        for (number, time) in openFiles.withLock({ $0.personal.all }) {
            if let place = items.firstIndex(where: { $0.item.number == number }) {
                items[place].facts.lastUsed = max(items[place].facts.lastUsed ?? 0, time)
            } else if var item = try index.found(number), item.item.item.kind == .file {
                item.facts.lastUsed = max(item.facts.lastUsed ?? 0, time)
                items.append(item)
            }
        }
        items.sort { ($0.facts.lastUsed ?? 0) > ($1.facts.lastUsed ?? 0) }
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
                guard let known = try? index.facts(of: number) else { return false }
                return time - (known.lastUsed ?? 0) >= configuration.lastUsedInterval
            }
        do throws(ProviderFailure) {
            try write { writer throws(IndexFailure) in
                for (number, time) in uses { try writer.touch(number, time) }
                for (number, time) in personal { try writer.noteUse(of: number, at: time) }
            }
        } catch {
            remember(error)
        }
        // Uses that could not be written are dropped, too: only a place in a list is lost.
        openFiles.withLock { $0.personal.forget(personal) }
        for (number, time) in told where (try? index.item(number)) != nil {
            // If this fails, the provider gets the next last-used date.
            try? metadata.set(
                .lastUsed, [number: ItemFacts(lastUsed: time)], after: configuration.lastUsedDelay, self)
        }
    }
}
