import Glibc
import ItemValues

/// The connection that writes to the index, with its in-memory state. ``Index/write(freesSpace:_:)`` allows one thread
/// at a time to use it.
final class WriterConnection {
    let connection: DatabaseConnection
    let queries: IndexQueries
    let hash: KeyedHash
    private let reserve: ReserveFile
    private let lookup: LookupWriter
    private let recent: RecentRows
    /// The rows that existed before this transaction and that it has changed or deleted.
    private var rewritten: Set<ItemNumber> = []
    let metadata: MetadataWriter
    let trash: TrashWriter
    let revalidations: RevalidationWriter
    let reidentified: ReidentifiedFolders
    let pins: PinWriter
    private let newRows: NewRows
    private let updateRow: Statement
    private let deleteRow: Statement
    private let use: Statement
    private let unuse: Statement
    private let insertOrphan: Statement
    private let deleteOrphan: Statement
    private let noteRenamed: Statement

    private var numbers = NumberSequence()
    /// An upper bound of the number of items whose parent is not known. If it is 0, as usual, the table need not be
    /// read.
    private var orphanCount: Int64

    /// Whether changes are recorded for an observer.
    var isObserved = false
    private var changes: [IndexChange] = []
    /// The item sets that changed since the last call of ``takeTouchedSets()``.
    private var touched: ItemSets = []
    /// The running listings by directory, each with the items that were written since it began.
    private(set) var listings: [ItemNumber: OngoingListing] = [:]
    /// The lowest item number that counts as listed in every running listing. Items with this or a greater number need
    /// not be recorded as listed.
    private var firstNewOfListings: Int64 = 0
    /// The listings that end when this transaction is committed. Until then, their listed items are kept, because a
    /// failed transaction is repeated and needs them.
    private var endedListings: [ItemNumber: Int64] = [:]
    var bytes = ByteWriter()

    init(
        _ connection: DatabaseConnection, lookup: Lookup, lookupMemory: Int, recent: RecentRows, reserve: ReserveFile
    ) throws(IndexError) {
        self.connection = connection
        self.recent = recent
        self.reserve = reserve
        hash = try Self.hash(connection)
        queries = try IndexQueries(connection, hash: hash, lookup: lookup)
        self.lookup = try LookupWriter(connection, lookup, hash: hash, leastRecent: lookupMemory)
        newRows = try NewRows(connection)
        updateRow = try connection.statement(
            "UPDATE items SET parent = ?2, changes = ?3, data = ?4 WHERE number = ?1")
        deleteRow = try connection.statement("DELETE FROM items WHERE number = ?1")
        use = try connection.statement(
            "INSERT INTO used (number, time, size) VALUES (?1, (SELECT ifnull(max(time), 0) FROM used), ?2)"
                + " ON CONFLICT (number) DO UPDATE SET size = excluded.size")
        unuse = try connection.statement("DELETE FROM used WHERE number = ?1")
        insertOrphan = try connection.statement(
            "INSERT OR REPLACE INTO orphans (number, parent, listed) VALUES (?1, ?2, ?3)")
        deleteOrphan = try connection.statement("DELETE FROM orphans WHERE number = ?1")
        noteRenamed = try connection.statement("INSERT INTO renamed (number) VALUES (?1)")
        metadata = try MetadataWriter(connection)
        trash = try TrashWriter(connection)
        revalidations = try RevalidationWriter(connection)
        reidentified = try ReidentifiedFolders(connection)
        pins = try PinWriter(connection)
        orphanCount = 0
        try readCounts()
        reserve.fill()
        // Only the writer has a filter. The filter matches the writer's view of the index, which includes changes that
        // readers do not see yet.
        let lookupWriter = self.lookup
        queries.mayContain = { lookupWriter.mayContain($0) }
        queries.willRead = { [newRows] () throws(IndexError) in try newRows.write() }
    }

    /// Returns, for each of the given hashes, whether the index may have an identifier or a name with this hash.
    func mayContain(_ hashes: [UInt64]) -> [Bool] { lookup.mayContain(hashes) }

    private static func hash(_ connection: DatabaseConnection) throws(IndexError) -> KeyedHash {
        var keys: [UInt64] = []
        for name in [IndexSchema.Setting.firstKey, IndexSchema.Setting.secondKey] {
            let read = try connection.statement("SELECT value FROM settings WHERE key = ?1")
            read.bind(1, name)
            if try read.step() {
                keys.append(UInt64(bitPattern: read.integer(0)))
                read.reset()
            } else {
                let key = UInt64.random(in: .min ... .max)
                let write = try connection.statement("INSERT INTO settings (key, value) VALUES (?1, ?2)")
                write.bind(1, name)
                write.bind(2, Int64(bitPattern: key))
                try write.run()
                keys.append(key)
            }
        }
        return KeyedHash(first: keys[0], second: keys[1])
    }

    private func readCounts() throws(IndexError) {
        try numbers.read(from: connection)
        orphanCount = try connection.number("SELECT count(*) FROM orphans")
        try metadata.recount()
        try trash.recount()
        try pins.readAgain()
        try reidentified.readAgain()
    }

    // MARK: Transactions

    func transaction<Result>(
        freesSpace: Bool, _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(IndexError) -> Result {
        do {
            let result = try attempt(body)
            if !freesSpace { reserve.fill() }
            storeLookup()
            return result
        } catch .full where freesSpace && reserve.spend() {
            return try attempt(body)
        }
    }

    private func storeLookup() {
        guard lookup.isDue else { return }
        // If this fails, the entries stay in memory until the next attempt. Damage is reported when the entries are
        // read.
        try? lookup.store(lastNumber: ItemNumber(rawValue: numbers.next - 1))
    }

    private func attempt<Result>(
        _ body: (inout IndexWriter) throws(IndexError) -> Result
    ) throws(IndexError) -> Result {
        changes.removeAll(keepingCapacity: true)
        touched = []
        endedListings = [:]
        rewritten.removeAll(keepingCapacity: true)
        defer { recent.endCommit() }
        do {
            let result = try connection.transaction { () throws(IndexError) in
                var writer = IndexWriter(self)
                let result = try body(&writer)
                try newRows.write()
                try numbers.save(to: connection)
                lookup.settle()
                recent.beginCommit(changing: rewritten)
                return result
            }
            for (folder, mark) in endedListings where listings[folder]?.mark == mark { listings[folder] = nil }
            return result
        } catch {
            newRows.forget()
            changes.removeAll()
            touched = []
            // The rollback undid the changes that were counted, so the counts are read again.
            try? readCounts()
            throw error
        }
    }

    func takeChanges() -> [IndexChange] {
        defer { changes = [] }
        return changes
    }

    func takeTouchedSets() -> ItemSets {
        defer { touched = [] }
        return touched
    }

    func recordChange(_ change: @autoclosure () -> IndexChange) {
        if isObserved { changes.append(change()) }
    }

    // MARK: Rows

    var nextNumber: ItemNumber { ItemNumber(rawValue: numbers.next) }

    func takeNumber() -> ItemNumber { numbers.take() }

    func reserveNumber(_ number: ItemNumber) { numbers.reserve(number) }

    func skipNumbers(through number: ItemNumber) { numbers.skip(through: number) }

    /// Inserts the row of an item that is new in the index.
    ///
    /// - Parameter item: The provider's report.
    func insert(
        _ item: borrowing ProviderItem, _ number: ItemNumber, in parent: ItemNumber, name: String
    ) throws(IndexError) {
        let isPinned = pins.folders.contains(parent)
        bytes.clear()
        PackedItem.write(new: item, named: name, isPinnedByFolder: isPinned, to: &bytes)
        try newRows.add(number, in: parent, [], bytes.bytes)
        try lookup.add(number, identifier: hash.identifier(item.identifier), name: hash.name(name, in: parent))
        try metadata.note(number, item)
        if item.kind == .symbolicLink { touched.insert(.materialized) }
        if isPinned {
            var new = IndexedItem(number: number, parent: parent, name: name, item: copy item)
            new.isPinnedByFolder = true
            try pins.note(new, before: nil)
        }
        noteListed(number, in: parent)
    }

    func insert(_ new: IndexedItem) throws(IndexError) {
        var item = new
        item.isPinnedByFolder = pins.inheritsPin(item)
        bytes.clear()
        PackedItem.write(item, to: &bytes)
        try newRows.add(item.number, in: column(item), item.changes, bytes.bytes)
        try lookup.add(
            item.number, identifier: hash.identifier(item.item.identifier), name: hash.name(item.name, in: item.parent))
        try noteContents(of: item, before: nil)
        try pins.note(item, before: nil)
        try metadata.note(item.number, item.item)
        touched.formUnion(ItemSets(of: item))
        // The caller may have chosen a number up to which the search file already has all items. The search file then
        // adds this item only because of this record.
        try noteForSearch(item.number)
        noteListed(item.number, in: item.parent)
    }

    /// Rewrites an existing row.
    ///
    /// - Returns: The item as written. ``IndexedItem/isPinnedByFolder`` has the value for the item's new place.
    @discardableResult
    func replace(_ before: IndexedItem, with wanted: IndexedItem) throws(IndexError) -> IndexedItem {
        var item = wanted
        item.isPinnedByFolder = pins.inheritsPin(item)
        noteListed(item.number, in: item.parent)
        guard before != item else { return item }
        try rewrite(before, as: item)
        touched.formUnion(ItemSets(of: before).union(ItemSets(of: item)))
        if !before.item.identifier.hasSameBytes(as: item.item.identifier) {
            lookup.remove()
            try lookup.add(item.number, identifier: hash.identifier(item.item.identifier))
        }
        if before.parent != item.parent || !before.name.hasSameBytes(as: item.name) {
            lookup.remove()
            try lookup.add(item.number, name: hash.name(item.name, in: item.parent))
        }
        try metadata.note(item.number, item.item, before: before.item)
        if !SearchWords.areSame(before, item) { try noteForSearch(item.number) }
        if item.item.kind == .folder, before.staysLocal != item.staysLocal { try passOnPin(of: item) }
        return item
    }

    /// Rewrites the row itself, and the records that other tables derive from it.
    private func rewrite(_ before: IndexedItem, as item: IndexedItem) throws(IndexError) {
        try newRows.write()
        bytes.clear()
        PackedItem.write(item, to: &bytes)
        rewritten.insert(item.number)
        updateRow.bind(1, item.number.rawValue)
        updateRow.bind(2, column(item).rawValue)
        updateRow.bind(3, Int64(item.changes.rawValue))
        updateRow.bind(4, kept: bytes.bytes)
        try updateRow.run()
        try noteContents(of: item, before: before)
        try pins.note(item, before: before)
    }

    /// Pins or unpins the items in the given directory, because the pin of the directory changed.
    private func passOnPin(of folder: IndexedItem) throws(IndexError) {
        var folders = [folder.number]
        while let folder = folders.popLast() {
            var numbers: [ItemNumber] = []
            try queries.children(of: folder) { row throws(IndexError) in
                numbers.append(row.number)
                return true
            }
            for number in numbers {
                guard let before = try queries.item(number) else { continue }
                var after = before
                after.isPinnedByFolder = pins.inheritsPin(after)
                guard before.isPinnedByFolder != after.isPinnedByFolder else { continue }
                try rewrite(before, as: after)
                if after.item.kind == .folder, before.staysLocal != after.staysLocal { folders.append(number) }
            }
        }
    }

    private func noteForSearch(_ number: ItemNumber) throws(IndexError) {
        noteRenamed.bind(1, number.rawValue)
        try noteRenamed.run()
    }

    /// Deletes the given item's row and the records that refer to it. The items in a directory are not deleted.
    func delete(_ item: IndexedItem) throws(IndexError) {
        try newRows.write()
        rewritten.insert(item.number)
        deleteRow.bind(1, item.number.rawValue)
        try deleteRow.run()
        lookup.remove()
        lookup.remove()
        if item.content != .dataless {
            unuse.bind(1, item.number.rawValue)
            try unuse.run()
        }
        try forgetOrphan(item.number)
        try metadata.forget(item.number)
        try reidentified.forget(item.number)
        try pins.forget(item)
        touched.formUnion(ItemSets(of: item))
    }

    /// Returns the value of the column `parent`. For the root, this is 0, so that the root is not found as an item in
    /// itself.
    private func column(_ item: IndexedItem) -> ItemNumber {
        item.number == .root ? ItemNumber(rawValue: 0) : item.parent
    }

    private func noteContents(of item: IndexedItem, before: IndexedItem?) throws(IndexError) {
        let isEvictable = item.isEvictable
        guard isEvictable || before?.isEvictable == true else { return }
        if isEvictable, before?.isEvictable == true, before?.localSize == item.localSize { return }
        let statement = isEvictable ? use : unuse
        statement.bind(1, item.number.rawValue)
        if isEvictable { statement.bind(2, item.localSize) }
        try statement.run()
    }

    // MARK: Listings

    func beginListing(of folder: ItemNumber, _ mark: Int64) {
        listings[folder] = OngoingListing(mark: mark, firstNew: nextNumber)
        firstNewOfListings = max(firstNewOfListings, numbers.next)
    }

    /// Records that an item written during a listing of its directory counts as listed. A page of that listing may be
    /// older than the item.
    func noteListed(_ number: ItemNumber, in folder: ItemNumber) {
        guard number.rawValue < firstNewOfListings else { return }
        listings[folder]?.note(number)
    }

    /// Ends the given listing when this transaction is committed.
    func endListing(of folder: ItemNumber, _ mark: Int64) { endedListings[folder] = mark }

    // MARK: Orphans

    func noteOrphan(_ number: ItemNumber, parent: String, listed: Bool) throws(IndexError) {
        insertOrphan.bind(1, number.rawValue)
        insertOrphan.bind(2, parent)
        insertOrphan.bind(3, Int64(listed ? 1 : 0))
        try insertOrphan.run()
        orphanCount += 1
    }

    func forgetOrphan(_ number: ItemNumber) throws(IndexError) {
        guard orphanCount > 0 else { return }
        deleteOrphan.bind(1, number.rawValue)
        try deleteOrphan.run()
    }

    /// Returns the numbers of the items that wait for the parent with the given identifier.
    func orphans(of identifier: String) throws(IndexError) -> [ItemNumber] {
        guard orphanCount > 0 else { return [] }
        let statement = try connection.statement("SELECT number FROM orphans WHERE parent = ?1 ORDER BY number")
        statement.bind(1, identifier)
        var numbers: [ItemNumber] = []
        while try statement.step() { numbers.append(ItemNumber(rawValue: statement.integer(0))) }
        return numbers
    }

    /// Returns the directory whose listing contained items with the given unknown identifier as their parent; `nil` if
    /// there is none. The unknown identifier is another identifier of this directory.
    func folder(listing identifier: String) throws(IndexError) -> ItemNumber? {
        guard orphanCount > 0 else { return nil }
        let statement = try connection.statement("SELECT number FROM orphans WHERE parent = ?1 AND listed = 1 LIMIT 1")
        statement.bind(1, identifier)
        guard let number = try statement.number() else { return nil }
        return try queries.withRow(ItemNumber(rawValue: number)) { row throws(IndexError) in row.parent }
    }

    /// Whether there may be items that wait for a parent.
    var mayHoldOrphans: Bool { orphanCount > 0 }

    /// Whether the given item has its place only because a change feed reported it before its parent was known.
    func isUnlistedOrphan(_ number: ItemNumber) throws(IndexError) -> Bool {
        guard orphanCount > 0 else { return false }
        let statement = try connection.statement("SELECT 1 FROM orphans WHERE number = ?1 AND listed = 0")
        statement.bind(1, number.rawValue)
        return try statement.number() != nil
    }
}

extension IndexedItem {
    /// Whether the contents are local and clean, and may be evicted.
    var isEvictable: Bool { (content == .current || content == .partial) && !staysLocal }
}
