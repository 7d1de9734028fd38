import LinuxSystem

/// The progress of a transfer. Providers report it on any thread.
final class FetchProgress: Sendable {
    struct State {
        var done: Int64 = 0
        var total: Int64 = 0
        /// The times at which the fetch began and last made progress, in seconds since 1970; `nil` while the fetch is
        /// queued.
        var begun: Double?
        var moved: Double?
    }

    private let clock: any EngineClock
    // Leaf lock.
    private let state = Lock(State())

    init(_ clock: any EngineClock) { self.clock = clock }

    func begin() {
        let now = clock.now
        state.withLock { ($0.begun, $0.moved) = (now, now) }
    }

    func set(_ done: Int64, _ total: Int64) {
        let now = clock.now
        state.withLock { state in
            if done != state.done { state.moved = now }
            (state.done, state.total) = (done, total)
        }
    }

    var now: State { state.withLock { $0 } }
}
