import Glibc

/// An adaptive spin of the thread that waits for requests. Waking a thread takes longer than serving a small request.
/// Therefore, if requests follow one another closely, the thread polls for the next request for up to
/// ``spinNanoseconds`` before it sleeps.
struct AdaptiveSpin {
    /// The longest time to poll.
    private static let spinNanoseconds: Int64 = 30_000

    private var isQuick = false
    private var begin: Int64 = 0

    /// Polls for the next request if the previous request arrived within ``spinNanoseconds``.
    ///
    /// - Parameter isRequestWaiting: returns whether a request is waiting. It must not block.
    mutating func waitForRequest(_ isRequestWaiting: () -> Bool) {
        begin = Self.now()
        guard isQuick else { return }
        // Yields the processor to any thread that needs it: the next request may come from that thread.
        while !isRequestWaiting(), Self.now() - begin < Self.spinNanoseconds { sched_yield() }
    }

    /// Records the arrival of a request, which ends the wait that ``waitForRequest(_:)`` began.
    mutating func requestArrived() { isQuick = Self.now() - begin < Self.spinNanoseconds }

    /// Returns the monotonic time, in nanoseconds.
    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
