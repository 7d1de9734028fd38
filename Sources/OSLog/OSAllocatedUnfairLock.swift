@_exported import COSLog

/// A lock, and the state that it guards. Copies are the same lock.
///
/// A thread that waits lends its priority to the one that has the lock. To take a lock twice, or to give up one that the
/// thread does not have, ends the process.
///
/// Source: `os/lock.h`.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    // Sendable: the state is reached with the lock held only, or by functions whose name says that the caller sees to it.
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

    /// Whether the thread has a lock.
    public enum Ownership: Hashable, Sendable {
        /// It has.
        case owner
        /// It has not.
        case notOwner
    }

    /// A lock of a state that may not be sendable.
    public init(uncheckedState initialState: State) { storage = Storage(initialState) }

    /// A lock of a state.
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

    /// Calls `body` with the lock held, unless another thread has it; then returns nil.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked(body)
    }

    /// Calls `body` with the lock held, unless another thread has it; then returns nil.
    public func withLockIfAvailableUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R? {
        guard os_unfair_lock_trylock(storage.lock) else { return nil }
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state)
    }

    /// Ends the process unless the thread has the lock, or has not.
    public func precondition(_ condition: Ownership) {
        switch condition {
        case .owner: os_unfair_lock_assert_owner(storage.lock)
        case .notOwner: os_unfair_lock_assert_not_owner(storage.lock)
        }
    }
}

extension OSAllocatedUnfairLock where State == Void {
    /// A lock without a state.
    public init() { self.init(uncheckedState: ()) }

    /// Calls `body` with the lock held.
    public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R {
        try withLockUnchecked { _ in try body() }
    }

    /// Calls `body` with the lock held.
    public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R {
        try withLockUnchecked { _ in try body() }
    }

    /// Calls `body` with the lock held, unless another thread has it; then returns nil.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked { _ in try body() }
    }

    /// Waits for the lock and takes it.
    public func lock() { os_unfair_lock_lock(storage.lock) }

    /// Gives the lock up.
    public func unlock() { os_unfair_lock_unlock(storage.lock) }

    /// Takes the lock if it is free.
    public func lockIfAvailable() -> Bool { os_unfair_lock_trylock(storage.lock) }
}
