import Glibc
import LinuxSystem

/// The time as the engine knows it: everything that waits, waits by this clock, so that a test can be its own.
package protocol EngineClock: Sendable {
    /// Seconds since 1970.
    var now: Double { get }

    /// The date that a file gets that is written to now: seconds since 1970, to the microsecond.
    ///
    /// - Parameter folder: one on the file system of the files whose dates it is to be comparable with, and whose own date is
    ///   nobody's. It gets this date.
    func date(by folder: FileDescriptor) -> Double

    /// Runs a job once, after some seconds, on any thread. The job must not block.
    ///
    /// - Returns: what the job is cancelled by, if it has not begun.
    @discardableResult
    func run(after seconds: Double, _ job: @escaping @Sendable () -> Void) -> Waiting
}

extension EngineClock {
    package func date(by folder: FileDescriptor) -> Double { now }

    /// Lets a task wait. Ends early when the task is cancelled.
    package func wait(_ seconds: Double) async {
        let pause = Pause()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pause.begin(continuation)
                pause.hold(run(after: seconds) { pause.end() })
            }
        } onCancel: {
            pause.end()
        }
    }
}

/// One task's wait, which either the clock or the task's cancellation ends.
private final class Pause: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, Never>?
        var waiting: Waiting?
        var isOver = false
    }

    // Innermost: a task goes on after it is released.
    private let state = Lock(State())

    func begin(_ continuation: CheckedContinuation<Void, Never>) {
        let isOver = state.withLock { state in
            if !state.isOver { state.continuation = continuation }
            return state.isOver
        }
        if isOver { continuation.resume() }
    }

    func hold(_ waiting: Waiting) {
        let isOver = state.withLock { state in
            if !state.isOver { state.waiting = waiting }
            return state.isOver
        }
        if isOver { waiting.cancel() }
    }

    func end() {
        let (continuation, waiting) = state.withLock { state in
            defer { state = State(isOver: true) }
            return (state.continuation, state.waiting)
        }
        waiting?.cancel()
        continuation?.resume()
    }
}

/// The machine's own clock.
package struct SystemEngineClock: EngineClock {
    package init() {}

    package var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// File systems date by a clock that is some milliseconds behind this one: what is dated by this one would be newer than what is
    /// written to after it.
    package func date(by folder: FileDescriptor) -> Double {
        guard futimens(folder.rawValue, nil) == 0, let status = try? folder.status() else { return now }
        return status.modifiedDate
    }

    @discardableResult
    package func run(after seconds: Double, _ job: @escaping @Sendable () -> Void) -> Waiting {
        let entry = Deadlines.shared.run(after: .seconds(max(0, seconds)), job)
        return Waiting { Deadlines.shared.cancel(entry) }
    }
}
