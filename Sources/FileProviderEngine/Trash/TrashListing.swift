import FileProvider

/// How far the engine is with what lies in the provider's trash by the provider's own list. What it is told of changes there comes
/// besides.
struct TrashListing {
    /// Something may have happened in the trash that no feed has told of.
    var isWanted = true
    var task: Task<Void, Never>?
    /// When it was last found to be as the index says; seconds since 1970.
    var time = -Double.infinity
    /// Times in a row that the provider could not list it.
    var failures = 0
    /// Why it could not, the last time.
    var failure: ProviderFailure?
    /// Not asked again before; seconds since 1970.
    var nextTime = -Double.infinity
    /// Has it asked again then.
    var waiting: Waiting?

    /// Seconds between two attempts: many a provider has no trash, and some die of the question.
    private static let firstPause = 60.0
    private static let longestPause = 24 * 3600.0

    /// Notes that the provider could not list it.
    mutating func fail(_ failure: ProviderFailure, at now: Double) {
        self.failure = failure
        failures += 1
        switch failure.kind {
        // It has none, as far as can be told.
        case .unsupported, .noSuchItem: nextTime = now + Self.longestPause
        default: nextTime = now + min(Self.firstPause * Double(1 << min(2 * (failures - 1), 16)), Self.longestPause)
        }
    }

    /// Notes that it is as the index says.
    mutating func succeed(at now: Double) {
        (failure, failures, nextTime, time) = (nil, 0, -.infinity, now)
    }
}

extension TrashListing {
    /// What the next start has to know, so that a provider that dies of the question is not asked at each; empty for nothing.
    var words: [UInt8] { failures == 0 ? [] : Array("\(failures) \(nextTime)".utf8) }

    /// - Parameter now: the clock may have been another one: no pause is longer than the longest.
    mutating func read(_ words: [UInt8], at now: Double) {
        let parts = String(decoding: words, as: UTF8.self).split(separator: " ")
        guard parts.count == 2, let count = Int(parts[0]), count > 0, let time = Double(parts[1]), time.isFinite else {
            return
        }
        failures = min(count, 1000)
        nextTime = min(time, now + Self.longestPause)
    }
}
