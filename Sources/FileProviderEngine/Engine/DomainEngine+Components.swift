import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The components, by name. Clients call them on the engine's thread: in ``run(_:)`` or ``perform(_:)``.
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
