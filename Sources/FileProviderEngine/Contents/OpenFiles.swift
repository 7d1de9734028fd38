import LinuxSystem

/// The files that are open in the mount, by number: what answers an opening without the engine's thread.
///
/// An entry is there as long as its file has an opening. Whoever removes or replaces contents looks here first, under the lock, and
/// counts up ``epoch``: an opening that read the index before that looks again.
final class OpenFiles: Sendable {
    struct Entry: Sendable {
        var readers = 0
        var writers = 0
        /// The one file that all openings share, once all of it is here.
        var reading: FileDescriptor?
        /// The same file for writing, once it lies among the edits.
        var writing: FileDescriptor?
        /// What the file was when it was opened for writing; `nil` where it was made or emptied by that.
        var beforeWriting: ContentStamp?
        /// What the file was when its edit was journalled last.
        var noted: ContentStamp?
        /// The provider has other contents, which wait for the last closing.
        var isOutdated = false
        /// Whether the provider's version is being fetched, to append its end to the open file.
        var isGrowing = false
        /// Its bytes are those of a change that a program had not finished.
        var isUnfinished = false
        /// The item is gone; its bytes go at the last closing.
        var isDiscarded = false
        /// The number that the item got when the provider's version replaced this one; see ``DomainEngine/replace(_:)``.
        var successor: ItemNumber?
        /// The time before which the provider's version is not fetched again, because that has just failed.
        var nextGrowth = 0.0
        /// The provider's version of which it is known that it does not begin with the bytes here.
        var otherVersion: [UInt8]?

        var openings: Int { readers + writers }
    }

    struct State {
        var entries: [ItemNumber: Entry] = [:]
        /// Files whose contents are being removed or replaced.
        var claimed: Set<ItemNumber> = []
        var epoch = 0
        /// When files were used last, as far as the index does not know it yet.
        var uses: [ItemNumber: Double] = [:]
        /// Likewise, as far as a person may have used them.
        var personal = PersonalUses()
        var lastReader = 0
    }

    // Innermost: nothing else is locked and nobody is called under it.
    private let state = Lock(State())

    func withLock<Result>(_ body: (inout State) -> Result) -> Result where Result: Sendable {
        state.withLock { state in body(&state) }
    }

    func entry(_ number: ItemNumber) -> Entry? { state.withLock { $0.entries[number] } }

    func update(_ number: ItemNumber, _ change: (inout Entry) -> Void) {
        state.withLock { state in
            guard var entry = state.entries[number] else { return }
            change(&entry)
            state.entries[number] = entry
        }
    }

    /// A number for an opening that waits for parts.
    func newReader() -> Int {
        state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
    }

    /// Removes or replaces contents, unless the file is open. Meanwhile no opening gets at it, nor afterwards by what the index said
    /// before.
    ///
    /// - Returns: `nil` where the file is open.
    func whileClosed<Result>(_ number: ItemNumber, _ body: () -> Result) -> Result? {
        let isClosed = state.withLock { state in
            guard state.entries[number] == nil else { return false }
            state.claimed.insert(number)
            return true
        }
        guard isClosed else { return nil }
        defer {
            state.withLock { state in
                state.claimed.remove(number)
                state.epoch += 1
            }
        }
        return body()
    }

    /// Notes that the item of an open file has another number, under which it is opened from now on. Its openings stay.
    ///
    /// - Returns: whether it has any.
    func replaced(_ number: ItemNumber, by successor: ItemNumber) -> Bool {
        state.withLock { state in
            state.entries[number]?.successor = successor
            state.entries[number]?.isDiscarded = true
            state.entries[number]?.isOutdated = false
            state.entries[number]?.isGrowing = false
            state.uses[successor] = state.uses.removeValue(forKey: number)
            state.personal.move(number, to: successor)
            // Openings may have read the row before.
            state.epoch += 1
            return state.entries[number] != nil
        }
    }

    var epoch: Int { state.withLock { $0.epoch } }

    /// Whether a file is open for writing.
    var hasWritten: Bool { state.withLock { state in state.entries.contains { $0.value.writers > 0 } } }

    /// The open files whose bytes are not all here.
    var awaited: [ItemNumber] {
        state.withLock { state in state.entries.filter { $0.value.reading == nil }.map(\.key) }
    }

    /// The open files whose bytes are of an earlier version than the provider's.
    var outdated: [ItemNumber] { state.withLock { state in state.entries.filter { $0.value.isOutdated }.map(\.key) } }

    /// The files that are open for writing.
    var written: [ItemNumber] { state.withLock { state in state.entries.filter { $0.value.writers > 0 }.map(\.key) } }
}
