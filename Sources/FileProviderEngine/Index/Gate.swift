import Glibc

/// Lets one thread through at a time, for as long as it takes.
final class Gate: @unchecked Sendable {
    // Sendable: the semaphore is an allocation of its own that only sem_* calls touch, made for use from several threads.
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 1)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func enter() {
        while sem_wait(semaphore) < 0 {}
    }

    func leave() { sem_post(semaphore) }
}
