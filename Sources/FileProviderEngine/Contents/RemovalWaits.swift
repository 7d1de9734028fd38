import FileProviderWire
import ItemStore
import LinuxSystem

/// The state of a removal that is not sent to the provider yet, because programs have files open that it affects. The
/// contents of these files are fetched before the provider removes them.
struct RemovalWait {
    /// The files that are being fetched.
    var files: Set<ItemNumber> = []
    /// The number of failed fetches.
    var failures = 0
    /// Whether a fetch failed with a permanent error, so that a retry would fail, too.
    var hasFailedForGood = false

    /// The number of failed fetches after which the removal is sent although the contents are missing.
    static let mostFailures = 3
}

/// Delays the removal of open files at the provider. A program that has a file open can read it to the end after it was
/// removed locally. Its bytes are therefore fetched before the removal is sent to the provider.
///
/// It calls ``ContentCache``, ``Downloader`` and ``UploadScheduler``. Used only on the engine's thread (see
/// ``EngineContext``).
final class RemovalWaits {
    private let context: EngineContext
    private let cache: ContentCache
    private let downloader: Downloader
    private let scheduler: UploadScheduler
    /// The state of each removal that waits for the contents of open files, by the removed item.
    private var waits: [ItemNumber: RemovalWait] = [:]

    init(
        _ context: EngineContext, _ cache: ContentCache, _ downloader: Downloader, _ scheduler: UploadScheduler
    ) {
        self.context = context
        self.cache = cache
        self.downloader = downloader
        self.scheduler = scheduler
    }

    /// Fetches the missing contents of open files before the removal of the given item is sent to the provider. For a
    /// directory, these are all open files below it.
    ///
    /// - Returns: The result for the upload step of the removal while contents are missing. `nil` if no contents are
    ///   missing, or if they cannot be fetched.
    func awaitContents(
        beforeRemoving number: ItemNumber, _ engine: isolated any EngineEvents
    ) -> StepResult? {
        let files = cache.openFiles.awaited.filter { file in
            ((try? context.isWithin(number, file)) ?? false) && cache.lacksContents(file)
        }
        var wait = waits[number] ?? RemovalWait()
        guard !files.isEmpty, !wait.hasFailedForGood, wait.failures < RemovalWait.mostFailures else {
            // If the removal fails too, the contents are fetched once more before its next attempt.
            waits[number] = nil
            return nil
        }
        wait.files = Set(files)
        waits[number] = wait
        for file in files { downloader.startFetch(file, engine) }
        return .awaitsEvent
    }

    /// Resumes the removals that waited for the given file, because its fetch has ended or no program has it open any
    /// more.
    ///
    /// - Parameter result: The result of the fetch; `nil` if the file was closed.
    func fetchEnded(
        _ number: ItemNumber, _ result: Result<Void, ProviderError>?, _ engine: isolated any EngineEvents
    ) {
        for (removal, wait) in waits where wait.files.contains(number) {
            var wait = wait
            wait.files.remove(number)
            var pause = 0.0
            // These two failures do not count: a cancelled fetch may be started again, and without a sign-in the
            // removal cannot be sent either.
            if case .failure(let failure) = result, failure.kind != .cancelled, failure.kind != .notAuthenticated {
                wait.failures += 1
                wait.hasFailedForGood = wait.hasFailedForGood || !failure.isWorthAnotherAttempt
                if !wait.hasFailedForGood, wait.failures < RemovalWait.mostFailures {
                    pause = context.delay(afterAttempt: wait.failures)
                }
            }
            waits[removal] = wait
            if wait.files.isEmpty { scheduler.schedule(removal, after: pause, engine) }
        }
    }

    /// Returns the item that was removed locally but still exists with the given name and parent at the provider,
    /// because its removal waits for contents. Returns `nil` if there is no such item.
    func removal(in place: SentLocation) throws(IndexError) -> ItemNumber? {
        for number in waits.keys {
            if let row = try context.index.itemEvenIfDeleted(number), row.changes.contains(.deleted),
                row.item.isAt(place.name, in: place.parent)
            {
                return number
            }
        }
        return nil
    }

    /// Drops the state of an item that has no change left to send.
    func forget(_ number: ItemNumber) { waits[number] = nil }
}
