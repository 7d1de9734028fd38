import Glibc
import LinuxSystem

/// An engine's time source. All delays and waits of the engine use it, so that a test can supply its own.
package protocol EngineClock: Sendable {
    /// The current time in seconds since 1970.
    var now: Double { get }

    /// Returns the modification date that a file would get if it were written to now, in seconds since 1970 with
    /// microsecond precision.
    ///
    /// - Parameter folder: A directory on the file system of that file. The directory's own modification date changes
    ///   to the returned date.
    func date(by folder: FileDescriptor) -> Double

    /// Runs a job once, after the given number of seconds, on any thread. The job must not block.
    ///
    /// - Returns: A handle that cancels the job if it has not started.
    @discardableResult
    func run(after seconds: Double, _ job: @escaping @Sendable () -> Void) -> Cancellable
}

extension EngineClock {
    package func date(by folder: FileDescriptor) -> Double { now }

    /// Suspends the current task for the given number of seconds. Returns early if the task is cancelled.
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

/// A suspension of one task, which ends when the time has passed or the task is cancelled.
private final class Pause: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, Never>?
        var waiting: Cancellable?
        var isOver = false
    }

    // Leaf lock: the task is resumed after it is released.
    private let state = Lock(State())

    func begin(_ continuation: CheckedContinuation<Void, Never>) {
        let isOver = state.withLock { state in
            if !state.isOver { state.continuation = continuation }
            return state.isOver
        }
        if isOver { continuation.resume() }
    }

    func hold(_ waiting: Cancellable) {
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

/// The system's real-time clock.
package struct SystemEngineClock: EngineClock {
    package init() {}

    package var now: Double { WallClock.now }

    /// Returns the date that the file system would give to a file that is written now. File systems use a coarse clock,
    /// which is some milliseconds behind the system's clock. A date from the system's clock could be later than the
    /// date of a file that is written afterwards.
    package func date(by folder: FileDescriptor) -> Double {
        guard futimens(folder.rawValue, nil) == 0, let status = try? folder.status() else { return now }
        return status.modifiedDate
    }

    @discardableResult
    package func run(after seconds: Double, _ job: @escaping @Sendable () -> Void) -> Cancellable {
        let entry = Deadlines.shared.run(after: .seconds(max(0, seconds)), job)
        return Cancellable { Deadlines.shared.cancel(entry) }
    }
}

/// Identifies the present boot of the machine.
enum SystemBoot {
    /// An identifier that changes with each boot; empty if the system provides none.
    static let identifier: String = {
        let file = try? FileDescriptor.open("/proc/sys/kernel/random/boot_id", .readOnly)
        return (try? file?.readToEnd(limit: 64)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }()
}
