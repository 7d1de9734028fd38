import Synchronization

/// The types of the database's file name patterns in one snapshot, by the numbers of the patterns, filled in as they are
/// met. A name that a single pattern decides then costs one look into this table.
final class PatternTypes: @unchecked Sendable {
    // Sendable: `table` and the cells it points at are atomic, and each goes from 0 to its value once. What a cell points
    // at was retained before and is released with this object, so that it can be read without a lock. Plain numbers,
    // because the standard library's lazy references cost as much as the whole rest of a lookup.
    private typealias Cell = Atomic<UInt>

    /// Where the cells are, and how many; set in the opposite order.
    private let table = Atomic<UInt>(0)
    private let count = Atomic<Int>(0)

    /// An empty table. It takes up memory when something is stored.
    init() {}

    deinit {
        guard let cells = cells(table.load(ordering: .acquiring)) else { return }
        for index in cells.indices { Self.object(cells[index].load(ordering: .acquiring))?.release() }
        cells.deinitialize()
        cells.deallocate()
    }

    @inline(__always)
    subscript(_ pattern: Int) -> TypeIdentity? {
        guard let cells = cells(table.load(ordering: .acquiring)), pattern < cells.count else { return nil }
        return Self.object(cells[pattern].load(ordering: .acquiring))?.takeUnretainedValue()
    }

    /// Keeps the type of one of `count` patterns, unless another thread was first. The count is always the same: a
    /// process has one database.
    func store(_ type: TypeIdentity, for pattern: Int, of count: Int) {
        let cells = madeCells(count)
        guard pattern < cells.count else { return }
        let retained = Unmanaged.passRetained(type)
        let (exchanged, _) = cells[pattern].compareExchange(
            expected: 0, desired: UInt(bitPattern: retained.toOpaque()), ordering: .acquiringAndReleasing)
        if !exchanged { retained.release() }
    }

    private func madeCells(_ count: Int) -> UnsafeMutableBufferPointer<Cell> {
        if let cells = cells(table.load(ordering: .acquiring)) { return cells }
        let made = UnsafeMutableBufferPointer<Cell>.allocate(capacity: count)
        for index in made.indices { made.initializeElement(at: index, to: Atomic(0)) }
        self.count.store(count, ordering: .releasing)
        let (exchanged, earlier) = table.compareExchange(
            expected: 0, desired: UInt(bitPattern: made.baseAddress), ordering: .acquiringAndReleasing)
        guard !exchanged, let cells = cells(earlier) else { return made }
        made.deinitialize()
        made.deallocate()
        return cells
    }

    @inline(__always)
    private func cells(_ bits: UInt) -> UnsafeMutableBufferPointer<Cell>? {
        UnsafeMutablePointer<Cell>(bitPattern: bits).map {
            UnsafeMutableBufferPointer(start: $0, count: count.load(ordering: .relaxed))
        }
    }

    @inline(__always)
    private static func object(_ bits: UInt) -> Unmanaged<TypeIdentity>? {
        UnsafeRawPointer(bitPattern: bits).map { Unmanaged.fromOpaque($0) }
    }
}
