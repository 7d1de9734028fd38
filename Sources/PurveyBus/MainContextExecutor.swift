import CGIO

/// GLib's default main loop as the executor of an actor. GLib's callbacks and the actor's jobs run on the one thread
/// that runs the loop, the main thread.
final class MainContextExecutor: SerialExecutor {
    static let shared = MainContextExecutor()

    private final class Work {
        let job: UnownedJob

        init(_ job: UnownedJob) { self.job = job }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let work = Unmanaged.passRetained(Work(UnownedJob(job)))
        g_idle_add_full(
            G_PRIORITY_DEFAULT,
            { data in
                guard let data else { return 0 }
                let work = Unmanaged<Work>.fromOpaque(data).takeRetainedValue()
                work.job.runSynchronously(on: MainContextExecutor.shared.asUnownedSerialExecutor())
                return 0
            }, work.toOpaque(), nil)
    }

    func isIsolatingCurrentContext() -> Bool? { g_main_context_is_owner(nil) != 0 }

    func checkIsolated() {
        precondition(g_main_context_is_owner(nil) != 0, "This is done on the thread of GLib's loop only.")
    }

    /// Runs the loop on the calling thread, until the process ends.
    static func run() -> Never {
        g_main_context_acquire(nil)
        while true { g_main_context_iteration(nil, 1) }
    }
}
