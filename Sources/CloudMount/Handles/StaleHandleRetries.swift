import FileProviderEngine
import Fuse
import ItemStore
import ItemValues
import LinuxSystem

/// Decides whether an open for reading fails with `ESTALE` after the provider removed or replaced the file while a
/// program had it open.
final class StaleHandleRetries: Sendable {
    /// The threads whose open failed with `ESTALE`, each with the time of the failure.
    // Leaf lock.
    private let callers = Lock<[Int32: ContinuousClock.Instant]>([:])

    /// The time after a failed open within which the thread's next open counts as its second attempt.
    private static let timeOfAttempt = Duration.seconds(5)

    /// Whether an open must fail with `ESTALE`. After this error, the kernel repeats the lookup once, and opens the
    /// file that now has the name. A second attempt by the same thread comes from an open through `/proc/self/fd`, or
    /// the file was replaced just after the lookup. In both cases, the second attempt opens the old version.
    func isSentBack(_ caller: Caller) -> Bool {
        let now = ContinuousClock.now
        return callers.withLock { callers in
            let last = callers.removeValue(forKey: caller.processID)
            if let last, now - last < Self.timeOfAttempt { return false }
            if callers.count >= 64 { callers = callers.filter { now - $0.value < Self.timeOfAttempt } }
            callers[caller.processID] = now
            return true
        }
    }

    func removeAll() { callers.withLock { $0.removeAll() } }
}

extension IndexedItem {
    /// Creates a row for a file that was removed or replaced while another process served the mount.
    ///
    /// - Parameter contents: The contents that programs read.
    init?(of number: ItemNumber, _ contents: FileDescriptor) {
        guard let status = try? contents.status() else { return nil }
        var item = ProviderItem(
            identifier: IndexedItem.localPrefix + "\(number.rawValue)", parent: ProviderItem.rootIdentifier,
            filename: "", kind: .file)
        item.size = Int64(status.size)
        item.modified = status.modifiedDate
        self.init(number: number, parent: .root, name: "", item: item)
        content = .current
        localSize = Int64(status.size)
    }
}

/// Items that were removed through the mount, and to which the kernel still refers because they are open or are working
/// directories.
final class UnlinkedItems: Sendable {
    // Leaf lock.
    private let items = Lock<[ItemNumber: IndexedItem]>([:])

    /// Adds a removed item.
    ///
    /// - Parameter item: The item. The kernel has looked it up, and will therefore send FUSE_FORGET for it.
    func add(_ item: IndexedItem) { items.withLock { $0[item.number] = item } }

    /// Returns the removed item with the given number as it was at its removal, with the later changes through its open
    /// handles. Returns `nil` if no such item is recorded.
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
