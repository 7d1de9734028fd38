@_exported import COSLog

/// A lock and the state that it guards. Copies of the value refer to the same lock and state.
///
/// A waiting thread lends its priority to the owner of the lock. To lock recursively, or to unlock a lock of another
/// thread, ends the process.
///
/// Source: `os/lock.h`.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    // Sendable: the state is accessed only with the lock held. Only functions with "unchecked" in their names accept
    // values that are not Sendable. Their callers must ensure that no other thread uses these values.
    private let storage: Storage

    private final class Storage {
        let lock: os_unfair_lock_t
        var state: State

        init(_ state: State) {
            self.state = state
            lock = .allocate(capacity: 1)
            lock.initialize(to: os_unfair_lock())
        }

        deinit { lock.deallocate() }
    }

    /// The relation of the calling thread to a lock.
    public enum Ownership: Hashable, Sendable {
        /// The thread owns the lock.
        case owner
        /// The thread does not own the lock.
        case notOwner
    }

    /// Creates a lock for a state that need not be `Sendable`.
    public init(uncheckedState initialState: State) { storage = Storage(initialState) }

    /// Creates a lock for a state.
    public init(initialState: State) where State: Sendable { storage = Storage(initialState) }

    /// Calls `body` with the lock held.
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
        try withLockUnchecked(body)
    }

    /// Calls `body` with the lock held.
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
        os_unfair_lock_lock(storage.lock)
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    /// Calls `body` with the lock held. Returns nil if another thread holds it.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked(body)
    }

    /// Calls `body` with the lock held. Returns nil if another thread holds it.
    public func withLockIfAvailableUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R? {
        guard os_unfair_lock_trylock(storage.lock) else { return nil }
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    /// Ends the process unless the calling thread's relation to the lock is the given one.
    public func precondition(_ condition: Ownership) {
        switch condition {
        case .owner: os_unfair_lock_assert_owner(storage.lock)
        case .notOwner: os_unfair_lock_assert_not_owner(storage.lock)
        }
    }
}

extension OSAllocatedUnfairLock where State == Void {
    /// Creates a lock without a state.
    public init() { self.init(uncheckedState: ()) }

    /// Calls `body` with the lock held.
    public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R {
        try withLockUnchecked { _ in try body() }
    }

    /// Calls `body` with the lock held.
    public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R {
        try withLockUnchecked { _ in try body() }
    }

    /// Calls `body` with the lock held. Returns nil if another thread holds it.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked { _ in try body() }
    }

    /// Waits until the lock is free, and acquires it.
    public func lock() { os_unfair_lock_lock(storage.lock) }

    /// Releases the lock.
    public func unlock() { os_unfair_lock_unlock(storage.lock) }

    /// Acquires the lock if it is free. Returns whether the lock was acquired.
    public func lockIfAvailable() -> Bool { os_unfair_lock_trylock(storage.lock) }
}
