import FileProvider
import LinuxSystem

/// What listings, changes and contents tell the edits. All of it happens on the engine's thread.
extension DomainEngine {
    /// The contents of a file that is open, or was just closed, are others than they were: journalled before this returns. May be
    /// told again and again of one file.
    ///
    /// - Parameters:
    ///   - size: bytes.
    ///   - modified: seconds since 1970.
    func noteEdited(_ number: ItemNumber, size: Int64, modified: Double) throws(Errno) {
        do throws(EditFailure) {
            // What was removed meanwhile is nobody's edit any more.
            guard let row = try reading({ () throws(IndexFailure) in try index.item(number) }) else { return }
            var entry = try entry(of: row)
            // What is known to be edited needs no second word in the journal.
            let isKnown = entry.changes.contains(.contents)
            if !isKnown, !entry.changes.contains(.created) { entry.baseVersion = row.versionToEdit }
            entry.changes.insert(.contents)
            entry.modified = modified
            entry.isOpen = false
            let changes = entry.changes
            try record(isKnown ? [] : [.put(entry)]) { writer throws(IndexFailure) in
                try writer.update(number) { row in
                    row.changes = changes
                    row.content = .edited
                    row.localSize = size
                    row.localModified = modified
                }
            }
        } catch {
            throw error.errno
        }
        edits.generations[number, default: 0] += 1
        look(at: number, after: Self.openFileInterval)
    }

    /// An edited file that stays open is sent so many seconds after it was noted all the same.
    static let openFileInterval = 30.0

    /// A file that was open for writing is not any more: it may be sent. Comes after ``noteEdited(_:size:modified:)``, if that came.
    func noteClosed(_ number: ItemNumber) { look(at: number, after: configuration.settlingTime) }

    /// The provider has other contents of files that were edited here.
    func noteConflicts(_ numbers: [ItemNumber]) {
        // Whether it is one is decided when the file's turn comes: its own upload may be what came back.
        for number in numbers { look(at: number, after: configuration.settlingTime) }
    }

    /// The provider does not have items any more that were changed here, or in which something was: parents before children.
    func noteRemovedByProvider(_ numbers: [ItemNumber]) {
        for number in numbers {
            guard !edits.isBusy(number) else {
                // Its step gets to know it too.
                edits.again.insert(number)
                continue
            }
            // What cannot be written now is found again when the item is sent.
            _ = try? makeAgain(number)
            look(at: number, after: configuration.settlingTime)
        }
    }

    /// The provider has something to tell: what waits for it may be asked for again. Signals that come meanwhile are one, because
    /// each may be about all of it.
    func noteSignalSoon() {
        guard !edits.isSignalled else { return }
        edits.isSignalled = true
        // Behind the signals that wait for their turn already.
        perform { engine in
            engine.edits.isSignalled = false
            engine.edits.signals += 1
            for number in engine.edits.sent.keys { engine.look(at: number) }
        }
    }

    /// How often signals had what waits for the provider looked at: for tests.
    package var signalCount: Int { edits.signals }

    /// Ends what is under way, for the engine's end.
    func closeEdits() async {
        edits.wake?.waiting.cancel()
        edits.wake = nil
        let tasks = Array(edits.running.values)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        // Nobody can do anything about a disk that is full still.
        try? journal.payChanges()
        // What was removed while it was open nobody closes any more; the next start would take its bytes for an edit that was lost.
        let discarded = openFiles.withLock { $0.entries.filter(\.value.isDiscarded).keys }
        for number in discarded { try? folders.remove(number, in: folders.edits) }
    }
}
