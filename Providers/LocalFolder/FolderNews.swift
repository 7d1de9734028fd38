import LinuxSystem

/// Tells when anything has changed in a folder that was listed: at once where the kernel tells of it, at the next look elsewhere.
enum FolderNews {
    /// Goes on for as long as somebody has the catalogue.
    static func start(_ catalogue: SharedCatalogue, _ tell: @escaping @Sendable () -> Void) throws(Errno) {
        let watches = catalogue.watches
        let reference = WeakCatalogue(catalogue)
        try SystemThread.start("purvey-news") {
            var pace = NewsPace()
            while true {
                watches.wait(
                    atMost: pace.untilLook(isPartial: watches.isPartial, isWanted: watches.isLookWanted))
                guard let catalogue = reference.catalogue else { return }
                if pace.beginLook(isWanted: watches.isLookWanted) {
                    watches.willLookAtAll()
                    watches.lose()
                }
                if hasChanged(catalogue) {
                    watches.willTell()
                    tell()
                }
                // What comes now waits a little.
                watches.wait(atMost: pace.endLook(), isAsleep: true)
            }
        }
    }

    /// One folder after the other, so that nobody waits for all of them. What cannot be looked at now is looked at later.
    private static func hasChanged(_ catalogue: SharedCatalogue) -> Bool {
        var hasChanged = false
        _ = try? catalogue.watches.look(
            listed: { () throws(FolderFailure) in try catalogue.perform { try $0.listedFolders() } },
            at: { folder throws(FolderFailure) in
                if try catalogue.perform({ try $0.lookIfThere(folder) }) { hasChanged = true }
                return hasChanged
            })
        return hasChanged
    }

    private struct WeakCatalogue: Sendable {
        weak let catalogue: SharedCatalogue?

        init(_ catalogue: SharedCatalogue) { self.catalogue = catalogue }
    }
}

/// How often folders are looked at, in seconds.
private struct NewsPace {
    /// What the kernel tells nothing of is looked at so much later, or after ten times what the look takes.
    private static let partialPause = 1.0
    /// Everything is looked at once in so much time, or after a hundred times what the look takes: what is written through a
    /// memory map is not told.
    private static let wholePause = 60.0
    private static let longestPause = 600.0
    /// The pause before a look that a signal asked for: none, or ten times the duration of the last such look.
    private static let wantedPause = 0.1
    /// After a look. Doubled for as long as there is news all the time, so that nobody who writes is followed step by step: up to what
    /// keeps looks a small part of the time, and no further, because whoever waits for one change before the next makes news all the
    /// time as well.
    private static let rests = 0.01...1.0
    private static let leastLongest = 0.02

    private var nextWhole = ContinuousClock.now
    private var nextWanted = ContinuousClock.now
    private var isWhole = false
    private var start = ContinuousClock.now
    private var end: ContinuousClock.Instant?
    private var taken = 0.0
    private var rest = rests.lowerBound

    func untilLook(isPartial: Bool, isWanted: Bool) -> Double {
        let whole = ((isWanted ? min(nextWhole, nextWanted) : nextWhole) - .now) / .seconds(1)
        return isPartial ? min(whole, max(Self.partialPause, 10 * taken)) : whole
    }

    /// - Returns: whether everything is to be looked at.
    mutating func beginLook(isWanted: Bool) -> Bool {
        start = .now
        let isSoon = end.map { (start - $0) / .seconds(1) < 2 * rest } ?? false
        let longest = min(max(Self.leastLongest, 20 * taken), Self.rests.upperBound)
        rest = isSoon ? min(2 * rest, longest) : Self.rests.lowerBound
        isWhole = start >= nextWhole || isWanted && start >= nextWanted
        return isWhole
    }

    /// - Returns: how long to rest.
    mutating func endLook() -> Double {
        let now = ContinuousClock.now
        taken = (now - start) / .seconds(1)
        end = now
        if isWhole {
            nextWhole = now + .seconds(min(Self.longestPause, max(Self.wholePause, 100 * taken)))
            nextWanted = now + .seconds(min(Self.longestPause, max(Self.wantedPause, 10 * taken)))
        }
        // The next look at everything is far away. A long rest would only delay changes that the kernel reports.
        return isWhole ? rest : min(max(rest, 5 * taken), Self.longestPause)
    }
}
