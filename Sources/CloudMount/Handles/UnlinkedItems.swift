import FileProviderEngine
import ItemStore
import LinuxSystem

/// Items that were removed through the mount and that the kernel still refers to, because they are open or are working
/// directories.
final class UnlinkedItems: Sendable {
    // Leaf lock.
    private let items = Lock<[ItemNumber: IndexedItem]>([:])

    /// - Parameter item: A removed item. The kernel has looked it up, so it will send FUSE_FORGET for it.
    func add(_ item: IndexedItem) { items.withLock { $0[item.number] = item } }

    /// Returns a removed item as it was at its removal, with the later changes through its handles.
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
