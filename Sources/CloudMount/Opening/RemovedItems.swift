import FileProviderEngine
import LinuxSystem

/// What was removed in the mount and the kernel still speaks of: a program has it open, or is in it.
final class RemovedItems: Sendable {
    // Innermost.
    private let items = Lock<[ItemNumber: IndexedItem]>([:])

    /// - Parameter item: that the kernel has looked up, which it has of whatever it removes: it will say when it forgets it.
    func add(_ item: IndexedItem) { items.withLock { $0[item.number] = item } }

    /// The item as it was when it was removed, and as it was changed since by who has it open.
    subscript(_ number: ItemNumber) -> IndexedItem? { items.withLock { $0[number] } }

    func update(_ number: ItemNumber, _ change: (inout IndexedItem) -> Void) {
        items.withLock { items in
            guard var item = items[number] else { return }
            change(&item)
            items[number] = item
        }
    }

    func forget(_ number: ItemNumber) { items.withLock { _ = $0.removeValue(forKey: number) } }

    func removeAll() { items.withLock { $0.removeAll() } }
}
