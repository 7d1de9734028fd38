/// The components of an engine. Each gets those that it calls directly; ComponentLinks.swift and EditLinks.swift have
/// the other calls.
struct EngineComponents {
    let signIn: SignIn
    let cache: ContentCache
    let downloader: Downloader
    let removalWaits: RemovalWaits
    let resumption: HandleResumption
    let reconciler: ItemReconciler
    let enumerator: Enumerator
    let reimports: Reimports
    let changes: ChangeTracker
    let trash: Trash
    let pinning: Pinning
    let metadata: UserMetadata
    let writer: JournalWriter
    let recorder: EditRecorder
    let scheduler: UploadScheduler
    let tracker: IdentifierTracker
    let recreation: ItemRecreation
    let finder: IdentifierFinder
    let uploader: Uploader
    let localEdits: LocalEdits
    let recovery: EditRecovery
    let progress: EditProgress

    init(_ context: EngineContext, _ writerMarks: WriterMarks, resuming openings: [HandleToResume]) {
        signIn = SignIn(context)
        cache = ContentCache(context, writerMarks)
        downloader = Downloader(context, cache, signIn)
        removalWaits = RemovalWaits(context, cache)
        resumption = HandleResumption(context, cache, openings)
        reconciler = ItemReconciler(context, signIn)
        enumerator = Enumerator(context, signIn)
        reimports = Reimports(context)
        changes = ChangeTracker(context, signIn)
        trash = Trash(context)
        pinning = Pinning(context)
        metadata = UserMetadata(context, signIn)
        writer = JournalWriter(context)
        recorder = EditRecorder(context, writer)
        scheduler = UploadScheduler(context, signIn)
        tracker = IdentifierTracker(context, writer, recorder, scheduler)
        recreation = ItemRecreation(context, writer, recorder, scheduler, tracker)
        finder = IdentifierFinder(context, writer, recorder, scheduler, tracker, recreation)
        uploader = Uploader(
            context, writer, recorder, scheduler, tracker, recreation, finder, removalWaits, metadata)
        localEdits = LocalEdits(context, writer, recorder, scheduler, tracker, cache, metadata)
        recovery = EditRecovery(
            context, writer, recorder, scheduler, tracker, recreation, cache,
            resuming: Set(openings.lazy.filter(\.isForWriting).map(\.number)))
        progress = EditProgress(context, signIn, recorder, scheduler, tracker)
    }
}

/// The components, by name.
extension DomainEngine {
    var signIn: SignIn { components.signIn }
    var cache: ContentCache { components.cache }
    var downloader: Downloader { components.downloader }
    var removalWaits: RemovalWaits { components.removalWaits }
    var resumption: HandleResumption { components.resumption }
    var reconciler: ItemReconciler { components.reconciler }
    var enumerator: Enumerator { components.enumerator }
    var reimports: Reimports { components.reimports }
    var changes: ChangeTracker { components.changes }
    var trash: Trash { components.trash }
    var pinning: Pinning { components.pinning }
    var metadata: UserMetadata { components.metadata }
    var scheduler: UploadScheduler { components.scheduler }
    var tracker: IdentifierTracker { components.tracker }
    var finder: IdentifierFinder { components.finder }
    var localEdits: LocalEdits { components.localEdits }
    var recovery: EditRecovery { components.recovery }
    var progress: EditProgress { components.progress }
}
