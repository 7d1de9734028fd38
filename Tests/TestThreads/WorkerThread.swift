import Foundation
import Glibc
import LinuxSystem

/// A thread that runs one job after the other, and waits between them.
final class WorkerThread: Sendable {
    private struct State {
        /// The job that another thread passed to this one.
        var handed: UnownedJob?
        /// The job that follows the current one.
        var following: UnownedJob?
        /// Whether the watching thread has seen the following job.
        var isSeen = false
        /// Whether any job followed another one since the last check by the watching thread.
        var isUsed = false
    }

    private let state: Lock<State>
    private let handedOver = DispatchSemaphore(value: 0)

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0, "no key for threads is free")
        return key
    }()

    /// The worker of the current thread; `nil` on other threads.
    static var current: WorkerThread? {
        // The pointer leads to a worker, because nothing else is set for the key. A thread retains its worker while
        // it runs.
        pthread_getspecific(key).map { Unmanaged<WorkerThread>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Starts a thread.
    init(_ job: UnownedJob, for executor: ThreadExecutor) {
        state = Lock(State(handed: job))
        Thread.detachNewThread { self.run(for: executor) }
    }

    /// Passes a job to the thread while it is idle.
    func hand(_ job: UnownedJob) {
        state.withLock { $0.handed = job }
        handedOver.signal()
    }

    /// Enqueues a job behind the current one. Must be called on this thread.
    ///
    /// - Returns: `false` if another job is enqueued already.
    func follow(with job: UnownedJob) -> Bool {
        state.withLock { state in
            guard state.following == nil else { return false }
            state.following = job
            state.isSeen = false
            state.isUsed = true
            return true
        }
    }

    /// Removes and returns the following job if the last check has seen it already.
    func late() -> (job: UnownedJob?, isUsed: Bool) {
        state.withLock { state in
            defer {
                state.isSeen = true
                state.isUsed = false
            }
            return (state.isSeen ? state.following.take() : nil, state.isUsed || state.following != nil)
        }
    }

    private func run(for executor: ThreadExecutor) {
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        while true {
            var next = state.withLock { $0.handed.take() }
            while let job = next {
                job.runSynchronously(on: executor.asUnownedTaskExecutor())
                next = state.withLock { $0.following.take() }
            }
            executor.noteIdle(self)
            handedOver.wait()
        }
    }
}
