import Glibc

/// The number of processes that may be started for each user: starting one keeps all other users waiting.
///
/// A user may have a number of them at once, and then one whenever some time has passed. A daemon needs one for each
/// domain.
struct StartAllowance {
    /// A daemon of many domains may end and start again a few times.
    private static let burst = 256
    private static let interval = Duration.milliseconds(50)

    private struct Use {
        var count: Int
        /// The time from which on the allowance grows again.
        var since: ContinuousClock.Instant
    }

    /// Users whose allowance is not whole.
    private var uses: [uid_t: Use] = [:]

    /// Whether a process may be started for a user, which counts it then.
    mutating func take(_ user: uid_t, at now: ContinuousClock.Instant) -> Bool {
        var use = uses[user] ?? Use(count: 0, since: now)
        let regained = Int((now - use.since) / Self.interval)
        if regained >= use.count {
            use = Use(count: 0, since: now)
        } else {
            use.count -= regained
            use.since += Self.interval * regained
        }
        let isAllowed = use.count < Self.burst
        if isAllowed { use.count += 1 }
        uses[user] = use
        if uses.count > 1_000 { uses = uses.filter { now - $0.value.since < Self.interval * Self.burst } }
        return isAllowed
    }
}
