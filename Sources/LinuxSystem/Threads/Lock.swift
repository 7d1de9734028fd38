import Glibc
import Synchronization

#if !PURVEY_THREAD_SANITIZER
    /// Swift's own lock. Under ThreadSanitizer (`Scripts/run-thread-sanitizer`) it is one that the sanitizer can see.
    package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
        private let mutex: Mutex<Value>

        package init(_ initial: consuming sending Value) { mutex = Mutex(initial) }

        /// Runs a function that is alone with the value.
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    }
#else
    /// A lock that ThreadSanitizer can see: it knows pthread_mutex_lock(3), and nothing of the futex in Swift's own `Mutex`.
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
