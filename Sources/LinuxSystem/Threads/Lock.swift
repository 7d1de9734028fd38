// Only this file contains code that differs under ThreadSanitizer.
#if !PURVEY_THREAD_SANITIZER
    // Re-exported, because code that uses a lock needs the members of `Mutex`, which belong to `Synchronization`.
    @_exported import Synchronization

    /// Swift's `Mutex`. In builds for ThreadSanitizer (`Scripts/run-thread-sanitizer`), `Lock` is another type, which
    /// the sanitizer can observe.
    package typealias Lock<Value: ~Copyable> = Mutex<Value>
#else
    @_exported import Synchronization
    import Glibc

    /// The lock in builds for ThreadSanitizer, which observes pthread_mutex_lock(3), but not the futex that Swift's
    /// `Mutex` uses.
    package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // Sendable: the value is reached only through `withLock`, one thread at a time.
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        package init(_ initial: consuming sending Value) {
            mutex = .allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
            value = .allocate(capacity: 1)
            value.initialize(to: initial)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
            value.deinitialize(count: 1)
            value.deallocate()
        }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
#endif
