import CAdwaita
import FileBrowser
import FileProviderGTK

/// The measurement of the window's speed: the time to open a folder, to draw a frame while the user scrolls, and to
/// show the results of a search.
///
/// Each duration ends when a frame with the result has been drawn. It is printed on a line of its own: its name, a tab,
/// and the number of seconds.
@MainActor final class Measurement {
    private enum Name: String {
        /// The time from the opening of a folder until its first rows are drawn (`rows`), and until all its items are
        /// listed (`folder`).
        case rows, folder
        /// The time to draw a frame.
        case frame
        /// The time from a key to the results of the search.
        case search
    }

    /// The folders to open, and the word to search for.
    struct Plan {
        let domain: String
        /// The paths of the folders that are opened. The last one is also scrolled.
        let folders: [String]
        /// A word that is searched for in all domains, typed character by character.
        let word: String
    }

    private let window: BrowserWindow
    private var browser: Browser { window.browser }
    /// The `GdkFrameClock`, which exists once the window is realized.
    private var clock: OpaquePointer?
    private var waiting: (isDone: () -> Bool, continuation: CheckedContinuation<gint64, Never>)?
    /// The instant at which the drawing of the current frame began, in microseconds.
    private var frameStart: gint64 = 0
    /// The durations of the drawing of all frames, in microseconds.
    private var frames: [gint64] = []

    private init(_ window: BrowserWindow) { self.window = window }

    /// Opens the folders of a plan, scrolls, and searches, and measures each of these.
    static func run(_ window: BrowserWindow, _ plan: Plan) async {
        let measurement = Measurement(window)
        measurement.present()
        window.browser.begin(at: .folder(domain: plan.domain, path: ""))
        await measurement.drawn { [browser = window.browser] in browser.listing.count > 0 }
        for folder in plan.folders { await measurement.open(folder, of: plan.domain) }
        await measurement.scroll()
        await measurement.search(plan.word)
    }

    private static func report(_ name: Name, _ microseconds: gint64) {
        print(name.rawValue, Double(microseconds) / 1e6, separator: "\t")
    }

    // MARK: Frames

    private func present() {
        gtk_window_present(window.window)
        guard let clock = gtk_widget_get_frame_clock(window.window.object(as: GtkWidget.self)) else { return }
        self.clock = clock
        onSignal("before-paint", of: clock) { [weak self] in self?.frameStart = g_get_monotonic_time() }
        onSignal("after-paint", of: clock) { [weak self] in self?.frameEnded() }
    }

    private func frameEnded() {
        let now = g_get_monotonic_time()
        frames.append(now - frameStart)
        guard let waiting else { return }
        if waiting.isDone() {
            self.waiting = nil
            waiting.continuation.resume(returning: now)
        } else {
            requestFrame()
        }
    }

    private func requestFrame() { gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_PAINT) }

    /// Requests frames until a condition holds at the end of a frame.
    ///
    /// - Returns: The instant at which that frame ended, in microseconds. The caller may run later.
    @discardableResult private func drawn(_ isDone: @escaping () -> Bool) async -> gint64 {
        await withCheckedContinuation { continuation in
            waiting = (isDone, continuation)
            requestFrame()
        }
    }

    // MARK: Measurements

    private static let repetitions = 7

    /// Opens a folder repeatedly. Measures each time except the first, because the provider may still have to enumerate
    /// the folder then.
    private func open(_ path: String, of domain: String) async {
        let browser = browser
        for repetition in 0...Self.repetitions {
            let start = g_get_monotonic_time()
            browser.go(to: .folder(domain: domain, path: path))
            let rows = await drawn { browser.listing.count > 0 }
            let end = await drawn { !browser.isLoading }
            if repetition > 0 {
                Self.report(.rows, rows - start)
                Self.report(.folder, end - start)
            }
            guard repetition < Self.repetitions else { return }
            browser.goBack()
            await drawn { !browser.isLoading }
        }
    }

    private static let scrolledFrames = 300

    /// Scrolls through the current folder, half a page in each frame. Measures the drawing of each frame.
    private func scroll() async {
        frames = []
        for number in 0..<Self.scrolledFrames {
            guard let adjustment = window.items.verticalAdjustment else { return }
            // Some of the steps go far, as if the user dragged the handle of the scroll bar.
            let far = number % 30 == 29 ? gtk_adjustment_get_upper(adjustment) / 20 : 0
            let step = gtk_adjustment_get_page_size(adjustment) / 2 + far
            gtk_adjustment_set_value(adjustment, gtk_adjustment_get_value(adjustment) + step)
            var hasDrawn = false
            await drawn {
                defer { hasDrawn = true }
                return !hasDrawn
            }
        }
        for frame in frames { Self.report(.frame, frame) }
    }

    /// Types a word in the search entry. Measures the time from each character to its results.
    private func search(_ word: String) async {
        let browser = browser
        browser.go(to: .recents)
        await drawn { !browser.isLoading }
        window.setSearching(true)
        for end in word.indices {
            let text = String(word[...end])
            let start = g_get_monotonic_time()
            gtk_editable_set_text(window.searchEntry.opaque, text)
            let end = await drawn {
                browser.location == .search(text: text, domain: nil) && !browser.hasFormerResults
                    && browser.listing.count > 0
            }
            Self.report(.search, end - start)
        }
    }
}
