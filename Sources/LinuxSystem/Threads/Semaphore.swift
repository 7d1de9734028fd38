import CLinux
import Glibc

/// A counting semaphore that blocks threads.
///
/// Use it in three cases:
/// - a thread sleeps until another thread has work for it: ``signal()`` wakes one waiting thread, or makes the next
///   wait return at once;
/// - a lock is held for long, or is released by another thread than the one that acquired it: use a semaphore with the
///   count 1;
/// - any number of threads wait for one event: use a ``Latch``, which contains a semaphore.
///
/// For short critical sections, ``Lock`` is faster and owns the state that it protects. A task must not block. It uses
/// ``AsyncSemaphore`` instead.
///
/// ThreadSanitizer observes the semaphore: a call of ``signal()`` happens before the return of the wait that it ends.
package final class Semaphore: @unchecked Sendable {
    // Sendable: the semaphore is a separate allocation that only sem_* calls access, and these may be called on any
    // thread.
    private let semaphore: UnsafeMutablePointer<sem_t>

    /// Creates a semaphore.
    ///
    /// - Parameter count: the number of waits that return at once, without a signal.
    package init(count: UInt32 = 0) {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, count)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    package func signal() { sem_post(semaphore) }

    /// Blocks until the semaphore is signalled.
    package func wait() {
        while sem_wait(semaphore) < 0 {}
    }

    /// Blocks until the semaphore is signalled, or the timeout has passed.
    package func wait(seconds: Int) {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        end.tv_sec += seconds
        while sem_timedwait(semaphore, &end) < 0, errno == EINTR {}
    }
}

/// A latch that is opened once. Threads wait until the latch is open.
package final class Latch: Sendable {
    private let semaphore = Semaphore()

    package init() {}

    /// Opens the latch. All threads that wait now or later continue.
    package func open() { semaphore.signal() }

    /// Blocks the calling thread until the latch is open.
    package func wait() {
        semaphore.wait()
        // Passes the signal on to the next waiter.
        semaphore.signal()
    }
}
