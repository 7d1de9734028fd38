/// The types of the database's file name patterns in one snapshot, by the numbers of the patterns, filled in on
/// demand. A name that a single pattern decides then costs one access to this table.
final class PatternTypes: @unchecked Sendable {
    // Sendable: the pointer never changes, and each cell is safe to read and to fill from any thread.
    private let cells: UnsafeMutableBufferPointer<StoredOnce<TypeIdentity>>

    /// Creates an empty table for patterns below `count`.
    init(count: Int) {
        cells = .allocate(capacity: count)
        for index in cells.indices { cells.initializeElement(at: index, to: StoredOnce()) }
    }

    deinit {
        cells.deinitialize()
        cells.deallocate()
    }

    @inline(__always)
    subscript(_ pattern: Int) -> TypeIdentity? { cells[pattern].load() }

    /// Stores a type, unless another thread was first.
    func store(_ type: TypeIdentity, for pattern: Int) {
        _ = cells[pattern].storeIfNil(type)
    }
}
