import FileProvider
import LinuxSystem

/// One domain: its index, the bytes that are here, and their way from and to the provider.
///
/// Everything that changes state is done on the engine's own thread, which is the actor's executor; it may block for the
/// disk, and never for the provider. What is declared `nonisolated` may be called on any thread and does not block for either.
package actor DomainEngine {
    package nonisolated let configuration: DomainConfiguration
    package nonisolated let provider: any Provider
    package nonisolated let clock: any EngineClock
    package nonisolated let index: Index
    /// Finds items by words, without the provider.
    package nonisolated let search: SearchIndex

    nonisolated let thread: EngineThread
    nonisolated let folders: ContentFolders
    nonisolated let openFiles = OpenFiles()
    nonisolated let listingAges = ListingAges()
    nonisolated let events = Receiver<EngineEvent>()
    nonisolated let answers = AnswerOrder()
    nonisolated let damage: DamageMark
    /// Why the index was built anew when the domain was opened, and what that means for a person; `nil` where it was not.
    package nonisolated let rebuilding: String?
    /// How far edits are, for those who show items.
    package nonisolated let uploads: UploadStates
    /// Tells when something changes in the sets that programs follow.
    package nonisolated let sets = SetVersions()
    nonisolated let signInRequests = Receiver<ProviderFailure>()
    nonisolated let durable: DurableWrites
    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    let journal: Journal
    let writerMarks: WriterMarks
    // What the parts keep; each is touched by the files of its folder only.
    var listings = Listings()
    var changes = ChangeState()
    var contents = ContentTransfers()
    var keeping = KeepingState()
    var edits = EditState()
    var signIn = SignInStatus()
    /// Grows with each sign-in, and whenever somebody says that what was in the way is not any more.
    var signInEra = 0
    var trashListing = TrashListing()
    var facts = FactState()
    /// The most bytes of clean contents; as ``DomainConfiguration/cacheLimit``, and changeable.
    var cacheLimit: Int64
    /// Nothing is begun and nothing is written any more.
    private(set) var isClosed = false

    /// What programs have open in a mount that has outlived the last engine, and those that were opened here for them.
    let openingsToResume: [OpeningToResume]
    let resumedWriters: Set<ItemNumber>
    let resumed = Lock<[UInt64: OpenItem]>([:])

    /// Opens a domain, and puts right what a crash left. Blocks for the disk.
    ///
    /// An index that is damaged is deleted and built anew, from the journal and by asking the provider.
    ///
    /// - Parameter openings: what programs have open in a mount that goes on. They are opened when the journal, the index and the files
    ///   agree, and what is done for that leaves them the files that they have. They are to be had from ``takeResumed()``.
    package init(
        configuration: DomainConfiguration, provider: any Provider, clock: any EngineClock = SystemEngineClock(),
        resuming openings: [OpeningToResume] = []
    ) throws {
        openingsToResume = openings
        resumedWriters = Set(openings.filter(\.isForWriting).map(\.number))
        self.configuration = configuration
        cacheLimit = configuration.cacheLimit
        self.provider = provider
        self.clock = clock
        uploads = UploadStates(notes: configuration.states)
        folders = try ContentFolders(dataFolder: configuration.dataFolder, cacheFolder: configuration.cacheFolder)
        journal = try Journal(path: configuration.dataFolder + "/journal.db")
        writerMarks = try WriterMarks(path: configuration.dataFolder + "/writers")
        let indexPath = configuration.dataFolder + "/index.db"
        var rebuilding: String?
        damage = DamageMark(path: configuration.dataFolder + "/index.damaged")
        do {
            if damage.isThere { throw IndexFailure.corrupt("It was found to be damaged when it was last used.") }
            index = try Index(path: indexPath)
        } catch IndexFailure.corrupt(let words) {
            try Index.delete(path: indexPath)
            index = try Index(path: indexPath)
            try damage.remove()
            rebuilding =
                "The index could not be used and is built anew (\(words)). Edits are as they were; what was to stay on "
                + "this machine, and the modes, dates and attributes that were set here, are forgotten."
        }
        self.rebuilding = rebuilding
        search = SearchIndex(index, path: configuration.dataFolder + "/search.db")
        durable = DurableWrites(journal: journal.log, index: index.log, clock: clock)
        thread = try EngineThread(name: "purvey-engine")
        try start(afterRebuilding: rebuilding != nil)
    }

    deinit { thread.stop() }

    /// The date of what is done now to an item here: the same clock dates the files that programs write to past the engine, so that
    /// no date is before that of what was done earlier. Seconds since 1970.
    package nonisolated var dateNow: Double { clock.date(by: folders.edits) }

    private nonisolated func start(afterRebuilding isRebuilt: Bool) throws {
        let hasStarted = Latch()
        let result = Lock<Result<Void, any Error>>(.success(()))
        perform { engine in
            let started = Result { try engine.begin(afterRebuilding: isRebuilt) }
            result.withLock { $0 = started }
            hasStarted.open()
        }
        hasStarted.wait()
        try result.withLock { $0 }.get()
    }

    private func begin(afterRebuilding isRebuilt: Bool) throws {
        // The search has hold of the index.
        index.onChange = { [events, weak search, states = configuration.states] changes in
            events.tell(.index(changes))
            states?.note(changes)
            search?.noteChanges()
        }
        index.onSetChange { [sets] in sets.note($0) }
        index.onWanted { [weak self] in self?.perform { $0.bringWhatIsKept() } }
        let entries = try journal.all()
        try recoverRemovedEdits()
        try recoverContents(afterRebuilding: isRebuilt, journalled: Set(entries.lazy.map(\.number)))
        try recoverEdits(entries)
        try recoverFacts()
        try recoverDoubts()
        try recoverTrashListing()
        askForOutdated()
        listReidentified()
        resumeOpenings()
        sweepRemoved()
        evictToLimit()
        bringWhatIsKept()
        // What the last process did not come to.
        search.noteChanges()
    }

    /// Runs a job on the engine's thread, in its turn.
    package nonisolated func perform(_ job: @escaping @Sendable (isolated DomainEngine) -> Void) {
        thread.run { self.assumeIsolated(job) }
    }

    /// Ends everything: what is under way is given up, whoever waits is told, edits stay where they are until the next start.
    package func close() async {
        guard !isClosed else { return }
        for number in contents.parts.files.keys { writeParts(number) }
        isClosed = true
        endWork()
        writeUses(isEnd: true)
        await closeEdits()
        await closeFacts()
        search.close()
        events.function = nil
        index.onChange = nil
        await withCheckedContinuation { continuation in durable.synchronize { _ in continuation.resume() } }
        durable.stop()
    }

    /// Ends everything as the death of the process would, as far as the disk is concerned: for tests.
    package nonisolated func abandon() {
        events.function = nil
        durable.stop()
        perform { engine in
            engine.isClosed = true
            engine.endWork()
        }
        search.close()
    }

    private func endWork() {
        sets.close()
        for listing in listings.folders.values {
            listing.task?.cancel()
            for waiter in listing.waiters.values { waiter.answer.give(.failure(.closed)) }
        }
        listings.waitingForOutdated?.cancel()
        listings = Listings()
        for task in changes.tasks.values { task.cancel() }
        for waiting in changes.waiting.values { waiting.cancel() }
        changes.waiting = [:]
        changes.doubtTask?.cancel()
        changes.waitingDoubts?.cancel()
        trashListing.task?.cancel()
        trashListing.waiting?.cancel()
        keeping.wake?.cancel()
        for fetch in contents.fetches.values {
            fetch.task?.cancel()
            for download in fetch.downloads { download.give(.failure(.closed)) }
        }
        for waiter in contents.waiters.values.joined() { waiter.answer.give(.failure(.closed)) }
        for opening in contents.openings.values.joined() { opening.fail(.closed) }
        for file in contents.parts.files.values {
            for ask in file.asks.values { ask.task.cancel() }
            for waiter in file.waiters { waiter.answer?.give(.failure(.closed)) }
        }
        contents.fetches = [:]
        contents.waiters = [:]
        contents.openings = [:]
        contents.parts.files = [:]
    }
}
