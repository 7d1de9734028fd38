import FileProvider
import ItemStore
import ItemValues
import LinuxSystem

/// The writing of edits to the journal and the index, in the order that recovery depends on.
extension DomainEngine {
    /// Sets a closure that is called on the engine's thread whenever journal and index disagree for a moment: for
    /// tests.
    package func observeEdits(_ observer: (@Sendable () -> Void)?) { edits.observer = observer }

    /// Sets a closure that decides, before each commit to journal or index, whether the disk has room for it: for
    /// tests.
    package func limitRoom(_ hasRoom: (@Sendable () -> Bool)?) {
        journal.limitRoom(hasRoom)
        index.limitRoom(hasRoom)
    }

    enum JournalChange {
        case put(JournalEntry)
        case remove(ItemNumber)

        var number: ItemNumber {
            switch self {
            case .put(let entry): entry.number
            case .remove(let number): number
            }
        }
    }

    /// Writes a local change to the journal, and then to the index. After a crash in between, the next start completes
    /// the index. If either write fails, nothing was changed. If the disk is full, evicts clean contents and tries
    /// again.
    ///
    /// - Parameter freesSpace: Whether the change frees space on a full disk.
    @discardableResult
    func record<Result>(
        _ changes: [JournalChange], freesSpace: Bool = false, _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(EditError) -> Result {
        try makingRoom { () throws(EditError) in try recordOnce(changes, freesSpace: freesSpace, body) }
    }

    private func recordOnce<Result>(
        _ changes: [JournalChange], freesSpace: Bool, _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(EditError) -> Result {
        do throws(IndexError) {
            var undoing: [JournalChange] = []
            for change in changes {
                let before = try journal.entry(change.number)
                undoing.append(before.map { .put($0) } ?? .remove(change.number))
            }
            try write(changes, freesSpace: freesSpace)
            edits.observer?()
            EngineStep.editJournalled.reach()
            do throws(IndexError) {
                let result = try index.write(freesSpace: freesSpace, body)
                EngineStep.editIndexed.reach()
                return result
            } catch {
                // If this process ends before the undo is written, the journal holds a change for which the call never
                // returned.
                try? writeInAnyCase(undoing, freesSpace: freesSpace)
                for change in changes { index.skipNumbers(through: change.number) }
                throw error
            }
        } catch {
            throw EditError(error)
        }
    }

    /// Writes a change that the provider has confirmed to the index, and then to the journal. A crash in between only
    /// causes the step to be repeated. Once the index has the change, this process treats the journal as if it had the
    /// change, too, even if the disk is full.
    @discardableResult
    func confirm<Result>(
        _ changes: [JournalChange], _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(IndexError) -> Result {
        let result = try index.write(freesSpace: true, body)
        edits.observer?()
        EngineStep.confirmedIndexed.reach()
        try writeInAnyCase(changes)
        EngineStep.confirmedJournalled.reach()
        return result
    }

    @discardableResult
    func writeIndex<Result>(
        _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(IndexError) -> Result {
        try index.write(body)
    }

    private func write(_ changes: [JournalChange], freesSpace: Bool) throws(IndexError) {
        let (removed, entries) = Self.sorted(changes)
        try journal.replace(removing: removed, putting: entries, freesSpace: freesSpace)
    }

    /// Writes changes that have already happened to the journal. If the disk is full, queues them in memory until it
    /// has room.
    func writeInAnyCase(_ changes: [JournalChange], freesSpace: Bool = true) throws(IndexError) {
        let (removed, entries) = Self.sorted(changes)
        try journal.replaceInAnyCase(removing: removed, putting: entries, freesSpace: freesSpace)
        payJournal()
    }

    private static func sorted(_ changes: [JournalChange]) -> (removed: [ItemNumber], entries: [JournalEntry]) {
        var removed: [ItemNumber] = []
        var entries: [JournalEntry] = []
        for change in changes {
            switch change {
            case .put(let entry): entries.append(entry)
            case .remove(let number): removed.append(number)
            }
        }
        return (removed, entries)
    }

    /// Schedules the write of the changes that are queued for the journal, if any.
    private func payJournal() {
        guard journal.owesChanges, !edits.hasDeferredFlush else { return }
        edits.hasDeferredFlush = true
        clock.run(after: Self.payInterval) { [weak self] in
            self?.perform { engine in
                engine.edits.hasDeferredFlush = false
                guard !engine.isClosed else { return }
                // While the disk has no room, the next attempt is scheduled again.
                try? engine.journal.payChanges()
                engine.payJournal()
            }
        }
    }

    /// In seconds.
    private static let payInterval = 2.0

    /// Sets directories' modification dates to now, because their entries changed locally.
    func dateFolders(_ folders: Set<ItemNumber>, _ writer: inout IndexWriter) throws(IndexError) {
        let now = dateNow
        for folder in folders { try writer.update(folder) { $0.localModified = now } }
    }

    /// Returns the journal's entry of an item, or a new one for an item that is not changed yet.
    func entry(of row: IndexedItem) throws(EditError) -> JournalEntry {
        do throws(IndexError) {
            if let entry = try journal.entry(row.number) { return entry }
        } catch {
            throw EditError(error)
        }
        return try freshEntry(of: row)
    }

    func freshEntry(of row: IndexedItem) throws(EditError) -> JournalEntry {
        let parent = try reading { () throws(IndexError) in try identifier(of: row.parent) }
        return JournalEntry(row, parentIdentifier: parent)
    }

    /// Performs a write that removes or replaces an edited file. The file's bytes are deleted once the write is on
    /// disk, and restored if the write fails. The file is renamed before the write. Otherwise a crash could leave an
    /// edit that is not in the journal.
    ///
    /// - Parameter number: The item with the edited file, or `nil` if no edit is lost.
    func settingAsideEdit<Result>(
        of number: ItemNumber?, _ write: () throws(EditError) -> Result
    ) throws(EditError) -> Result {
        let folders = folders
        // Bytes that cannot be renamed get no protection.
        guard let number, let size = try? folders.setAside(number) else { return try write() }
        let result: Result
        do throws(EditError) {
            result = try write()
        } catch {
            // If this fails, too, the next start restores the bytes.
            try? folders.takeBack(number)
            throw error
        }
        durable.afterwards { [openFiles] in
            let isRead = openFiles.entry(number).map { $0.writers == 0 } ?? false
            if isRead, (try? folders.keepSetAside(number)) != nil {
                // The last reader may have closed the file in between.
                if openFiles.entry(number) == nil { try? folders.remove(number, in: folders.removed) }
            } else {
                try? folders.removeSetAside(number)
            }
        }
        // A client that removes a large file wants its space back soon.
        if size >= 1 << 20 { durable.synchronize { _ in } }
        return result
    }

    /// Removes the bytes of an item that was removed, and drops its user metadata. Open handles keep the bytes.
    func removeBytes(of number: ItemNumber) {
        removeUploads(of: number)
        discardContents(number)
        metadata.noteRemoved([number], self)
    }

    func removeUploads(of number: ItemNumber) {
        for name in UploadName.all(number) { try? UploadCopy.remove(name, in: folders.uploads) }
    }

    /// Passes the upload copies of a replaced item to its successor, because the provider may hold the contents of one
    /// of them.
    func passUploads(of number: ItemNumber, to successor: ItemNumber) {
        for (name, newName) in zip(UploadName.all(number), UploadName.all(successor)) {
            try? UploadCopy.move(name, in: folders.uploads, to: folders.uploads, as: newName)
        }
    }

    /// Returns an item that is visible locally, or throws `ENOENT`.
    func visible(_ number: ItemNumber) throws(EditError) -> IndexedItem { try context.visible(number) }

    func visible(named name: String, in folder: ItemNumber) throws(EditError) -> IndexedItem? {
        try reading { () throws(IndexError) in try index.item(named: name, in: folder) }
    }

    func visibleFolder(_ number: ItemNumber) throws(EditError) -> IndexedItem {
        let row = try visible(number)
        guard row.item.kind == .folder else { throw EditError(.notDirectory) }
        return row
    }

    /// Throws an error unless a name is valid for a file on this machine.
    static func checkName(_ name: String) throws(EditError) {
        guard !name.isEmpty else { throw EditError(.noSuchFile) }
        guard name.utf8.count <= 255 else { throw EditError(.nameTooLong) }
        let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
        guard isPlain, name != ".", name != ".." else { throw EditError(.invalidArgument) }
    }

    /// Throws `ENOTEMPTY` unless a directory is empty, both locally and in the provider's last listing.
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
    /// The version that an edit is based on. If the file is dataless, this is the provider's version, which the edit
    /// truncated.
    var versionToEdit: [UInt8] { content == .dataless ? item.contentVersion : localVersion }

    /// Whether the provider allows an operation. All operations are allowed on items that the provider does not have
    /// yet.
    func allows(_ capability: UInt) -> Bool { !isKnownToProvider || item.capabilities & capability != 0 }

    /// The values of `NSFileProviderItemCapabilities` that edits check.
    enum Capability {
        /// For a directory: adding items.
        static let writing: UInt = 1 << 1
        static let reparenting: UInt = 1 << 2
        static let renaming: UInt = 1 << 3
        static let trashing: UInt = 1 << 4
        static let deleting: UInt = 1 << 5
    }
}
