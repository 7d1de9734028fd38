import FileProvider

/// When files were used.
extension DomainEngine {
    /// The files that were used last, the latest first; those too that are open now. The provider is not asked.
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

    /// An opening of a file has its contents, or writes new ones. An opening that did not get them is no use of the file: a person
    /// did not see what is in it.
    func noteUse(of number: ItemNumber) {
        let now = clock.now
        openFiles.withLock { $0.personal.note(number, now) }
    }

    /// Writes to the index when files were used.
    ///
    /// - Parameter isEnd: whether the engine ends.
    func writeUses(isEnd: Bool = false) {
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
        // Those that could not be written are not written later either: nothing is lost with them but their place in a list.
        openFiles.withLock { $0.personal.forget(personal) }
        for (number, time) in told where (try? index.item(number)) != nil {
            // What the provider is not told now it is told the next time.
            try? setFacts(.lastUsed, [number: ItemFacts(lastUsed: time)], after: configuration.lastUsedDelay)
        }
    }
}
