import Glibc

/// Something that threads wait for and that happens once.
///
/// Made of what ThreadSanitizer knows, so that it sees that what came before the opening came before the end of the wait.
package final class Latch: @unchecked Sendable {
    // Sendable: the semaphore is an allocation of its own that only sem_* calls touch, made for use from several threads.
    private let semaphore: UnsafeMutablePointer<sem_t>

    package init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Lets everybody go on who waits or will wait.
    package func open() { sem_post(semaphore) }

    /// Blocks the calling thread until it is open.
    package func wait() {
        while sem_wait(semaphore) < 0 {}
        // For the next one.
        sem_post(semaphore)
    }
}
