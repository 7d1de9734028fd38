import CGTK
import Foundation

/// The event loop of the main thread while windows are shown: GTK's loop, which also serves the main queue and
/// Foundation's run loop, so that tasks of the main actor and timers continue.
@MainActor enum MainLoop {
    private static var isRunning = false

    /// Starts GTK's loop on the main thread, and returns at once. The loop runs as long as `isWanted` returns `true`.
    static func run(while isWanted: @escaping @MainActor @Sendable () -> Bool) {
        guard !isRunning else { return }
        isRunning = true
        // This function may have been called from a block of the main queue. The loop must not run in that block,
        // because the queue serves no other block until that block returns.
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

    /// Handles events of GTK. If there are none, waits for an event of GTK, the main queue or a timer.
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

    /// The longest wait, in seconds. A block that another thread adds to the run loop starts after at most this time.
    private static let longestPause = 0.5
}
