import Glibc

/// A latch that opens once. Threads wait until it is open.
///
/// It is made of a semaphore, which ThreadSanitizer knows. So the sanitizer sees that the opening happens before the
/// end of a wait.
package final class Latch: @unchecked Sendable {
    // Sendable: the semaphore is a separate allocation that only sem_* calls touch, made for use from several
    // threads.
    private let semaphore: UnsafeMutablePointer<sem_t>

    package init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Releases all current and future waiters.
    package func open() { sem_post(semaphore) }

    /// Blocks the calling thread until the latch is open.
    package func wait() {
        while sem_wait(semaphore) < 0 {}
        // Passes the semaphore on to the next waiter.
        sem_post(semaphore)
    }
}
