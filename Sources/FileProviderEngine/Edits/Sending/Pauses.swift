/// How long until what failed is tried again: twice as long each time, with chance, so that many do not come at once.
struct Pauses: Sendable {
    /// Seconds.
    var first: Double = 1
    var longest: Double = 300

    /// - Parameter attempt: 1 after the first failure.
    func seconds(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Double {
        let doublings = Double(1 << min(max(attempt, 1) - 1, 20))
        let pause = min(first * doublings, longest)
        return Double.random(in: pause * 0.75...pause, using: &generator)
    }
}
