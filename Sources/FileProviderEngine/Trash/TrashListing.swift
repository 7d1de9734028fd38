import FileProviderWire

/// The state of the enumeration of the provider's trash.
struct TrashListing {
    /// Whether the trash is to be listed, because it may have changed without a report of the change feed.
    var isWanted = true
    var task: Task<Void, Never>?
    /// The time at which the trash was last found to match the index, in seconds since 1970.
    var time = -Double.infinity
    /// The number of consecutive failures to list the trash.
    var failures = 0
    /// The last of the consecutive failures; `nil` if there was none.
    var failure: ProviderError?
    /// The time before which the trash is not listed again, in seconds since 1970.
    var nextTime = -Double.infinity
    /// The timer for the next attempt; `nil` if none is scheduled.
    var waiting: Cancellable?

    /// The shortest delay between two attempts after a failure, in seconds. It is long, because many providers have no
    /// trash, and some crash when it is requested. ``longestPause`` is the longest delay.
    private static let firstPause = 60.0
    private static let longestPause = 24 * 3600.0

    /// Records a failure to list the trash.
    mutating func fail(_ failure: ProviderError, at now: Double) {
        self.failure = failure
        failures += 1
        switch failure.kind {
        // The provider probably has no trash.
        case .unsupported, .noSuchItem: nextTime = now + Self.longestPause
        default: nextTime = now + min(Self.firstPause * Double(1 << min(2 * (failures - 1), 16)), Self.longestPause)
        }
    }

    /// Records that the trash was listed, so that it matches the index.
    mutating func succeed(at now: Double) {
        (failure, failures, nextTime, time) = (nil, 0, -.infinity, now)
    }
}

extension TrashListing {
    /// The encoded state of the backoff; empty if the last listing did not fail. The next start of the engine restores
    /// it, so that a provider that crashes when it lists the trash does not crash at each start.
    var words: [UInt8] { failures == 0 ? [] : Array("\(failures) \(nextTime)".utf8) }

    /// Restores the state of the backoff that ``words`` encodes.
    ///
    /// - Parameter now: The current time in seconds since 1970. If the clock was set back since the state was stored,
    ///   the delay is limited to ``longestPause``.
    mutating func read(_ words: [UInt8], at now: Double) {
        let parts = String(decoding: words, as: UTF8.self).split(separator: " ")
        guard parts.count == 2, let count = Int(parts[0]), count > 0, let time = Double(parts[1]), time.isFinite else {
            return
        }
        failures = min(count, 1000)
        nextTime = min(time, now + Self.longestPause)
    }
}
