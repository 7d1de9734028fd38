import ItemStore
import LinuxSystem

/// Synchronizes one domain: its index, its local contents, and their transfer from and to the provider.
///
/// All changes of state happen on the engine's own thread, which is the actor's executor. This thread may block on the
/// disk, but never on the provider. `nonisolated` members may be called on any thread. They never block on the
/// provider. They block on the disk only to read the index, or if their documentation says so.
package actor DomainEngine: EngineEvents {
    /// The parts of the engine that any thread may use.
    nonisolated let resources: EngineResources
    /// The state that the components share. Used only on the engine's thread.
    let context: EngineContext
    /// The components. An extension of this actor has a property for each of them.
    let components: EngineComponents
    package let targets: EventTargets
    nonisolated let thread: EngineThread
    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Opens a domain and recovers from a crash. Blocks on the disk.
    ///
    /// A damaged index is deleted, and rebuilt from the journal and from the provider's replies.
    ///
    /// - Parameter openings: The files that processes have open in a running mount. Recovery does not replace their
    ///   local contents. Afterwards, the engine opens these files again, and ``takeResumed()`` returns the handles.
    package init(
        configuration: DomainConfiguration, provider: any Provider, clock: any EngineClock = SystemEngineClock(),
        resuming openings: [HandleToResume] = []
    ) throws {
        let folders = try ContentFolders(dataFolder: configuration.dataFolder, cacheFolder: configuration.cacheFolder)
        let journal = try Journal(path: configuration.dataFolder + "/journal.db")
        let writerMarks = try WriterMarks(path: configuration.dataFolder + "/writers")
        resources = try EngineResources(
            configuration, provider: provider, clock: clock, folders: folders, journal: journal.log)
        context = EngineContext(resources, journal: journal)
        components = EngineComponents(context, writerMarks, resuming: openings)
        targets = EventTargets(components)
        thread = try EngineThread(name: "purvey-engine")
        try start(afterRebuilding: resources.rebuilding != nil)
    }

    deinit { thread.stop() }

    package nonisolated var configuration: DomainConfiguration { resources.configuration }
    package nonisolated var provider: any Provider { resources.provider }
    package nonisolated var clock: any EngineClock { resources.clock }
    package nonisolated var index: Index { resources.index }
    /// The full-text index, which searches without the provider.
    package nonisolated var search: SearchIndex { resources.search }
    /// The progress of edits, for programs that display items.
    package nonisolated var uploads: UploadStates { resources.uploads }
    /// The versions of the item sets that clients follow.
    package nonisolated var sets: SetVersions { resources.sets }
    /// The reason why the index was rebuilt when the domain was opened, and the consequences for the user; `nil` if it
    /// was not rebuilt.
    package nonisolated var rebuilding: String? { resources.rebuilding }
    /// The component that writes the journal and the index to disk. Callers that serve fsync(2) wait for it.
    package nonisolated var durable: DurableWrites { resources.durable }
    /// The functions that open and close files.
    package nonisolated var handles: FileHandles { FileHandles(engine: self) }

    /// The present date for a local change of an item, in seconds since 1970. It comes from the clock with which the
    /// kernel dates files that are written through passthrough. Therefore dates never decrease from one change to the
    /// next.
    package nonisolated var dateNow: Double { clock.date(by: resources.folders.edits) }

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
        context.engine = self
        // The search index retains the index, so a strong reference here would be a cycle.
        index.onChange = { [events = resources.events, weak search, states = configuration.states] changes in
            events.tell(.index(changes))
            states?.note(changes)
            search?.noteChanges()
        }
        index.onSetChange { [sets] in sets.note($0) }
        index.onWanted { [weak self] in self?.perform { $0.pinning.materializeMissing($0) } }
        let entries = try context.journal.all()
        try recovery.recoverRemovedEdits()
        try contentRecovery.recoverContents(afterRebuilding: isRebuilt, journalled: Set(entries.lazy.map(\.number)))
        try recovery.recoverEdits(entries, self)
        try metadata.recover(self)
        try reconciler.revalidation.recover(self)
        try trash.enumeration.recover()
        changes.refreshes.refreshOutdated(self)
        try components.directoryImport.recover(self)
        try imports.recover(self)
        components.resumption.resume(self)
        contentRecovery.sweepRemoved()
        contentRecovery.sweepClean(self)
        evictor.evictToLimit(self)
        pinning.materializeMissing(self)
        // The search index catches up with changes that the last process did not add to it.
        search.noteChanges()
    }

    /// Enqueues a job on the engine's thread and returns at once.
    package nonisolated func perform(_ job: @escaping @Sendable (isolated DomainEngine) -> Void) {
        thread.run { self.assumeIsolated(job) }
    }

    package nonisolated func openItem(
        _ number: ItemNumber, isForWriting: Bool, descriptor: FileDescriptor?
    ) -> OpenHandle {
        OpenHandle(self, number, isForWriting: isForWriting, descriptor: descriptor)
    }

    /// Runs a job on the engine's thread and returns its result.
    package func run<Result: Sendable, Failure>(
        _ job: @Sendable (isolated DomainEngine) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await job(self)
    }

    /// Closes the engine: cancels running work, and completes all waiting requests. Edits that were not sent stay in
    /// the journal until the next start.
    package func close() async {
        guard !context.isClosed else { return }
        partialContents.writeAll()
        context.close()
        endWork()
        metadata.writeUses(isEnd: true, self)
        await closeEdits()
        await metadata.close()
        search.close()
        resources.events.function = nil
        index.onChange = nil
        await withCheckedContinuation { continuation in durable.synchronize { _ in continuation.resume() } }
        durable.stop()
    }

    /// Closes the engine without writing its state, as if the process had been killed: for tests.
    package nonisolated func abandon() {
        resources.events.function = nil
        durable.stop()
        perform { engine in
            engine.context.close()
            engine.endWork()
        }
        search.close()
    }

    private func endWork() {
        sets.close()
        enumerator.cancel()
        changes.cancel()
        reconciler.revalidation.cancel()
        trash.enumeration.cancel()
        localTrash.cancel()
        pinning.cancel()
        downloader.close()
        opener.close()
        cache.close()
    }

    /// Ends the running uploads and writes the state of edits to disk.
    private func closeEdits() async {
        await scheduler.close()
        // If the disk is still full, the journal entries that are queued in memory are lost.
        try? context.journal.writeUnwrittenChanges()
        localTrash.writeUnwritten()
        // Delete the contents of files that were removed while they were open. No client will close them now, and the
        // next start would mistake the contents for a lost edit.
        let discarded = resources.openFiles.withLock { $0.entries.filter(\.value.isDiscarded).keys }
        for number in discarded { try? resources.folders.remove(number, in: resources.folders.edits) }
    }

    // MARK: For tests

    /// Sets a closure that decides, before each commit to the journal or the index, whether the disk has space for it:
    /// for tests. `nil` removes the closure.
    package func limitRoom(_ hasRoom: (@Sendable () -> Bool)?) {
        context.journal.limitRoom(hasRoom)
        index.limitRoom(hasRoom)
    }

    /// Sets a closure that is called on the engine's thread between the writes of one change to the journal and to the
    /// index: for tests.
    package func observeEdits(_ observer: (@Sendable () -> Void)?) { components.writer.observer = observer }
}

/// An event that programs displaying a domain must receive at once.
package enum EngineEvent: Sendable {
    /// The index has changed. The changes are in the order in which they were made.
    case index([IndexChange])
    /// A file's local bytes were replaced, although its row may be unchanged.
    case contentsReplaced(ItemNumber)
    /// The engine has found out whether the provider has a trash.
    case trashSupportChanged
}

extension DomainEngine {
    /// Sets the receiver of events; `nil` removes it. It is called on the engine's thread, in the order of the events,
    /// and must not block.
    package nonisolated func onEvent(_ receiver: (@Sendable (EngineEvent) -> Void)?) {
        resources.events.function = receiver
    }
}
