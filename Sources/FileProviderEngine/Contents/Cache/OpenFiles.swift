import ItemStore
import LinuxSystem

/// The table of open files, by item number. It allows threads other than the engine's to open files.
///
/// A file has an entry as long as it has an open handle. Code that removes or replaces contents first checks under the
/// table's lock that the file is closed, and increments ``epoch`` afterwards. A thread that read a file's index row
/// before the increment has to read the row again before it opens the file.
final class OpenFileTable: Sendable {
    struct Entry: Sendable {
        var readers = 0
        var writers = 0
        /// The descriptor from which all handles read; `nil` until all bytes of the file are local.
        var reading: FileDescriptor?
        /// A descriptor of the same file for writing; `nil` until the file is in the `edits` directory.
        var writing: FileDescriptor?
        /// The file's fingerprint when it was opened for writing; `nil` if the opening created or truncated it.
        var beforeWriting: FileFingerprint?
        /// The file's fingerprint when its edit was last journalled.
        var noted: FileFingerprint?
        /// Whether the provider has another version, so that the local contents are to be removed when the last handle
        /// is closed.
        var isOutdated = false
        /// Whether the provider's version is being fetched, so that the bytes that it adds at the end can be appended
        /// to the open file.
        var isGrowing = false
        /// Whether the contents were fetched while another client was writing the file at the provider, so that they
        /// belong to no version.
        var isUnfinished = false
        /// Whether the item was removed or replaced, so that its contents are to be removed when the last handle is
        /// closed.
        var isDiscarded = false
        /// The item's new number, if the provider's version has replaced this file; see
        /// ``OutdatedFiles/replace(_:_:)``.
        var successor: ItemNumber?
        /// The time in seconds since 1970 before which the provider's version is not fetched again, because a fetch
        /// failed.
        var nextGrowth = 0.0
        /// The identifier of a version at the provider whose contents are known not to begin with the local bytes of
        /// the file; `nil` if no such version is known.
        var otherVersion: [UInt8]?

        var openings: Int { readers + writers }
    }

    struct State {
        var entries: [ItemNumber: Entry] = [:]
        /// The files whose contents are being removed or replaced.
        var claimed: Set<ItemNumber> = []
        var epoch = 0
        /// The date of each file's last use that the index has not recorded yet, in seconds since 1970, by item number.
        var uses: [ItemNumber: Double] = [:]
        /// The uses that the index has not recorded yet and that were possibly by the user, not by background programs.
        var personal = PersonalUses()
        var lastReader = 0
    }

    // Leaf lock: no closure is called under it except those passed to ``withLock(_:)`` and ``update(_:_:)``.
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

    // MARK: Opening and closing on any thread

    /// Counts an additional read handle of the given file, if it is open already, and returns its entry. Returns `nil`
    /// if the file is not open, or if it has to be opened on the engine's thread.
    func join(_ number: ItemNumber, _ now: Double) -> Entry? { state.withLock { $0.openForReading(number, now) } }

    /// Counts a read handle of the given file, and returns the file's entry.
    ///
    /// - Parameters:
    ///   - file: The local file; `nil` if the bytes are not local.
    ///   - epoch: The value of ``epoch`` before the caller read the file's index row.
    /// - Returns: `nil` if the file has to be opened on the engine's thread.
    func open(_ number: ItemNumber, _ file: FileDescriptor?, since epoch: Int, _ now: Double) -> Entry? {
        state.withLock { state in
            guard state.epoch == epoch, !state.claimed.contains(number) else { return nil }
            // Another thread may have opened the file first. Its descriptor refers to the same file.
            if state.entries[number] == nil { state.entries[number] = Entry(reading: file) }
            return state.openForReading(number, now)
        }
    }

    /// Records that a read handle of the given file was closed.
    ///
    /// - Returns: The file's entry if this was its last handle, and whether the uses in this table are to be written to
    ///   the index.
    func closeReading(_ number: ItemNumber) -> (last: Entry?, usesAreDue: Bool) {
        state.withLock { state in
            (state.close(number, isForWriting: false), state.uses.count >= 1024 || state.personal.isDue)
        }
    }

    /// Returns a new number that identifies a handle as a reader of parts.
    func newReader() -> Int {
        state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
    }

    /// Runs a function that removes or replaces contents of the given file, unless the file is open. While the function
    /// runs, only the engine's thread can open the file. A thread that read the file's index row earlier has to read it
    /// again to open the file.
    ///
    /// - Returns: The function's result; `nil` if the file is open.
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

    /// Records that the item of an open file has a new number, under which it is opened from now on. The existing
    /// handles remain under the earlier number.
    ///
    /// - Returns: Whether the file has any open handle.
    func replaced(_ number: ItemNumber, by successor: ItemNumber) -> Bool {
        state.withLock { state in
            state.entries[number]?.successor = successor
            state.entries[number]?.isDiscarded = true
            state.entries[number]?.isOutdated = false
            state.entries[number]?.isGrowing = false
            state.uses[successor] = state.uses.removeValue(forKey: number)
            state.personal.move(number, to: successor)
            // Openings on other threads may have read the row before this change, and have to read it again.
            state.epoch += 1
            return state.entries[number] != nil
        }
    }

    /// Whether a program has the given file open for writing.
    func isOpenForWriting(_ number: ItemNumber) -> Bool { entry(number).map { $0.writers > 0 } ?? false }

    /// Returns the item's current number, if the given number is that of a replaced file with open handles. Otherwise
    /// returns the given number.
    func currentNumber(_ number: ItemNumber) -> ItemNumber {
        var number = number
        while let successor = entry(number)?.successor { number = successor }
        return number
    }

    var epoch: Int { state.withLock { $0.epoch } }

    /// Whether any file is open for writing.
    var hasWritten: Bool { state.withLock { state in state.entries.contains { $0.value.writers > 0 } } }

    /// The open files whose bytes are not all local.
    var awaited: [ItemNumber] {
        state.withLock { state in state.entries.filter { $0.value.reading == nil }.map(\.key) }
    }

    /// The open files whose local version is older than the provider's version.
    var outdated: [ItemNumber] { state.withLock { state in state.entries.filter { $0.value.isOutdated }.map(\.key) } }

    /// The files that are open for writing.
    var written: [ItemNumber] { state.withLock { state in state.entries.filter { $0.value.writers > 0 }.map(\.key) } }
}

extension OpenFileTable.State {
    /// Counts an additional handle of the given file.
    mutating func open(_ number: ItemNumber, isForWriting: Bool, _ now: Double) {
        var entry = entries[number] ?? OpenFileTable.Entry()
        if isForWriting { entry.writers += 1 } else { entry.readers += 1 }
        entries[number] = entry
        uses[number] = now
    }

    /// Counts an additional read handle of the given file, if it is open already, and returns its entry. Returns `nil`
    /// if the file is not open, or if its version is older than the provider's. If the bytes are local, records a use
    /// that was possibly by the user.
    mutating func openForReading(_ number: ItemNumber, _ now: Double) -> OpenFileTable.Entry? {
        guard let entry = entries[number], !entry.isOutdated else { return nil }
        open(number, isForWriting: false, now)
        if entries[number]?.reading != nil { personal.note(number, now) }
        return entries[number]
    }

    /// Records that a handle of the given file was closed.
    ///
    /// - Returns: The file's entry if this was its last handle; otherwise `nil`.
    mutating func close(_ number: ItemNumber, isForWriting: Bool) -> OpenFileTable.Entry? {
        guard var entry = entries[number] else { return nil }
        if isForWriting { entry.writers -= 1 } else { entry.readers -= 1 }
        entries[number] = entry.openings > 0 ? entry : nil
        return entry.openings > 0 ? nil : entry
    }
}
