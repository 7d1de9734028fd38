import FileProvider
import FileProviderEngine
import Fuse
import LinuxSystem

/// Files that programs have open and that are not in the index any more: the provider has removed or replaced them. Their openings, and
/// what is known of them, are in ``OpenFiles``.
final class StaleOpenings: Sendable {
    /// The threads that were sent back to look up a file's name.
    // Innermost.
    private let callers = Lock<[ItemNumber: Set<Int32>]>([:])

    /// Returns whether an opening is to fail with `ESTALE`, which has the kernel look up the name and open what has that now. If it comes
    /// again, it is not by a name, but by an open descriptor (`/proc/self/fd`).
    func isSentBack(_ caller: Caller, from number: ItemNumber) -> Bool {
        callers.withLock { $0[number, default: []].insert(caller.processID).inserted }
    }

    func forget(_ number: ItemNumber) { callers.withLock { _ = $0.removeValue(forKey: number) } }

    func removeAll() { callers.withLock { $0.removeAll() } }
}

extension IndexedItem {
    /// Makes up the row of a file that was removed or replaced while another process served it.
    ///
    /// - Parameter contents: those that programs read.
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
