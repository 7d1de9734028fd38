/// The time for which a transfer has made no progress.
struct StallWatch {
    /// The number of bytes that count as progress. A server that sends single bytes for hours makes no progress.
    static let least = 64

    private var count = -least
    private var since = ContinuousClock.now

    mutating func hasStalled(at now: ContinuousClock.Instant, count: Int, isIdle: Bool, patience: Duration) -> Bool {
        if isIdle || count - self.count >= Self.least {
            self.count = count
            since = now
        }
        return now - since > patience
    }
}
