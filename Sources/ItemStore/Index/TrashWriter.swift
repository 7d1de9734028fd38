import ItemValues
import Synchronization

/// A counter of changes, which any thread may read.
final class ChangeCount: Sendable {
    private let value = Atomic<UInt64>(1)

    var current: UInt64 { value.load(ordering: .acquiring) }

    func add() { value.add(1, ordering: .acquiringAndReleasing) }
}

/// Records the items in the provider's trash. These items are in no directory of the index and have no item number.
final class TrashWriter {
    private let put: Statement
    private let remove: Statement
    private let find: Statement
    private let get: Statement
    private let countRows: Statement
    /// An upper bound of the number of recorded items. If it is 0, the table need not be read.
    private var count: Int64 = 0
    let changes = ChangeCount()

    init(_ connection: DatabaseConnection) throws(IndexError) {
        put = try connection.statement("INSERT OR REPLACE INTO trash (identifier, data) VALUES (?1, ?2)")
        remove = try connection.statement("DELETE FROM trash WHERE identifier = ?1")
        find = try connection.statement("SELECT 1 FROM trash WHERE identifier = ?1")
        get = try connection.statement("SELECT data FROM trash WHERE identifier = ?1")
        countRows = try connection.statement("SELECT count(*) FROM trash")
    }

    /// Whether the trash may contain items. If `false`, the trash is empty as far as the provider has reported.
    var mayHoldSome: Bool { count > 0 }

    /// Whether the item with the given identifier is recorded as being in the trash.
    func holds(_ identifier: String) throws(IndexError) -> Bool {
        guard count > 0 else { return false }
        find.bind(1, identifier)
        defer { find.reset() }
        return try find.step()
    }

    /// Recounts the recorded items when the index is opened and after a rollback.
    func recount() throws(IndexError) { count = try countRows.number() ?? 0 }

    /// Records a trashed item.
    ///
    /// - Parameter folder: The identifier of the directory that contained the item before; `nil` if it is not known. If
    ///   the provider reports the trash as the item's parent, this directory is stored as the parent instead.
    func note(_ item: ProviderItem, formerlyIn folder: String?) throws(IndexError) {
        var item = item
        if item.parent == ProviderItem.trashIdentifier {
            var former = folder
            if former == nil { former = try self.former(of: item.identifier) }
            item.parent = former ?? item.parent
            item.flags.insert(.trashed)
        }
        var bytes = ByteWriter()
        PackedItem.write(item, to: &bytes)
        put.bind(1, item.identifier)
        put.bind(2, kept: bytes.bytes)
        try put.run()
        count += 1
        changes.add()
    }

    /// Returns the identifier of the directory that contained the given item before it was trashed; `nil` if it is not
    /// known.
    private func former(of identifier: String) throws(IndexError) -> String? {
        guard count > 0 else { return nil }
        get.bind(1, identifier)
        defer { get.reset() }
        guard try get.step() else { return nil }
        var reader = ByteReader(get.bytes(0))
        return try PackedItem.readProvider(&reader).parent
    }

    func forget(_ identifier: String) throws(IndexError) {
        guard count > 0 else { return }
        remove.bind(1, identifier)
        try remove.run()
        changes.add()
    }
}

extension IndexWriter {
    /// Deletes the record of an item that is no longer in the trash.
    package mutating func forgetTrashed(_ identifier: String) throws(IndexError) {
        try state.trash.forget(identifier)
    }
}

extension Index {
    /// A number that grows with each change of the result of ``trashed()``. It may also grow without a change.
    package var trashChanges: UInt64 { trashCount.current }

    /// Whether the item with the given identifier is recorded as being in the provider's trash.
    package func isTrashed(_ identifier: String) throws(IndexError) -> Bool {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT 1 FROM trash WHERE identifier = ?1")
            statement.bind(1, identifier)
            defer { statement.reset() }
            return try statement.step()
        }
    }

    /// Returns the items that are recorded as being in the provider's trash, sorted by name.
    package func trashed() throws(IndexError) -> [ProviderItem] {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT data FROM trash")
            defer { statement.reset() }
            var items: [ProviderItem] = []
            while try statement.step() {
                var reader = ByteReader(statement.bytes(0))
                items.append(try PackedItem.readProvider(&reader))
            }
            return items.sorted { ($0.filename, $0.identifier) < ($1.filename, $1.identifier) }
        }
    }
}

extension ProviderItem {
    var isRoot: Bool { identifier == Self.rootIdentifier }

    /// Whether the provider reports this item itself, not only a directory above it, as trashed.
    var isSaidToBeTrashed: Bool { Self.isSaidToBeTrashed(identifier, in: parent, flags) }

    static func isSaidToBeTrashed(_ identifier: String, in parent: String, _ flags: Flags) -> Bool {
        (flags.contains(.trashed) || parent == trashIdentifier) && identifier != rootIdentifier
    }
}
