import CGTK
import Foundation

/// The main thread while windows are shown: GTK's loop, with the main queue and Foundation's run loop served in it, so that tasks of
/// the main actor and timers go on.
@MainActor enum MainLoop {
    private static var isRunning = false

    /// Has GTK's loop run on the main thread for as long as a condition holds. Returns at once.
    static func run(while isWanted: @escaping @MainActor @Sendable () -> Bool) {
        guard !isRunning else { return }
        isRunning = true
        // Not in a block of the main queue, as this may be: the queue would serve no other until it returned.
        RunLoop.main.perform {
            MainActor.assumeIsolated {
                iterate(while: isWanted)
                isRunning = false
            }
        }
    }

    private static func iterate(while isWanted: @MainActor () -> Bool) {
        let queue = g_unix_fd_add(_dispatch_get_main_queue_handle_4CF(), G_IO_IN, { _, _, _ in 1 }, nil)
        defer { g_source_remove(queue) }
        while isWanted() {
            _ = RunLoop.main.run(mode: .default, before: .distantPast)
            guard isWanted() else { return }
            waitForEvent()
        }
    }

    /// Serves GTK; where it has nothing to do, waits until there is something, for it, for the queue or for a timer.
    private static func waitForEvent() {
        let pause = RunLoop.main.limitDate(forMode: .default)?.timeIntervalSinceNow ?? longestPause
        var fired: gboolean = 0
        withUnsafeMutablePointer(to: &fired) { fired in
            let milliseconds = guint((max(0, min(pause, longestPause)) * 1000).rounded(.up))
            let timer = g_timeout_add(
                milliseconds,
                { fired in
                    fired?.assumingMemoryBound(to: gboolean.self).pointee = 1
                    return 0
                }, fired)
            g_main_context_iteration(nil, 1)
            if fired.pointee == 0 { g_source_remove(timer) }
        }
    }

    /// Seconds: what another thread has the run loop perform, it notices then.
    private static let longestPause = 0.5
}
