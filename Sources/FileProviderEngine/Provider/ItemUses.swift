import LinuxSystem

/// Counts the programs that use items' files at their paths in a provider's document storage. While a file is in use,
/// the engine does not ask the provider to stop providing it.
final class ItemUses: Sendable {
    private struct Use {
        var count = 0
        var isStopping = false
        /// The callers of ``begin(_:)`` that wait until the provider has stopped providing the file.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    // Leaf lock: continuations are resumed after it is released.
    private let uses = Lock<[String: Use]>([:])

    /// Counts an additional use. Waits until the provider has completed a request to stop providing the file.
    func begin(_ identifier: String) async {
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

    /// Counts a use that has ended.
    ///
    /// - Returns: Whether no use remains.
    func end(_ identifier: String) -> Bool {
        uses.withLock { uses in
            guard var use = uses[identifier] else { return false }
            use.count -= 1
            uses[identifier] = use.count == 0 && !use.isStopping ? nil : use
            return use.count == 0
        }
    }

    /// Asks the provider to stop providing a file, unless the file is in use or another such request is in progress.
    ///
    /// - Parameter tell: sends the request to the provider.
    func stop(_ identifier: String, _ tell: () async -> Void) async {
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
