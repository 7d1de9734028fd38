import DomainMessages
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Transfers of files' contents from the provider, whole or as byte ranges, and the requests that wait for them.
///
/// It calls the sign-in, the content cache, the reconciler, the change tracker and the finder of identifiers
/// (``DownloaderHost``), and sends an event when a fetch has ended. See ``EngineContext`` for the thread.
final class Downloader {
    /// The fetch of one file, in progress or queued.
    struct Fetch {
        let progress: FetchProgress
        /// The task of the fetch; `nil` while the fetch is queued.
        var task: Task<Void, Never>?
        /// The value of ``SignIn/epoch`` when the fetch began.
        var epoch = 0
    }

    /// The fetches of whole files.
    struct Fetches {
        var files: [ItemNumber: Fetch] = [:]
        /// The fetches that are queued, in order.
        var queue: [ItemNumber] = []
        var running = 0
        /// The new numbers of files that were replaced while they were fetched, by the numbers under which the fetches
        /// began; see ``ContentCache/replace(_:_:)``.
        var successors: [ItemNumber: ItemNumber] = [:]
    }

    let context: EngineContext
    let cache: ContentCache
    let signIn: SignIn
    // The state. Only the files of this type use it.
    var fetches = Fetches()
    var parts = PartTransfers()
    var waiters = ContentWaiters()
    /// The totals for ``totals()``.
    private var tally = TransferTally()

    init(_ context: EngineContext, _ cache: ContentCache, _ signIn: SignIn) {
        self.context = context
        self.cache = cache
        self.signIn = signIn
    }

    var folders: ContentFolders { cache.folders }
    var openFiles: OpenFileTable { cache.openFiles }

    /// Whether whole files are being fetched.
    var isRunning: Bool { !fetches.files.isEmpty }

    // MARK: Requests for whole files

    func cancelDownload(of number: ItemNumber, _ answer: EngineCompletion<Void>, _ engine: isolated any DownloaderHost)
    {
        answer.cancel()
        // The file may have got another number meanwhile.
        let number = waiters.remove(download: answer) ?? number
        // An open handle may still need the contents.
        if openFiles.entry(number) == nil {
            cancelFetch(number, engine)
            putAwayParts(number, engine)
        }
    }

    func download(_ number: ItemNumber, _ answer: EngineCompletion<Void>, _ engine: isolated any DownloaderHost) {
        do throws(ProviderError) {
            guard !context.isClosed else { throw .closed }
            engine.lookAtOutdated(number)
            let number = openFiles.currentNumber(number)
            let row = try context.row(of: number)
            guard row.item.kind == .file else {
                throw ProviderError(.unsupported, message: "“\(row.name)” is not a file.")
            }
            let isWanted = cache.isGrowing(number) ? true : try cache.isMissing(row)
            guard isWanted else { return answer.complete(.success(())) }
            startFetch(number, engine)
            waiters.add(download: answer, of: number)
        } catch {
            answer.complete(.failure(error))
        }
    }

    /// Waits for the contents of an open file.
    func waitForContents(
        _ number: ItemNumber, isForWriting: Bool, _ answer: EngineCompletion<FileDescriptor>,
        _ engine: isolated any DownloaderHost
    ) {
        guard !context.isClosed, openFiles.entry(number) != nil else { return answer.complete(.failure(.closed)) }
        waiters.add(ContentWaiters.Handle(isForWriting: isForWriting, answer: answer), of: number)
        makeReady(number, engine)
    }

    /// Completes the waiters for a file if its bytes are local; otherwise starts a fetch.
    func makeReady(_ number: ItemNumber, _ engine: isolated any DownloaderHost) {
        let handles = waiters.handles(of: number)
        guard !handles.isEmpty else { return }
        // The local contents are of another version than the one that a handle has started to read.
        if cache.partials.isStale(number) { return failHandles(number, .otherVersion) }
        do throws(ProviderError) {
            let isForWriting = handles.contains { $0.isForWriting }
            var writing = openFiles.entry(number)?.writing
            var reading = openFiles.entry(number)?.reading
            if reading == nil || isForWriting && writing == nil {
                let row = try cache.openRow(number)
                if isForWriting {
                    writing = try engine.fileForWriting(row)
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

    /// Ends the requests that waited for a file after its last handle was closed.
    func lastHandleWasClosed(_ number: ItemNumber, _ engine: isolated any DownloaderHost) {
        // Only waiters that were cancelled are left.
        for handle in waiters.takeHandles(of: number) { handle.answer.cancel() }
        cancelFetch(number, engine)
        engine.endOpeningWaits(for: number, .success(()))
        putAwayParts(number, engine)
    }

    /// Moves the fetch of a file that was replaced to its new number.
    func fileWasReplaced(_ number: ItemNumber, by successor: ItemNumber, _ engine: isolated any DownloaderHost) {
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

    /// Fails the requests for items that the provider no longer has. Handles that are open without contents have
    /// nothing to wait for.
    func itemsWereRemoved(_ removed: [ItemNumber], _ engine: isolated any DownloaderHost) {
        for number in removed where !waiters.handles(of: number).isEmpty || fetches.files[number] != nil {
            makeReady(number, engine)
            cancelFetch(number, engine)
        }
        for number in removed where cache.partials[number] != nil { failReads(number, .noSuchItem) }
    }

    // MARK: The status

    /// Returns the totals of running and queued downloads.
    func totals() -> TransferTotals {
        var transfers: [ItemNumber: (done: Int64, total: Int64)] = [:]
        for (number, fetch) in fetches.files {
            let bytes = fetch.progress.now
            transfers[number] = (
                bytes.done, bytes.total > 0 ? bytes.total : (try? context.row(of: number))?.item.size ?? 0
            )
        }
        return tally.look(at: transfers)
    }

    /// Returns the running and queued downloads.
    func status() -> [DomainStatus.Transfer] {
        let downloads = fetches.files.map { number, fetch in
            let progress = fetch.progress.now
            return DomainStatus.Transfer(
                number: number, name: (try? cache.openRow(number))?.name ?? "", done: progress.done,
                total: progress.total, isWaiting: fetch.task == nil, begun: progress.begun, moved: progress.moved)
        }
        let others = parts.files.compactMap { number, transfer -> DomainStatus.Transfer? in
            guard fetches.files[number] == nil, let begun = transfer.begun, let file = cache.partials[number]?.file
            else { return nil }
            return DomainStatus.Transfer(
                number: number, name: (try? cache.openRow(number))?.name ?? "", done: file.ranges.count,
                total: file.size, isWaiting: false, begun: begun, moved: max(begun, transfer.moved))
        }
        return downloads + others
    }

    /// Returns a line for each fetch and for each file whose contents handles wait for.
    func work() -> [String] {
        fetches.files.keys.map { "\($0.rawValue) is fetched" }
            + waiters.handleCounts.map { "\($1) wait for the contents of \($0.rawValue)" }
    }

    /// Cancels all transfers and fails all waiters, because the engine is closed.
    func close() {
        for fetch in fetches.files.values { fetch.task?.cancel() }
        for file in parts.files.values { file.cancel() }
        fetches.files = [:]
        parts.files = [:]
        waiters.failAll(.closed)
    }
}
