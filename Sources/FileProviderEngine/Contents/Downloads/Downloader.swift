import DomainMessages
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Fetches whole files from the provider, and completes the requests that wait for them. ``PartDownloader`` fetches
/// byte ranges.
///
/// It calls ``SignIn``, ``PartDownloader``, ``ContentCache``, ``Evictor``, ``OutdatedFiles``, ``WrittenFiles``,
/// ``FileOpener``, ``ItemReconciler``, ``IdentifierFinder`` and ``ChangeTracker``, and sends an event
/// (``EngineEvents``) when a fetch has ended. Used only on the engine's thread (see ``EngineContext``).
package final class Downloader: EngineComponent {
    /// A running or queued fetch of one file.
    struct Fetch {
        let progress: FetchProgress
        /// The task of the fetch; `nil` while the fetch is queued.
        var task: Task<Void, Never>?
        /// The value of ``SignIn/epoch`` when the task of the fetch began.
        var epoch = 0
    }

    /// The running and queued fetches of whole files.
    struct Fetches {
        var files: [ItemNumber: Fetch] = [:]
        /// The files whose fetch is queued, in order.
        var queue: [ItemNumber] = []
        var running = 0
        /// The new numbers of files that were replaced while they were fetched, by the files' earlier numbers; see
        /// ``OutdatedFiles/replace(_:_:)``.
        var successors: [ItemNumber: ItemNumber] = [:]
    }

    let context: EngineContext
    let waiters: ContentWaiters
    let parts: PartDownloader
    let cache: ContentCache
    let partials: PartialFiles
    let evictor: Evictor
    let outdated: OutdatedFiles
    let writing: WrittenFiles
    let opener: FileOpener
    let signIn: SignIn
    let reconciler: ItemReconciler
    let finder: IdentifierFinder
    let changes: ChangeTracker
    // The state, which only this type and its extensions in other files use.
    var fetches = Fetches()
    /// The running sums from which ``totals()`` is computed.
    private var tally = TransferTally()

    init(
        _ context: EngineContext, _ waiters: ContentWaiters, _ parts: PartDownloader, _ cache: ContentCache,
        _ partials: PartialFiles, _ evictor: Evictor, _ outdated: OutdatedFiles, _ writing: WrittenFiles,
        _ opener: FileOpener, _ signIn: SignIn, _ reconciler: ItemReconciler, _ finder: IdentifierFinder,
        _ changes: ChangeTracker
    ) {
        self.context = context
        self.waiters = waiters
        self.parts = parts
        self.cache = cache
        self.partials = partials
        self.evictor = evictor
        self.outdated = outdated
        self.writing = writing
        self.opener = opener
        self.signIn = signIn
        self.reconciler = reconciler
        self.finder = finder
        self.changes = changes
    }

    /// Whether any fetch of a whole file is running or queued.
    var isRunning: Bool { !fetches.files.isEmpty }

    // MARK: Requests for whole files

    func cancelDownload(of number: ItemNumber, _ answer: EngineCompletion<Void>, _ engine: isolated any EngineEvents) {
        answer.cancel()
        // The file may have got another number meanwhile.
        let number = waiters.remove(download: answer) ?? number
        // An open handle may still need the contents.
        if openFiles.entry(number) == nil {
            cancelFetch(number, engine)
            parts.putAway(number, engine)
        }
    }

    func download(_ number: ItemNumber, _ answer: EngineCompletion<Void>, _ engine: isolated any EngineEvents) {
        do throws(ProviderError) {
            guard !context.isClosed else { throw .closed }
            outdated.lookAtOutdated(number, engine)
            let number = openFiles.currentNumber(number)
            let row = try context.row(of: number)
            guard row.item.kind == .file else {
                throw ProviderError(.unsupported, message: "“\(row.name)” is not a file.")
            }
            let isWanted = outdated.isGrowing(number) ? true : try cache.isMissing(row)
            guard isWanted else { return answer.complete(.success(())) }
            startFetch(number, engine)
            waiters.add(download: answer, of: number)
        } catch {
            answer.complete(.failure(error))
        }
    }

    /// Calls the completion handler when all bytes of an open file are local, after a fetch if necessary.
    func waitForContents(
        _ number: ItemNumber, isForWriting: Bool, _ answer: EngineCompletion<FileDescriptor>,
        _ engine: isolated any EngineEvents
    ) {
        guard !context.isClosed, openFiles.entry(number) != nil else { return answer.complete(.failure(.closed)) }
        waiters.add(ContentWaiters.Handle(isForWriting: isForWriting, answer: answer), of: number)
        makeReady(number, engine)
    }

    /// Completes the handles that wait for a file if its bytes are local; otherwise starts a fetch.
    func makeReady(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        let handles = waiters.handles(of: number)
        guard !handles.isEmpty else { return }
        // A handle has begun to read another version than the one that is local.
        if partials.isStale(number) { return failHandles(number, .otherVersion) }
        do throws(ProviderError) {
            let isForWriting = handles.contains { $0.isForWriting }
            var writing = openFiles.entry(number)?.writing
            var reading = openFiles.entry(number)?.reading
            if reading == nil || isForWriting && writing == nil {
                let row = try cache.openRow(number)
                if isForWriting {
                    writing = try self.writing.fileForWriting(row, truncating: false, engine)
                    reading = openFiles.entry(number)?.reading
                } else {
                    reading = try cache.fileForReading(row)
                }
            }
            guard let reading else { return startFetch(number, engine) }
            _ = waiters.takeHandles(of: number)
            cache.noteUse(of: number)
            for handle in handles {
                handle.answer.complete(.success(handle.isForWriting ? writing ?? reading : reading))
            }
        } catch {
            failHandles(number, error)
        }
    }

    func failHandles(_ number: ItemNumber, _ failure: ProviderError) {
        for handle in waiters.takeHandles(of: number) { handle.answer.complete(.failure(failure)) }
    }

    // MARK: Events of the cache

    /// Ends the remaining requests for a file after its last handle was closed.
    func lastHandleWasClosed(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        // Only waiters that were cancelled are left.
        for handle in waiters.takeHandles(of: number) { handle.answer.cancel() }
        cancelFetch(number, engine)
        opener.endWaits(for: number, .success(()), engine)
        parts.putAway(number, engine)
    }

    /// Assigns the fetch of a file that was replaced to the item's new number.
    func fileWasReplaced(_ number: ItemNumber, by successor: ItemNumber, _ engine: isolated any EngineEvents) {
        guard let fetch = fetches.files.removeValue(forKey: number) else { return }
        fetches.files[successor] = fetch
        waiters.moveDownloads(of: number, to: successor)
        cache.noteFetch(of: number, isUnderWay: false)
        cache.noteFetch(of: successor, isUnderWay: true)
        if let place = fetches.queue.firstIndex(of: number) { fetches.queue[place] = successor }
        fetches.successors[number] = successor
        // The fetch continues if a download waits for it.
        cancelFetch(successor, engine)
    }

    /// Completes or fails the requests for items that the provider no longer has, and cancels their fetches.
    func itemsWereRemoved(_ removed: [ItemNumber], _ engine: isolated any EngineEvents) {
        for number in removed where !waiters.handles(of: number).isEmpty || fetches.files[number] != nil {
            makeReady(number, engine)
            cancelFetch(number, engine)
        }
        for number in removed where partials[number] != nil { parts.failReads(number, .noSuchItem) }
    }

    // MARK: Transfers without progress. The timeout of ``ProviderProcessOptions`` ends them as well, but much later.

    /// The durations in seconds without progress after which a transfer counts as stalled: `reported` if the provider
    /// reports progress, `unreported` if it does not.
    static let stallTimes = (reported: 10.0, unreported: 30.0)

    /// Cancels the transfer of a file that is about to be evicted, if the transfer is stalled or no program has the
    /// file open. Readers and callers that wait for the contents get an error.
    func endUnwantedTransfer(of number: ItemNumber, _ engine: isolated any EngineEvents) {
        let failure = ProviderError(.transient, message: "The file was evicted while it was downloaded.")
        endTransfer(of: number, isInUse: openFiles.entry(number) != nil, failure, failure, engine)
    }

    /// Cancels the transfer of a file on the user's request. Readers and callers that wait for the contents get an
    /// error.
    func cancelTransfer(of number: ItemNumber, _ engine: isolated any EngineEvents) {
        let message = "The download was cancelled."
        // The mount returns `cancelled` to programs as `EINTR`, and programs repeat a system call after `EINTR`.
        // Readers therefore get another error than callers.
        endTransfer(
            of: number, isInUse: false, ProviderError(.transient, message: message),
            ProviderError(.cancelled, message: message), engine)
    }

    /// Cancels the transfer of a file.
    ///
    /// - Parameters:
    ///   - isInUse: Whether a program uses the file. If so, the transfer is cancelled only if it is stalled.
    ///   - failure: The error for readers of the file.
    ///   - callersFailure: The error for callers that wait for a download of the file.
    private func endTransfer(
        of number: ItemNumber, isInUse: Bool, _ failure: ProviderError, _ callersFailure: ProviderError,
        _ engine: isolated any EngineEvents
    ) {
        parts.endTransfer(of: number, isInUse: isInUse, failure)
        guard let fetch = fetches.files[number], !isInUse || isStalled(fetch) else { return }
        // Requests that arrive before the task has ended start another fetch.
        let downloads = waiters.takeDownloads(of: number)
        failHandles(number, failure)
        outdated.endGrowth(number)
        opener.endWaits(for: number, .failure(failure), engine)
        cancelFetch(number, engine)
        for download in downloads { download.complete(.failure(callersFailure)) }
    }

    private func isStalled(_ fetch: Fetch) -> Bool {
        let progress = fetch.progress.now
        let time = progress.total > 0 ? Self.stallTimes.reported : Self.stallTimes.unreported
        return progress.moved.map { context.clock.now - $0 >= time } ?? false
    }

    /// Cancels stalled transfers. A transfer for which a reader or caller waits is started again.
    package func restartStalledTransfers() {
        for fetch in fetches.files.values where isStalled(fetch) { fetch.task?.cancel() }
        parts.restartStalledTransfers()
    }

    /// The files with a running or queued fetch.
    var filesBeingFetched: Set<ItemNumber> { parts.filesBeingFetched.union(fetches.files.keys) }

    // MARK: The status

    /// Returns the totals of running and queued downloads.
    package func totals() -> TransferTotals {
        var transfers: [ItemNumber: (done: Int64, total: Int64)] = [:]
        for (number, fetch) in fetches.files {
            let bytes = fetch.progress.now
            transfers[number] = (
                bytes.done, bytes.total > 0 ? bytes.total : (try? context.row(of: number))?.item.size ?? 0
            )
        }
        return tally.look(at: transfers)
    }

    /// Returns the status of each running and queued download.
    func status() -> [DomainStatus.Transfer] {
        let downloads = fetches.files.map { number, fetch in
            let progress = fetch.progress.now
            let row = try? cache.openRow(number)
            return DomainStatus.Transfer(
                number: number, name: row?.name ?? "", isPinned: row?.staysLocal ?? false, done: progress.done,
                total: progress.total, isWaiting: fetch.task == nil, begun: progress.begun, moved: progress.moved)
        }
        return downloads + parts.status()
    }

    /// Returns a description of the work in progress: a line for each fetch, and for each file whose contents handles
    /// wait for.
    func work() -> [String] {
        fetches.files.keys.map { "\($0.rawValue) is fetched" }
            + waiters.handleCounts.map { "\($1) wait for the contents of \($0.rawValue)" }
    }

    /// Cancels all transfers and fails all waiters, because the engine is closed.
    func close() {
        for fetch in fetches.files.values { fetch.task?.cancel() }
        fetches.files = [:]
        parts.close()
        waiters.failAll(.closed)
    }
}

/// The progress of a transfer. Providers report it on any thread.
final class FetchProgress: Sendable {
    struct State {
        var done: Int64 = 0
        var total: Int64 = 0
        /// The time at which the fetch began, in seconds since 1970; `nil` while the fetch is queued. `moved` is the
        /// time of its last progress.
        var begun: Double?
        var moved: Double?
    }

    private let clock: any EngineClock
    // Leaf lock.
    private let state = Lock(State())

    init(_ clock: any EngineClock) { self.clock = clock }

    func begin() {
        let now = clock.now
        state.withLock { ($0.begun, $0.moved) = (now, now) }
    }

    func set(_ done: Int64, _ total: Int64) {
        let now = clock.now
        state.withLock { state in
            if done != state.done { state.moved = now }
            (state.done, state.total) = (done, total)
        }
    }

    var now: State { state.withLock { $0 } }
}
