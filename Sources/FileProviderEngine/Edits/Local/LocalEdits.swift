import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Changes items locally, as system calls request.
///
/// It calls the recorder, the scheduler, the tracker of identifiers, the components of contents, ``RemovalWaits`` and
/// ``UserMetadata``. Used only on the engine's thread (see ``EngineContext``).
package final class LocalEdits: EngineComponent {
    let context: EngineContext
    let writer: JournalWriter
    let recorder: EditRecorder
    let scheduler: UploadScheduler
    let tracker: IdentifierTracker
    let cache: ContentCache
    let evictor: Evictor
    let writing: WrittenFiles
    private let opener: FileOpener
    let removalWaits: RemovalWaits
    let metadata: UserMetadata

    init(
        _ context: EngineContext, _ writer: JournalWriter, _ recorder: EditRecorder, _ scheduler: UploadScheduler,
        _ tracker: IdentifierTracker, _ cache: ContentCache, _ evictor: Evictor, _ writing: WrittenFiles,
        _ opener: FileOpener, _ removalWaits: RemovalWaits, _ metadata: UserMetadata
    ) {
        self.context = context
        self.writer = writer
        self.recorder = recorder
        self.scheduler = scheduler
        self.tracker = tracker
        self.cache = cache
        self.evictor = evictor
        self.writing = writing
        self.opener = opener
        self.removalWaits = removalWaits
        self.metadata = metadata
    }

    /// Records a change of the contents of a file that is open or was just closed. The edit is in the journal when this
    /// function returns. May be called repeatedly for one file.
    ///
    /// - Parameters:
    ///   - size: The file's new size in bytes.
    ///   - modified: The modification date in seconds since 1970.
    func noteEdited(
        _ number: ItemNumber, size: Int64, modified: Double, _ engine: isolated any EngineEvents
    ) throws(Errno) {
        do throws(EditError) {
            // The edit of a file that was removed meanwhile is dropped.
            guard let row = try reading({ () throws(IndexError) in try index.item(number) }) else { return }
            var entry = try recorder.entry(of: row)
            // A file that is already marked as edited needs no second journal entry. If its upload was cancelled,
            // however, the new edit ends the cancellation.
            let isKnown = entry.changes.contains(.contents) && !entry.isCancelled
            if entry.isCancelled { entry.failure = nil }
            if !isKnown, !entry.changes.contains(.created) { entry.baseVersion = row.versionToEdit }
            entry.changes.insert(.contents)
            entry.modified = modified
            entry.isOpen = false
            let changes = entry.changes
            try recorder.record(isKnown ? [] : [.put(entry)], engine) { writer throws(IndexError) in
                try writer.update(number) { row in
                    row.changes = changes
                    row.becomeEdited(size: size)
                    row.localModified = modified
                }
            }
        } catch {
            throw error.errno
        }
        scheduler.noteSentAgain(number)
        scheduler.table.noteEdited(number)
        scheduler.schedule(number, after: Self.openFileInterval, engine)
    }

    /// The delay in seconds after which an edit is sent although the file is still open.
    static let openFileInterval = 30.0

    /// Schedules the upload of a file that was open for writing and is now closed. Called after
    /// ``noteEdited(_:size:modified:)``, if the file was changed.
    func noteClosed(_ number: ItemNumber, _ engine: isolated any EngineEvents) {
        scheduler.schedule(number, after: configuration.settlingTime, engine)
    }

    /// Schedules the upload of files that were edited locally and have other contents at the provider.
    func noteConflicts(_ numbers: [ItemNumber], _ engine: isolated any EngineEvents) {
        // Whether this is a conflict is decided when the file is sent, because the provider may have reported the
        // file's own upload.
        for number in numbers { scheduler.schedule(number, after: configuration.settlingTime, engine) }
    }

    /// Uploads a file's contents as if they had been changed locally. Does nothing if the contents are not local, or
    /// are not those of the provider's latest version.
    package func sendContentsAgain(_ number: ItemNumber, _ engine: isolated any EngineEvents) throws(ProviderError) {
        guard !isClosed else { throw .closed }
        let row = try row(number)
        guard row.item.kind == .file, row.isKnownToProvider else { return }
        if row.content == .edited { return scheduler.schedule(number, engine) }
        guard row.content == .current, row.localVersion == row.item.contentVersion else { return }
        let item = try opener.opened(number, for: .writing(truncating: false), engine)
        defer { item.close() }
        try writing.takeAsEdited(number, engine)
    }

    func visible(named name: String, in folder: ItemNumber) throws(EditError) -> IndexedItem? {
        try reading { () throws(IndexError) in try index.item(named: name, in: folder) }
    }

    func visibleFolder(_ number: ItemNumber) throws(EditError) -> IndexedItem {
        let row = try visible(number)
        guard row.item.kind == .folder else { throw EditError(.notDirectory) }
        return row
    }

    /// Throws an error unless the given name is a valid file name on this machine.
    static func checkName(_ name: String) throws(EditError) {
        guard !name.isEmpty else { throw EditError(.noSuchFile) }
        guard name.utf8.count <= 255 else { throw EditError(.nameTooLong) }
        let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
        guard isPlain, name != ".", name != ".." else { throw EditError(.invalidArgument) }
    }

    /// Throws `ENOTEMPTY` unless the given directory is empty locally, and was enumerated completely if the provider
    /// has it.
    func checkEmpty(_ folder: IndexedItem) throws(EditError) {
        let hasChildren = try reading { () throws(IndexError) in
            var found = false
            try index.children(of: folder.number, after: nil, limit: 1) { _ in
                found = true
                return false
            }
            return found
        }
        guard !hasChildren else { throw EditError(.notEmpty) }
        guard !folder.isKnownToProvider || folder.listing == .complete else {
            throw EditError(.notEmpty, unlistedFolder: folder.number)
        }
    }
}

extension IndexedItem {
    /// The version that an edit of the file is based on. If the file is dataless, this is the provider's version, which
    /// the edit truncated.
    var versionToEdit: [UInt8] { content == .dataless ? item.contentVersion : localVersion }

    /// Whether the provider allows the operation with the given value of `NSFileProviderItemCapabilities`. All
    /// operations are allowed on items that the provider does not have yet.
    func allows(_ capability: UInt) -> Bool { !isKnownToProvider || item.capabilities & capability != 0 }

    /// The values of `NSFileProviderItemCapabilities` that edits check.
    enum Capability {
        /// For a directory: adding items to it.
        static let writing: UInt = 1 << 1
        static let reparenting: UInt = 1 << 2
        static let renaming: UInt = 1 << 3
        static let trashing: UInt = 1 << 4
        static let deleting: UInt = 1 << 5
    }
}
