import FileProviderWire
import ItemStore
import ItemValues

/// Uses of files by the user that the index has not recorded yet.
///
/// Files that a program walks through, such as those that a search reads, do not count as used by the user. If more
/// than ``most`` files are opened within ``length`` seconds, none of them counts.
struct PersonalUses: Sendable {
    private var span: [ItemNumber: Double] = [:]
    private var start = -Double.infinity
    private var isWalk = false
    private var settled: [ItemNumber: Double] = [:]

    /// The length of a time span in seconds, and the maximum number of files that count as used in it.
    private static let length = 10.0
    private static let most = 50

    /// Records a use.
    ///
    /// - Parameter now: In seconds since 1970.
    mutating func note(_ number: ItemNumber, _ now: Double) {
        if now - start >= Self.length || now < start {
            settled.merge(span) { max($0, $1) }
            span = [:]
            start = now
            isWalk = false
        }
        guard !isWalk else { return }
        span[number] = now
        guard span.count > Self.most else { return }
        span = [:]
        isWalk = true
    }

    /// Whether uses are ready to be written to the index.
    var isDue: Bool { !settled.isEmpty }

    var all: [ItemNumber: Double] { settled.merging(span) { max($0, $1) } }

    /// Returns the uses to write to the index.
    ///
    /// - Parameter isEnd: Whether no more uses follow, so that the files of the current time span count, too.
    func due(isEnd: Bool) -> [ItemNumber: Double] { isEnd ? all : settled }

    /// Moves the uses of an item to another number.
    mutating func move(_ number: ItemNumber, to other: ItemNumber) {
        span[other] = span.removeValue(forKey: number)
        settled[other] = settled.removeValue(forKey: number)
    }

    /// Drops uses that the index has now.
    mutating func forget(_ uses: [ItemNumber: Double]) {
        for (number, time) in uses {
            if settled[number] == time { settled[number] = nil }
            if span[number] == time { span[number] = nil }
        }
    }
}

/// The recording of last-used dates when programs use files.
extension UserMetadata {
    /// Writes the uses of files to the index.
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
        // Uses that could not be written are dropped, too, because only the order of recent files depends on them.
        context.resources.openFiles.withLock { $0.personal.forget(personal) }
        for (number, time) in told where (try? context.index.item(number)) != nil {
            // If this fails, the provider does not receive this date, but only that of a later use.
            try? set(
                .lastUsed, [number: ItemMetadata(lastUsed: time)], after: context.configuration.lastUsedDelay, engine)
        }
    }
}
