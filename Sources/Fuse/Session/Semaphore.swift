import Glibc

/// A semaphore that one thread waits for and another signals.
final class Semaphore: @unchecked Sendable {
    // Sendable: the semaphore is an allocation of its own that only sem_* calls touch, made for use from several
    // threads.
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }

    /// Blocks until there is a signal.
    func wait() {
        while sem_wait(semaphore) < 0 {}
    }

    /// Blocks until there is a signal, or the timeout has passed.
    func wait(seconds: Int) {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        end.tv_sec += seconds
        while sem_timedwait(semaphore, &end) < 0, errno == EINTR {}
    }
}
