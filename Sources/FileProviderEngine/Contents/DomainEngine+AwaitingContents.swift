import FileProvider
import LinuxSystem

/// A removal that waits for the contents of files that programs have open and that it would remove at the provider.
struct RemovalWait {
    /// The files that are being fetched.
    var files: Set<ItemNumber> = []
    /// The number of failed fetches.
    var failures = 0
    /// Whether a fetch failed with an error that a retry would meet again.
    var hasFailedForGood = false

    /// The number of failed fetches after which the removal proceeds without the contents.
    static let mostFailures = 3
}

/// Removals of open files. A program that has a file open can read it to the end after its local removal. Its bytes
/// are therefore fetched before the removal is sent to the provider.
extension DomainEngine {
    /// Fetches the contents of the open files of an item that was removed locally. For a directory, these are all
    /// open files below it.
    ///
    /// - Returns: the state of the removal meanwhile; `nil` if no contents are missing, or if they cannot be fetched.
    func awaitContents(beforeRemoving number: ItemNumber) -> StepResult? {
        let files = openFiles.awaited.filter { file in
            ((try? isWithin(number, file)) ?? false) && lacksContents(file)
        }
        var wait = contents.removals[number] ?? RemovalWait()
        guard !files.isEmpty, !wait.hasFailedForGood, wait.failures < RemovalWait.mostFailures else {
            // If the removal fails too, the contents are fetched once more before its next attempt.
            contents.removals[number] = nil
            return nil
        }
        wait.files = Set(files)
        contents.removals[number] = wait
        for file in files { startFetch(file) }
        return .parked
    }

    /// Whether programs have a file open that is not complete locally and can be fetched.
    func lacksContents(_ number: ItemNumber) -> Bool {
        // Handles that have read another version get no further bytes of it.
        guard let entry = openFiles.entry(number), entry.reading == nil,
            contents.parts.files[number]?.isStale != true, let row = try? openRow(number), row.item.kind == .file,
            row.isKnownToProvider
        else { return false }
        do throws(ProviderFailure) { return try fileForReading(row) == nil } catch { return false }
    }

    /// Resumes the removals that waited for a file, because its fetch has ended or no program has it open any more.
    ///
    /// - Parameter result: the result of the fetch; `nil` if the file was closed.
    func endRemovalWaits(for number: ItemNumber, _ result: Result<Void, ProviderFailure>?) {
        for (removal, wait) in contents.removals where wait.files.contains(number) {
            var wait = wait
            wait.files.remove(number)
            var pause = 0.0
            // A cancelled fetch may be started again, and without a sign-in the removal cannot be sent either.
            if case .failure(let failure) = result, failure.kind != .cancelled, failure.kind != .notAuthenticated {
                wait.failures += 1
                wait.hasFailedForGood = wait.hasFailedForGood || !failure.isWorthAnotherAttempt
                if !wait.hasFailedForGood, wait.failures < RemovalWait.mostFailures {
                    pause = self.pause(after: wait.failures)
                }
            }
            contents.removals[removal] = wait
            if wait.files.isEmpty { look(at: removal, after: pause) }
        }
    }

    /// Returns the locally removed item that still has a place at the provider because its removal waits for
    /// contents.
    func removalAwaitingContents(in place: SentPlace) throws(IndexFailure) -> ItemNumber? {
        for number in contents.removals.keys {
            if let row = try index.itemEvenIfDeleted(number), row.changes.contains(.deleted),
                row.item.isAt(place.name, in: place.parent)
            {
                return number
            }
        }
        return nil
    }

    /// Gives all handles of a removed item the file with its bytes. Once the row is deleted, later reads could not
    /// find the file.
    func shareContents(_ number: ItemNumber) {
        guard let entry = openFiles.entry(number), entry.reading == nil || entry.writing == nil && entry.writers > 0,
            contents.parts.files[number]?.isStale != true
        else { return }
        do throws(Errno) {
            for folder in [folders.edits, folders.clean] {
                guard let file = try folders.open(number, in: folder, entry.writers > 0 ? .readWrite : .readOnly)
                else { continue }
                var reading = entry.reading
                if reading == nil { reading = entry.writers > 0 ? try file.reopen(.readOnly) : file }
                let shared = reading
                openFiles.update(number) { entry in
                    entry.reading = shared
                    if entry.writers > 0 { entry.writing = file }
                }
                return
            }
        } catch {
            remember(error)
        }
    }
}
