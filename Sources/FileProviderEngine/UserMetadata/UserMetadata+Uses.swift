import FileProviderWire
import ItemStore
import ItemValues

/// The uses of files that the user may have caused, and that the index has not recorded yet.
///
/// If a program reads many files, for example during a search, the files do not count as used by the user: if more than
/// ``most`` files are used within ``length`` seconds, none of them counts.
struct PersonalUses: Sendable {
    private var span: [ItemNumber: Double] = [:]
    private var start = -Double.infinity
    private var isWalk = false
    private var settled: [ItemNumber: Double] = [:]

    /// The length in seconds of the time span in which uses are counted. ``most`` is the maximum number of files that
    /// count as used within one span.
    private static let length = 10.0
    private static let most = 50

    /// Records a use of a file.
    ///
    /// - Parameter now: The current time, in seconds since 1970.
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

    /// Whether any uses are ready to be written to the index, because their time span has ended.
    var isDue: Bool { !settled.isEmpty }

    var all: [ItemNumber: Double] { settled.merging(span) { max($0, $1) } }

    /// Returns the uses to write to the index: the time of each file's last use, in seconds since 1970.
    ///
    /// - Parameter isEnd: Whether no more uses follow, so that the uses in the current time span are included.
    func due(isEnd: Bool) -> [ItemNumber: Double] { isEnd ? all : settled }

    /// Assigns the recorded use of an item to the item's new number.
    mutating func move(_ number: ItemNumber, to other: ItemNumber) {
        span[other] = span.removeValue(forKey: number)
        settled[other] = settled.removeValue(forKey: number)
    }

    /// Removes the given uses, because they were written to the index.
    mutating func forget(_ uses: [ItemNumber: Double]) {
        for (number, time) in uses {
            if settled[number] == time { settled[number] = nil }
            if span[number] == time { span[number] = nil }
        }
    }
}

/// Records last-used dates when programs use files.
extension UserMetadata {
    /// Writes the recorded uses of files to the index, and sends the user's last-used dates to the provider.
    ///
    /// - Parameter isEnd: Whether the engine is closing. If so, nothing is sent.
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
