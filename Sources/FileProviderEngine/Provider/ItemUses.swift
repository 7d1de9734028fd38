import ItemValues
import LinuxSystem

/// Counts the programs that use items' files at their paths in a provider's document storage. While a file is in use,
/// the engine does not ask the provider to stop providing the file.
final class ItemUses: Sendable {
    private struct Use {
        var count = 0
        var isStopping = false
        /// The continuations of the callers of ``begin(_:)`` that wait until the provider has stopped providing the
        /// file.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    // Leaf lock: continuations are resumed after it is released.
    private let uses = Lock<[ExactText: Use]>([:])

    /// Counts an additional use of the given item's file. If the provider is being asked to stop providing the file,
    /// waits until it has done so.
    func begin(_ identifier: String) async {
        let identifier = ExactText(identifier)
        await withCheckedContinuation { continuation in
            let isFree = uses.withLock { uses in
                uses[identifier, default: Use()].count += 1
                guard uses[identifier]?.isStopping == true else { return true }
                uses[identifier]?.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Records that one use of the given item's file has ended.
    ///
    /// - Returns: Whether the file is no longer in use.
    func end(_ identifier: String) -> Bool {
        let identifier = ExactText(identifier)
        return uses.withLock { uses in
            guard var use = uses[identifier] else { return false }
            use.count -= 1
            uses[identifier] = use.count == 0 && !use.isStopping ? nil : use
            return use.count == 0
        }
    }

    /// Asks the provider to stop providing the given item's file, unless the file is in use or another such request is
    /// in progress.
    ///
    /// - Parameter tell: A function that sends the request to the provider.
    func stop(_ identifier: String, _ tell: () async -> Void) async {
        let identifier = ExactText(identifier)
        let isOurs = uses.withLock { uses in
            guard uses[identifier] == nil else { return false }
            uses[identifier] = Use(isStopping: true)
            return true
        }
        guard isOurs else { return }
        await tell()
        let waiting = uses.withLock { uses in
            guard var use = uses[identifier] else { return [CheckedContinuation<Void, Never>]() }
            let waiting = use.waiting
            use.isStopping = false
            use.waiting = []
            uses[identifier] = use.count == 0 ? nil : use
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
