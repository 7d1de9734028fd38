/// The results of many trials.
package struct Summary: Sendable, CustomStringConvertible {
    /// The number of faults that occurred.
    package private(set) var steps = 0
    /// Faults that were planned and did not occur, because the order of events varies.
    package private(set) var missed: [Fault] = []
    package private(set) var kills = 0
    package private(set) var stops = 0
    package private(set) var disconnects = 0
    package private(set) var fills = 0
    package private(set) var badAnswers = 0
    package private(set) var refusals = 0
    package private(set) var losses = 0

    mutating func add(_ outcome: Trial.Outcome) {
        if let fault = outcome.fault {
            if outcome.isReached { steps += 1 } else { missed.append(fault) }
        }
        kills += outcome.kills
        stops += outcome.stops
        disconnects += outcome.disconnects
        fills += outcome.fills
        badAnswers += outcome.badAnswers
        refusals += outcome.refusals
        losses += outcome.losses.count
    }

    /// Counts losses that concern all trials.
    mutating func add(_ losses: [Loss]) { self.losses += losses.count }

    mutating func add(_ other: Summary) {
        steps += other.steps
        missed += other.missed
        kills += other.kills
        stops += other.stops
        disconnects += other.disconnects
        fills += other.fills
        badAnswers += other.badAnswers
        refusals += other.refusals
        losses += other.losses
    }

    package var description: String {
        "steps tried: \(steps)\(missed.isEmpty ? "" : " (and \(missed.count) not come to)"), kills: \(kills), stops: \(stops), "
            + "disconnections: \(disconnects), full disks: \(fills), bad answers: \(badAnswers), refusals: \(refusals), "
            + "losses: \(losses)"
    }
}
