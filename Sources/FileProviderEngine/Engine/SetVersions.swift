import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The version numbers of the item sets that clients follow. A set's version changes with each change of the set. The
/// first version is random, so that it differs from the versions of earlier processes.
package final class SetVersions: Sendable {
    fileprivate struct Waiter {
        let set: ItemSet
        let continuation: CheckedContinuation<Void, Never>
    }

    fileprivate struct State {
        var versions: [ItemSet: UInt64] = [
            .materialized: .random(in: 1...(1 << 62)), .pending: .random(in: 1...(1 << 62)),
        ]
        var waiters: [UInt64: Waiter] = [:]
        var lastKey: UInt64 = 0
        var isClosed = false
    }

    // Leaf lock: waiting tasks are resumed after it is released.
    private let state = Lock(State())

    package func version(of set: ItemSet) -> UInt64 { state.withLock { $0.versions[set] ?? 0 } }

    func note(_ sets: ItemSets) {
        let waiters = state.withLock { state in
            for set in [ItemSet.materialized, .pending] where sets.contains(ItemSets(set)) {
                state.versions[set, default: 0] &+= 1
            }
            return state.takeWaiters { sets.contains(ItemSets($0.set)) }
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// Resumes all waiting tasks, because the versions will not change any more.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            return state.takeWaiters { _ in true }
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// Waits until the version of the given set differs from `version`, or until the task is cancelled.
    ///
    /// - Throws: A failure if the domain is closed.
    package func wait(for set: ItemSet, toDifferFrom version: UInt64) async throws(ProviderError) {
        let key = state.withLock { state in
            state.lastKey += 1
            return state.lastKey
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    // The task may have been cancelled before it began to wait.
                    guard !state.isClosed, state.versions[set] == version, !Task.isCancelled else { return false }
                    state.waiters[key] = Waiter(set: set, continuation: continuation)
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: key) }?.continuation.resume()
        }
        if state.withLock({ $0.isClosed }) { throw .closed }
    }
}

extension SetVersions.State {
    fileprivate mutating func takeWaiters(where isMeant: (SetVersions.Waiter) -> Bool) -> [SetVersions.Waiter] {
        let meant = waiters.filter { isMeant($0.value) }
        for key in meant.keys { waiters[key] = nil }
        return Array(meant.values)
    }
}
