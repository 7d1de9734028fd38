import Glibc

/// A lock that may be held for long and is not bound to a thread: a binary semaphore.
final class BlockingLock: @unchecked Sendable {
    // Sendable: the semaphore is an allocation of its own that only the sem_* functions touch; they are thread-safe.
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 1)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func lock() {
        while sem_wait(semaphore) < 0 {}
    }

    func unlock() { sem_post(semaphore) }
}
