import FileProvider
import LinuxSystem

/// How edits get into the journal and the index, and in which order.
extension DomainEngine {
    /// Sets who is told, on the engine's thread, of each moment at which the journal and the index do not agree: for tests.
    package func observeEdits(_ observer: (@Sendable () -> Void)?) { edits.observer = observer }

    /// Sets who is asked, before each commit to the journal or to the index, whether the disk has room for it: for tests.
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

    /// Writes what was done here: to the journal first, so that a crash in between leaves what the next start puts into the index.
    /// Where either fails nothing was done. On a full disk, clean contents go before it fails.
    ///
    /// - Parameter freesSpace: whether it serves to make room on a full disk.
    @discardableResult
    func record<Result>(
        _ changes: [JournalChange], freesSpace: Bool = false, _ body: (inout IndexWriter) throws(IndexFailure) -> Result
    ) throws(EditFailure) -> Result {
        try makingRoom { () throws(EditFailure) in try recordOnce(changes, freesSpace: freesSpace, body) }
    }

    private func recordOnce<Result>(
        _ changes: [JournalChange], freesSpace: Bool, _ body: (inout IndexWriter) throws(IndexFailure) -> Result
    ) throws(EditFailure) -> Result {
        do throws(IndexFailure) {
            var undoing: [JournalChange] = []
            for change in changes {
                let before = try journal.entry(change.number)
                undoing.append(before.map { .put($0) } ?? .remove(change.number))
            }
            try write(changes, freesSpace: freesSpace)
            edits.observer?()
            EngineStep.editJournalled.reach()
            do throws(IndexFailure) {
                let result = try index.write(freesSpace: freesSpace, body)
                EngineStep.editIndexed.reach()
                return result
            } catch {
                // What is not taken back when this process ends is in the journal, as something that was not answered.
                try? writeInAnyCase(undoing, freesSpace: freesSpace)
                for change in changes { index.skipNumbers(through: change.number) }
                throw error
            }
        } catch {
            throw EditFailure(error)
        }
    }

    /// Writes what the provider has confirmed: to the index first, so that a crash in between leaves a step that is done again. Where
    /// the index has it, the journal has it, too, as far as this process is concerned, even if the disk is full.
    @discardableResult
    func confirm<Result>(
        _ changes: [JournalChange], _ body: (inout IndexWriter) throws(IndexFailure) -> Result
    ) throws(IndexFailure) -> Result {
        let result = try index.write(freesSpace: true, body)
        edits.observer?()
        EngineStep.confirmedIndexed.reach()
        try writeInAnyCase(changes)
        EngineStep.confirmedJournalled.reach()
        return result
    }

    @discardableResult
    func writeIndex<Result>(
        _ body: (inout IndexWriter) throws(IndexFailure) -> Result
    ) throws(IndexFailure) -> Result {
        try index.write(body)
    }

    private func write(_ changes: [JournalChange], freesSpace: Bool) throws(IndexFailure) {
        let (removed, entries) = Self.sorted(changes)
        try journal.replace(removing: removed, putting: entries, freesSpace: freesSpace)
    }

    /// Has the journal know what has happened already, written when there is room for it.
    func writeInAnyCase(_ changes: [JournalChange], freesSpace: Bool = true) throws(IndexFailure) {
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

    /// Has what the journal owes be written soon, whatever else happens.
    private func payJournal() {
        guard journal.owesChanges, !edits.willPay else { return }
        edits.willPay = true
        clock.run(after: Self.payInterval) { [weak self] in
            self?.perform { engine in
                engine.edits.willPay = false
                guard !engine.isClosed else { return }
                // Where there is no room yet, it is tried again.
                try? engine.journal.payChanges()
                engine.payJournal()
            }
        }
    }

    /// Seconds.
    private static let payInterval = 2.0

    /// What is in folders was changed here: that is their date.
    func dateFolders(_ folders: Set<ItemNumber>, _ writer: inout IndexWriter) throws(IndexFailure) {
        let now = dateNow
        for folder in folders { try writer.update(folder) { $0.localModified = now } }
    }

    /// The journal's entry of an item, or a new one for what is not changed yet.
    func entry(of row: IndexedItem) throws(EditFailure) -> JournalEntry {
        do throws(IndexFailure) {
            if let entry = try journal.entry(row.number) { return entry }
        } catch {
            throw EditFailure(error)
        }
        return try freshEntry(of: row)
    }

    func freshEntry(of row: IndexedItem) throws(EditFailure) -> JournalEntry {
        let parent = try reading { () throws(IndexFailure) in try identifier(of: row.parent) }
        return JournalEntry(row, parentIdentifier: parent)
    }

    /// Has what was edited removed or replaced: its bytes go when that is on the disk, and come back where it fails. They have another
    /// name before it is written, so that a crash does not leave them as an edit of which nothing is known.
    ///
    /// - Parameter number: `nil` where no edit goes.
    func settingAsideEdit<Result>(
        of number: ItemNumber?, _ write: () throws(EditFailure) -> Result
    ) throws(EditFailure) -> Result {
        let folders = folders
        // What cannot be set aside goes at once.
        guard let number, let size = try? folders.setAside(number) else { return try write() }
        let result: Result
        do throws(EditFailure) {
            result = try write()
        } catch {
            // Where that fails too, the next start does it.
            try? folders.takeBack(number)
            throw error
        }
        durable.afterwards { [openFiles] in
            let isRead = openFiles.entry(number).map { $0.writers == 0 } ?? false
            if isRead, (try? folders.keepSetAside(number)) != nil {
                // The last reader may have closed it in between.
                if openFiles.entry(number) == nil { try? folders.remove(number, in: folders.removed) }
            } else {
                try? folders.removeSetAside(number)
            }
        }
        // Whoever makes room wants it soon.
        if size >= 1 << 20 { durable.synchronize { _ in } }
        return result
    }

    /// Removes the bytes of an item that is gone, and drops its facts. Open handles keep the bytes.
    func removeBytes(of number: ItemNumber) {
        removeUploads(of: number)
        discardContents(number)
        lookAtFacts(of: [number])
    }

    func removeUploads(of number: ItemNumber) {
        for name in UploadName.all(number) { try? UploadCopy.remove(name, in: folders.uploads) }
    }

    /// An item has taken another one's place: the provider may turn out to have what was sent of that.
    func passUploads(of number: ItemNumber, to successor: ItemNumber) {
        for (name, newName) in zip(UploadName.all(number), UploadName.all(successor)) {
            try? UploadCopy.move(name, in: folders.uploads, to: folders.uploads, as: newName)
        }
    }

    /// A visible item.
    func visible(_ number: ItemNumber) throws(EditFailure) -> IndexedItem {
        guard let row = try reading({ () throws(IndexFailure) in try index.item(number) }) else {
            throw EditFailure(.noSuchFile)
        }
        return row
    }

    func visible(named name: String, in folder: ItemNumber) throws(EditFailure) -> IndexedItem? {
        try reading { () throws(IndexFailure) in try index.item(named: name, in: folder) }
    }

    func visibleFolder(_ number: ItemNumber) throws(EditFailure) -> IndexedItem {
        let row = try visible(number)
        guard row.item.kind == .folder else { throw EditFailure(.notDirectory) }
        return row
    }

    @discardableResult
    func reading<Result>(_ body: () throws(IndexFailure) -> Result) throws(EditFailure) -> Result {
        do throws(IndexFailure) { return try body() } catch { throw EditFailure(error) }
    }

    /// Whether a name can be a file's here.
    static func checkName(_ name: String) throws(EditFailure) {
        guard !name.isEmpty else { throw EditFailure(.noSuchFile) }
        guard name.utf8.count <= 255 else { throw EditFailure(.nameTooLong) }
        let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
        guard isPlain, name != ".", name != ".." else { throw EditFailure(.invalidArgument) }
    }

    /// Fails unless a folder is empty, as far as the provider and this machine know.
    func checkEmpty(_ folder: IndexedItem) throws(EditFailure) {
        let hasChildren = try reading { () throws(IndexFailure) in
            var found = false
            try index.children(of: folder.number, after: nil, limit: 1) { _ in
                found = true
                return false
            }
            return found
        }
        guard !hasChildren else { throw EditFailure(.notEmpty) }
        guard !folder.isKnownToProvider || folder.listing == .complete else {
            throw EditFailure(.notEmpty, unlistedFolder: folder.number)
        }
    }
}

extension IndexedItem {
    /// The version that an edit begins with. A file of which nothing is here was emptied, as it is at the provider.
    var versionToEdit: [UInt8] { content == .dataless ? item.contentVersion : localVersion }

    /// What the provider allows; everything of what it does not have yet.
    func allows(_ capability: UInt) -> Bool { !isKnownToProvider || item.capabilities & capability != 0 }

    /// `NSFileProviderItemCapabilities`, as far as edits ask for them.
    enum Capability {
        /// Of a folder: adding items.
        static let writing: UInt = 1 << 1
        static let reparenting: UInt = 1 << 2
        static let renaming: UInt = 1 << 3
        static let trashing: UInt = 1 << 4
        static let deleting: UInt = 1 << 5
    }
}
