import LinuxSystem

/// The thread that reports changes in listed directories: at once if the kernel watches the directory, otherwise at the
/// next scan.
enum FolderNews {
    /// Starts the thread. It runs as long as the catalogue exists.
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
                    _ = try? catalogue.perform { $0.endUnusedListing() }
                    watches.lose()
                }
                if hasChanged(catalogue) {
                    watches.willTell()
                    tell()
                }
                // Changes that come now wait until the pause ends.
                watches.wait(atMost: pace.endLook(), isAsleep: true)
            }
        }
    }

    /// Scans one directory after the other, so that another use of the catalogue waits for the scan of at most one
    /// directory. A directory that cannot be read is scanned again later.
    private static func hasChanged(_ catalogue: SharedCatalogue) -> Bool {
        var hasChanged = false
        _ = try? catalogue.watches.look(
            listed: { () throws(FolderError) in try catalogue.perform { try $0.listedFolders() } },
            at: { folder throws(FolderError) in
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

/// Determines the pauses between scans of directories, in seconds.
private struct NewsPace {
    /// The minimum pause between scans of unwatched directories. The pause is ten times the duration of the last scan,
    /// if that is longer.
    private static let partialPause = 1.0
    /// The minimum and maximum pause between scans of all directories. Between these limits, the pause is a hundred
    /// times the duration of the last such scan. These scans are necessary because the kernel does not report writes
    /// through a memory map.
    private static let wholePause = 60.0
    private static let longestPause = 600.0
    /// The minimum pause between a scan of all directories and another such scan that a signal requests. The pause is
    /// ten times the duration of the first scan, if that is longer.
    private static let wantedPause = 0.1
    /// The minimum and maximum pause after a scan. The pause doubles while changes continue, so that not every step of
    /// a writer is reported. It is also limited to a multiple of the last scan's duration. Otherwise a process that
    /// waits for the report of each change before it makes the next one would wait longer and longer.
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

    /// Begins a scan.
    ///
    /// - Returns: whether everything has to be scanned.
    mutating func beginLook(isWanted: Bool) -> Bool {
        start = .now
        let isSoon = end.map { (start - $0) / .seconds(1) < 2 * rest } ?? false
        let longest = min(max(Self.leastLongest, 20 * taken), Self.rests.upperBound)
        rest = isSoon ? min(2 * rest, longest) : Self.rests.lowerBound
        isWhole = start >= nextWhole || isWanted && start >= nextWanted
        return isWhole
    }

    /// Ends a scan.
    ///
    /// - Returns: the pause until the next scan, in seconds.
    mutating func endLook() -> Double {
        let now = ContinuousClock.now
        taken = (now - start) / .seconds(1)
        end = now
        if isWhole {
            nextWhole = now + .seconds(min(Self.longestPause, max(Self.wholePause, 100 * taken)))
            nextWanted = now + .seconds(min(Self.longestPause, max(Self.wantedPause, 10 * taken)))
        }
        // After a scan of all directories, the next such scan is far away. A long pause would only delay changes that
        // the kernel reports.
        return isWhole ? rest : min(max(rest, 5 * taken), Self.longestPause)
    }
}
