import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

// The calls between the components of edits, as those of ComponentLinks.swift. The graph has no cycle:
//
//     JournalWriter      calls no other part
//     EditRecorder       calls the journal writer and the content cache
//     UploadScheduler    calls the sign-in
//     IdentifierTracker  calls the journal writer, the recorder and the scheduler
//     ItemRecreation     calls these and the reconciler, and sends an event to the imports
//     IdentifierFinder   calls these, and the recreation of items
//     Uploader           calls these, the finder, the content cache, the removals that wait, the enumerator and the
//                        user metadata
//     LocalEdits         calls the recorder, the scheduler, the tracker, the content cache, the removals that wait and
//                        the user metadata
//     EditRecovery       calls the recorder, the scheduler, the tracker, the recreation and the content cache
//     EditProgress       calls the sign-in, the recorder, the scheduler and the tracker
//
// A component holds those of them that it calls, and passes the engine on. The type of the engine is therefore generic:
// each host has the requirements of the hosts of the components below.

// MARK: Recording

/// The parts that ``EditRecorder`` calls, and its event.
protocol EditRecorderHost: ComponentHost {
    func makingRoom<Result>(_ body: () throws(EditError) -> Result) throws(EditError) -> Result
    /// Passes on that the bytes of an item are not needed by edits any more. Open handles keep them.
    func bytesWereRemoved(_ number: ItemNumber)
}

extension DomainEngine: EditRecorderHost {
    func bytesWereRemoved(_ number: ItemNumber) {
        discardContents(number)
        metadata.noteRemoved([number], self)
    }

    func writeInAnyCase(_ changes: [JournalChange], freesSpace: Bool) throws(IndexError) {
        try components.writer.writeInAnyCase(changes, freesSpace: freesSpace)
    }
}

// MARK: Scheduling

/// The events of ``UploadScheduler``.
protocol UploadSchedulerHost: ComponentHost {
    /// Passes on that a step of an item has begun. The step ends when this returns.
    func sendChanges(of number: ItemNumber) async throws -> StepResult
    /// Passes on that an item waits to be moved at the provider.
    func itemWillMove(_ number: ItemNumber) throws(IndexError)
    /// Passes on that the provider refused a change for good.
    func changeWasRefused(_ number: ItemNumber)
    /// Passes on that an item has nothing left to send, before the items that wait for it are scheduled.
    func uploadWasForgotten(_ number: ItemNumber)
    /// Passes on that an item has nothing left to send, after the items that wait for it were scheduled.
    func uploadIsOver(_ number: ItemNumber)
    /// Passes on that a request was successful although a sign-in seemed necessary.
    func signInSucceeded()
}

extension DomainEngine: UploadSchedulerHost {
    /// Schedules an item's next step.
    func schedule(_ number: ItemNumber, after seconds: Double = 0) {
        scheduler.schedule(number, after: seconds, self)
    }

    func noteSignalSoon() { scheduler.noteSignalSoon(self) }

    func sendChanges(of number: ItemNumber) async throws -> StepResult {
        try await components.uploader.send(number, self)
    }

    func itemWillMove(_ number: ItemNumber) throws(IndexError) { try tracker.noteLeaves(number) }

    // The move was refused: an item that is reported at the new place is another one.
    func changeWasRefused(_ number: ItemNumber) { tracker.forgetMove(of: number, self) }

    func uploadWasForgotten(_ number: ItemNumber) {
        removalWaits.forget(number)
        tracker.forgetMove(of: number, self)
        tracker.forgetUnanswered(of: number, self)
    }

    func uploadIsOver(_ number: ItemNumber) { lookAtOutdated(number) }

    func signInSucceeded() { retry() }
}

// MARK: Identifiers

/// The part that withholds reported items that may be known items under a new identifier.
protocol IdentifierTracking: ComponentHost {
    /// Whether the provider may have moved an item by a request whose reply was lost.
    func mayHaveMoved(_ number: ItemNumber) -> Bool
    func isMoving(_ identifier: String) -> Bool
    func withoutNamesInBetween(_ items: [ProviderItem]) throws(ProviderError) -> [ProviderItem]
    func withoutUnanswered(_ items: [ProviderItem]) throws(ProviderError) -> [ProviderItem]
    func forgetWithheld(_ isMeant: (String) -> Bool)
    func believed(gone identifiers: [String]) throws(ProviderError) -> [String]
    func follow(_ items: [Reidentified])
}

extension DomainEngine: IdentifierTracking {
    func mayHaveMoved(_ number: ItemNumber) -> Bool { tracker.moves[number] != nil }

    func isMoving(_ identifier: String) -> Bool { tracker.isMoving(identifier) }

    func withoutNamesInBetween(_ items: [ProviderItem]) throws(ProviderError) -> [ProviderItem] {
        try tracker.withoutNamesInBetween(items)
    }

    func withoutUnanswered(_ items: [ProviderItem]) throws(ProviderError) -> [ProviderItem] {
        try tracker.withoutUnanswered(items)
    }

    func forgetWithheld(_ isMeant: (String) -> Bool) { tracker.forgetWithheld(isMeant) }

    func believed(gone identifiers: [String]) throws(ProviderError) -> [String] {
        try tracker.believed(gone: identifiers, self)
    }

    func follow(_ items: [Reidentified]) { tracker.follow(items, self) }
}

/// The events of ``IdentifierTracker``.
protocol IdentifierTrackerHost: UploadSchedulerHost {
    /// Passes on that the outcome of all moves is known.
    func movesAreSettled()
    /// Passes on that items were withheld, or reported with an outdated name, and are to be requested again.
    func itemsMayBeShown(_ identifiers: Set<String>)
    /// Passes on that items were reported as removed while they may only have moved.
    func itemsAreUncertain(_ identifiers: Set<String>) throws(ProviderError)
    /// Passes on that items in a directory have other identifiers.
    func directoryIsOutdated(_ folder: ItemNumber)
}

extension DomainEngine: IdentifierTrackerHost {
    func movesAreSettled() {
        askForOutdated()
        reconciler.revalidation.retry(self)
    }

    func itemsMayBeShown(_ identifiers: Set<String>) { requestRevalidation(identifiers) }

    func itemsAreUncertain(_ identifiers: Set<String>) throws(ProviderError) { try scheduleRevalidation(identifiers) }

    func directoryIsOutdated(_ folder: ItemNumber) { refreshAnew(folder) }
}

/// The parts that ``ItemRecreation`` calls, and its event.
protocol ItemRecreationHost: IdentifierTrackerHost, EditRecorderHost, ItemReconciling, ItemImporting {}

extension DomainEngine: ItemRecreationHost {}

/// The part that finds items whose identifiers change at the provider.
protocol IdentifierFinding: ComponentHost {
    func awaitNewIdentifier(of number: ItemNumber, asked identifier: String) async -> Bool
    func findNewIdentifier(of number: ItemNumber, asked identifier: String) async throws -> StepResult?
    func reidentify(_ row: IndexedItem?, as answer: ProviderItem, asked identifier: String) async throws
}

extension DomainEngine: IdentifierFinding {
    func awaitNewIdentifier(of number: ItemNumber, asked identifier: String) async -> Bool {
        await finder.awaitNewIdentifier(of: number, asked: identifier, self)
    }

    func findNewIdentifier(of number: ItemNumber, asked identifier: String) async throws -> StepResult? {
        try await finder.findNewIdentifier(of: number, asked: identifier, self)
    }

    func reidentify(_ row: IndexedItem?, as answer: ProviderItem, asked identifier: String) async throws {
        try await finder.reidentify(row, as: answer, asked: identifier, self)
    }
}

/// The parts that ``IdentifierFinder`` calls.
protocol IdentifierFinderHost: ItemRecreationHost {}

extension DomainEngine: IdentifierFinderHost {}

// MARK: Sending

/// The parts that ``Uploader`` calls.
protocol UploaderHost: IdentifierFinderHost, Enumerating, UserMetadataHost {
    func evict(bytes: Int64) -> Int64
    func reconcileContents<Result>(_ number: ItemNumber, _ write: (_ size: Int64) throws -> Result) throws -> Result
    func awaitContents(beforeRemoving number: ItemNumber) -> StepResult?
}

extension DomainEngine: UploaderHost {}

// MARK: Local edits and recovery

/// The parts that ``LocalEdits`` calls.
protocol LocalEditsHost: IdentifierTrackerHost, EditRecorderHost, UserMetadataHost {
    func compare(_ number: ItemNumber) throws(ProviderError)
    func opened(_ number: ItemNumber, for purpose: OpenPurpose) throws(ProviderError) -> OpenHandle
    func takeAsEdited(_ number: ItemNumber) throws(ProviderError)
    func discardContents(_ number: ItemNumber)
    func awaitContents(beforeRemoving number: ItemNumber) -> StepResult?
}

extension DomainEngine: LocalEditsHost {
    func noteEdited(_ number: ItemNumber, size: Int64, modified: Double) throws(Errno) {
        try localEdits.noteEdited(number, size: size, modified: modified, self)
    }

    func noteClosed(_ number: ItemNumber) { localEdits.noteClosed(number, self) }
}

/// The parts that ``EditRecovery`` calls.
protocol EditRecoveryHost: ItemRecreationHost {
    func discardContents(_ number: ItemNumber)
}

extension DomainEngine: EditRecoveryHost {
    func partedFromWriters(_ number: ItemNumber) throws -> FileStatus? { try recovery.partedFromWriters(number) }

    /// Ends what edits do, before the engine ends.
    func closeEdits() async {
        await scheduler.close()
        // If the disk is still full, the owed journal entries are lost.
        try? journal.payChanges()
        // No client will close the files that were removed while open. The next start would mistake their bytes for a
        // lost edit.
        let discarded = openFiles.withLock { $0.entries.filter(\.value.isDiscarded).keys }
        for number in discarded { try? folders.remove(number, in: folders.edits) }
    }
}
