/// The backoff between attempts: the delay doubles with each failure. It is randomized, so that many items do not
/// retry at once.
struct Backoff: Sendable {
    /// In seconds, like ``longest``.
    var first: Double = 1
    var longest: Double = 300

    /// Returns the delay in seconds.
    ///
    /// - Parameter attempt: 1 after the first failure.
    func delay(afterAttempt attempt: Int, using generator: inout some RandomNumberGenerator) -> Double {
        let doublings = Double(1 << min(max(attempt, 1) - 1, 20))
        let pause = min(first * doublings, longest)
        return Double.random(in: pause * 0.75...pause, using: &generator)
    }
}
