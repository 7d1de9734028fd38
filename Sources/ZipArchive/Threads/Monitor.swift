import Glibc

/// A value behind a lock with condition variables, so that threads can wait until another thread has changed it.
///
/// A `Mutex` has no condition variables, which worker threads need. A monitor must not be used from Swift's thread
/// pool, because waiting blocks the thread.
final class Monitor<State: Sendable>: @unchecked Sendable {
    // Safe to share: `state` is accessed only while `mutex` is held, and the two pthread objects are made for
    // sharing; they stay at fixed addresses from init to deinit.
    private var state: State
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let conditions: UnsafeMutablePointer<pthread_cond_t>
    private let conditionCount: Int

    /// Creates a monitor.
    ///
    /// - Parameter conditions: the number of conditions, which are numbered from 0.
    init(_ state: State, conditions count: Int) {
        self.state = state
        conditionCount = count
        mutex = .allocate(capacity: 1)
        conditions = .allocate(capacity: count)
        pthread_mutex_init(mutex, nil)
        for index in 0..<count { pthread_cond_init(conditions + index, nil) }
    }

    deinit {
        for index in 0..<conditionCount { pthread_cond_destroy(conditions + index) }
        pthread_mutex_destroy(mutex)
        conditions.deallocate()
        mutex.deallocate()
    }

    /// Runs a closure that reads or changes the value.
    func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Waits until the closure returns a value. The closure is called now, and again whenever the condition is
    /// signalled.
    func wait<Result>(for condition: Int, until body: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            pthread_cond_wait(conditions + condition, mutex)
        }
    }

    func signal(_ condition: Int) { pthread_cond_signal(conditions + condition) }
    func broadcast(_ condition: Int) { pthread_cond_broadcast(conditions + condition) }
}
