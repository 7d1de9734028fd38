import FileProviderWire
import ItemStore
import ItemValues

/// The last-used dates of files, as programs use the files.
extension UserMetadata {
    /// Writes the uses of files to the context.index.
    ///
    /// - Parameter isEnd: Whether the engine is closing.
    func writeUses(isEnd: Bool, _ engine: isolated any EngineEvents) {
        let (uses, personal) = context.resources.openFiles.withLock { state in
            defer { state.uses = [:] }
            return (state.uses, state.personal.due(isEnd: isEnd))
        }
        guard !uses.isEmpty || !personal.isEmpty else { return }
        let told =
            isEnd
            ? [:]
            : personal.filter { number, time in
                guard let known = try? context.index.metadata(of: number) else { return false }
                return time - (known.lastUsed ?? 0) >= context.configuration.lastUsedInterval
            }
        do throws(ProviderError) {
            try context.write { writer throws(IndexError) in
                for (number, time) in uses { try writer.touch(number, time) }
                for (number, time) in personal { try writer.noteUse(of: number, at: time) }
            }
        } catch {
            context.recordBackgroundError(error)
        }
        // Uses that could not be written are dropped, too: only a place in a list is lost.
        context.resources.openFiles.withLock { $0.personal.forget(personal) }
        for (number, time) in told where (try? context.index.item(number)) != nil {
            // If this fails, the provider gets the next last-used date.
            try? set(
                .lastUsed, [number: ItemMetadata(lastUsed: time)], after: context.configuration.lastUsedDelay, engine)
        }
    }
}
