import LinuxSystem

/// The components of an engine. A component is created after the components that it calls, so the graph of calls has no
/// cycle. A component notifies the components that depend on it through events (``EngineEvents``).
final class EngineComponents {
    let signIn: SignIn
    // Contents.
    let cache: ContentCache
    let partialContents: PartialContents
    let evictor: Evictor
    let outdated: OutdatedFiles
    let writing: WrittenFiles
    let opener: FileOpener
    let partials = PartialFiles()
    let partDownloader: PartDownloader
    let downloader: Downloader
    let pinning: Pinning
    let removalWaits: RemovalWaits
    let resumption: HandleResumption
    let contentRecovery: ContentRecovery
    // Reports of the provider.
    let reimports: Reimports
    let reconciler: ItemReconciler
    let enumerator: Enumerator
    let changes: ChangeTracker
    let trash: Trash
    // Local changes.
    let writer: JournalWriter
    let recorder: EditRecorder
    let scheduler: UploadScheduler
    let tracker: IdentifierTracker
    let recreation: ItemRecreation
    let finder: IdentifierFinder
    let metadata: UserMetadata
    let uploader: Uploader
    let localEdits: LocalEdits
    let recovery: EditRecovery
    let progress: EditProgress
    let imports: Imports
    let directoryImport: DirectoryImport
    let localTrash: LocalTrash

    init(_ context: EngineContext, _ writerMarks: WriterMarks, resuming openings: [HandleToResume]) {
        signIn = SignIn(context)
        writer = JournalWriter(context)
        scheduler = UploadScheduler(context, signIn)
        cache = ContentCache(context, partials)
        partialContents = PartialContents(context, cache, partials)
        evictor = Evictor(context, cache, partialContents)
        outdated = OutdatedFiles(context, cache, partials, evictor, scheduler)
        writing = WrittenFiles(context, writerMarks, cache, evictor, writer)
        opener = FileOpener(context, cache, partials, partialContents, evictor, outdated, writing)
        contentRecovery = ContentRecovery(context, cache)
        recorder = EditRecorder(context, writer, evictor)
        tracker = IdentifierTracker(context, writer, recorder, scheduler)
        reimports = Reimports(context)
        reconciler = ItemReconciler(context, signIn, tracker, evictor, writing, reimports)
        recreation = ItemRecreation(context, writer, recorder, scheduler, tracker, reconciler)
        finder = IdentifierFinder(context, writer, recorder, scheduler, tracker, recreation)
        enumerator = Enumerator(context, signIn, reconciler, finder, evictor)
        changes = ChangeTracker(context, signIn, reconciler, enumerator, evictor)
        trash = Trash(context, reconciler, changes)
        let waiters = ContentWaiters()
        partDownloader = PartDownloader(
            context, waiters, cache, partials, partialContents, evictor, outdated, signIn, reconciler, finder)
        downloader = Downloader(
            context, waiters, partDownloader, cache, partials, evictor, outdated, writing, opener, signIn, reconciler,
            finder, changes)
        pinning = Pinning(context, downloader, enumerator, evictor)
        removalWaits = RemovalWaits(context, cache, downloader, scheduler)
        metadata = UserMetadata(context, signIn, reconciler, tracker, finder)
        uploader = Uploader(
            context, writer, recorder, scheduler, tracker, recreation, finder, reconciler, enumerator, evictor, writing,
            removalWaits, metadata)
        localEdits = LocalEdits(
            context, writer, recorder, scheduler, tracker, cache, evictor, writing, opener, removalWaits, metadata)
        recovery = EditRecovery(
            context, writer, recorder, scheduler, tracker, recreation, cache, writing,
            resuming: Set(openings.lazy.filter(\.isForWriting).map(\.number)))
        resumption = HandleResumption(
            context, cache, partials, opener, writing, partDownloader, localEdits, recovery, openings)
        progress = EditProgress(context, signIn, recorder, scheduler, tracker)
        imports = Imports(context, reimports, reconciler, tracker, recreation, recorder, localEdits, progress)
        directoryImport = DirectoryImport(context, reimports, recorder, localEdits, imports)
        localTrash = LocalTrash(context, trash, localEdits, progress)
    }
}

/// Access to each component by name, on the engine's thread only: in ``run(_:)`` or ``perform(_:)``.
extension DomainEngine {
    package var signIn: SignIn { components.signIn }
    var cache: ContentCache { components.cache }
    var partialContents: PartialContents { components.partialContents }
    package var evictor: Evictor { components.evictor }
    var outdated: OutdatedFiles { components.outdated }
    var writing: WrittenFiles { components.writing }
    var opener: FileOpener { components.opener }
    var partDownloader: PartDownloader { components.partDownloader }
    package var downloader: Downloader { components.downloader }
    var removalWaits: RemovalWaits { components.removalWaits }
    var contentRecovery: ContentRecovery { components.contentRecovery }
    var reconciler: ItemReconciler { components.reconciler }
    var enumerator: Enumerator { components.enumerator }
    var changes: ChangeTracker { components.changes }
    package var trash: Trash { components.trash }
    package var localTrash: LocalTrash { components.localTrash }
    package var pinning: Pinning { components.pinning }
    package var metadata: UserMetadata { components.metadata }
    var scheduler: UploadScheduler { components.scheduler }
    var tracker: IdentifierTracker { components.tracker }
    package var localEdits: LocalEdits { components.localEdits }
    var recovery: EditRecovery { components.recovery }
    package var progress: EditProgress { components.progress }
    package var partials: PartialFiles { components.partials }
    package var imports: Imports { components.imports }
    package var directoryImport: DirectoryImport { components.directoryImport }
}
