import Glibc

/// A rate limit for starting processes, for each user: a start delays all other users.
///
/// A user may start a burst of processes, and after that one per interval. A daemon needs one per domain.
struct StartAllowance {
    /// The size of a burst. It allows a daemon with many domains to restart a few times.
    private static let burst = 256
    private static let interval = Duration.milliseconds(50)

    private struct Use {
        var count: Int
        /// The time from which the allowance recovers.
        var since: ContinuousClock.Instant
    }

    /// The users whose allowance is not full.
    private var uses: [uid_t: Use] = [:]

    /// Whether a process may be started for a user. Counts it if so.
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
