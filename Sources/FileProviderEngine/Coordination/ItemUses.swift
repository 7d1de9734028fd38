import LinuxSystem

/// Which items' files programs use at their places in a provider's storage, so that the provider is not told meanwhile that nobody
/// needs them.
final class ItemUses: Sendable {
    private struct Use {
        var count = 0
        var isStopping = false
        /// Those who begin while the provider is told to stop.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    // Innermost: whoever waits goes on after it is released.
    private let uses = Lock<[String: Use]>([:])

    /// One use more. Waits until the provider is not in the middle of removing the file.
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

    /// One use less.
    ///
    /// - Returns: whether it was the last.
    func end(_ identifier: String) -> Bool {
        uses.withLock { uses in
            guard var use = uses[identifier] else { return false }
            use.count -= 1
            uses[identifier] = use.count == 0 && !use.isStopping ? nil : use
            return use.count == 0
        }
    }

    /// Tells the provider to stop, unless somebody uses the file or somebody else is at it.
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
