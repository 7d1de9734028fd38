import BrowserTesting
import DomainMessages
import FileBrowser
import Testing

/// Tests that the window's model shows the present transfers, for any order in which the daemon's messages arrive.
@Suite(.timeLimit(.minutes(20))) @MainActor struct TransferOrderTests {
    /// Runs a test with a browser that shows the transfers of a daemon.
    private func browse(
        _ daemon: ScriptedDaemon, _ body: @MainActor (Browser) async throws -> Void
    ) async throws {
        let browser = Browser(daemon: daemon)
        browser.begin(at: .transfers)
        browser.start()
        defer {
            browser.stop()
            // Held replies would keep the browser's tasks forever.
            daemon.isUnreachable = true
            daemon.restart()
            daemon.isPrompt = true
        }
        try await eventually("the domain is known") { browser.isConnected && browser.areDomainsKnown }
        try await body(browser)
    }

    /// The transfers that the browser shows.
    private func shown(_ browser: Browser) -> [TransferActivity] { browser.domains.flatMap(\.activity.transfers) }

    /// Waits until the browser shows the upload as it is, while the newest or oldest reply arrives first.
    private func settle(_ browser: Browser, _ daemon: ScriptedDaemon, isNewestFirst: Bool) async throws {
        // A request may be on its way to the daemon, so that a single look would be too early.
        var looks = 0
        for _ in 0..<60_000 {
            if daemon.heldCount > 0 { daemon.deliver(isNewestFirst ? daemon.heldCount - 1 : 0) }
            try await Task.sleep(for: .milliseconds(1))
            let isSettled = daemon.heldCount == 0 && shown(browser) == [daemon.transfer].compactMap(\.self)
            looks = isSettled ? looks + 1 : 0
            if looks == 20 { return }
        }
        Issue.record("the browser shows \(shown(browser)), and the upload is \(daemon.upload)")
    }

    /// The events of a test. The daemon's own changes are those of other clients, and of the upload itself.
    private enum Event: CaseIterable { case cancel, retry, retryElsewhere, begin, end, edit, restart, load, sleep }

    private func perform(_ event: Event, _ browser: Browser, _ daemon: ScriptedDaemon) async throws {
        switch event {
        case .cancel: if let transfer = shown(browser).first { browser.cancel(transfer, of: "Cloud") }
        case .retry: browser.apply(.retry(domain: "Cloud"))
        case .retryElsewhere: if daemon.upload == .cancelled { daemon.change(to: .waiting) }
        case .begin: if daemon.upload == .waiting { daemon.change(to: .running) }
        case .end: if daemon.upload == .running || daemon.upload == .waiting { daemon.change(to: .ended) }
        case .edit: if daemon.upload == .ended || daemon.upload == .cancelled { daemon.change(to: .waiting) }
        case .restart: daemon.restart()
        case .load: browser.load()
        case .sleep: try await Task.sleep(for: .milliseconds(1))
        }
    }

    @Test(arguments: 0..<100) func noOrderOfMessagesLeavesATransferThatHasEnded(seed: Int) async throws {
        let daemon = ScriptedDaemon(.waiting)
        try await browse(daemon) { browser in
            var numbers = SeededNumbers(UInt64(seed))
            daemon.isPrompt = false
            for _ in 0..<40 {
                if daemon.heldCount > 0, Bool.random(using: &numbers) {
                    daemon.deliver(Int.random(in: 0..<daemon.heldCount, using: &numbers))
                } else if let event = Event.allCases.randomElement(using: &numbers) {
                    try await perform(event, browser, daemon)
                }
                for _ in 0..<Int.random(in: 0...5, using: &numbers) { await Task.yield() }
            }
            try await settle(browser, daemon, isNewestFirst: seed.isMultiple(of: 2))
        }
    }

    @Test(arguments: [false, true]) func aCancelledUploadThatIsSentAtOnceIsNotShown(isNewestFirst: Bool) async throws {
        let daemon = ScriptedDaemon(.cancelled)
        try await browse(daemon) { browser in
            #expect(shown(browser).map(\.state) == [.cancelled])
            daemon.isPrompt = false
            // The daemon replies to this request before the upload, and the reply arrives after all other messages.
            browser.load()
            try await eventually("the state is requested") { daemon.heldCount == 1 }
            daemon.change(to: .ended)
            try await eventually("the change is reported") { daemon.heldCount > 1 }
            try await settle(browser, daemon, isNewestFirst: isNewestFirst)
        }
    }

    @Test func aStateThatCannotBeReadIsReadAgain() async throws {
        let daemon = ScriptedDaemon(.cancelled)
        try await browse(daemon) { browser in
            daemon.isUnreachable = true
            daemon.change(to: .ended)
            try await eventually("the loss is shown") { !browser.isConnected }
            #expect(shown(browser).map(\.state) == [.cancelled])
            daemon.isUnreachable = false
            try await eventually("the upload has gone") { shown(browser).isEmpty }
            #expect(browser.isConnected)
        }
    }

    @Test func anUploadThatEndsWhileTheDaemonIsRestartedIsNotShown() async throws {
        let daemon = ScriptedDaemon(.cancelled)
        try await browse(daemon) { browser in
            daemon.change(to: .ended, isNoted: false)
            #expect(shown(browser).map(\.state) == [.cancelled])
            daemon.restart()
            try await eventually("the upload has gone") { shown(browser).isEmpty }
        }
    }

    @Test func progressIsFollowedAgainAfterALostConnection() async throws {
        let daemon = ScriptedDaemon(.running)
        try await browse(daemon) { browser in
            daemon.isUnreachable = true
            // The browser notices the loss when it reads the progress.
            try await eventually("the loss is shown") {
                daemon.restart()
                return !browser.isConnected
            }
            let count = daemon.statusCount
            try await eventually("the progress is no longer read") { daemon.statusCount > count }
            daemon.isUnreachable = false
            try await eventually("the connection is back") { browser.isConnected }
            // The progress of a transfer is not reported as a change.
            daemon.change(to: .ended, isNoted: false)
            try await eventually("the upload has gone") { shown(browser).isEmpty }
        }
    }
}

/// Random numbers that depend on a seed only (SplitMix64).
private struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var number = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return number ^ (number >> 31)
    }
}
