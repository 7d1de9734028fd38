import FileProvider
import FileProviderEngine
import Fuse
import LinuxSystem

/// Openings for reading of files that the provider has removed or replaced while programs have them open.
final class StaleOpenings: Sendable {
    /// The threads that are to look up a name again, and since when.
    // Innermost.
    private let callers = Lock<[Int32: ContinuousClock.Instant]>([:])

    /// A thread's next opening within this time is taken for its second attempt.
    private static let timeOfAttempt = Duration.seconds(5)

    /// Returns whether an opening is to fail with `ESTALE`, which has the kernel look up the name and open what has that now. The kernel
    /// does so once. Its second attempt is for the same file where that is opened by a descriptor (`/proc/self/fd`), or for one that was
    /// replaced just after the name was looked up: both are given the version that they ask for.
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
    /// Creates a row for a file that was removed or replaced while another process served it.
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
