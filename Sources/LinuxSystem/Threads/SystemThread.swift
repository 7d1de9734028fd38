import CLinux
import Glibc

/// Threads outside of all pools, for work that must continue even if the pools are blocked.
package enum SystemThread {
    /// Runs a function on a new thread that blocks all signals, so that the program's own threads receive them.
    ///
    /// - Parameter name: the thread's name in debuggers and `top`, 15 bytes at most.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Job(name, body))
        // The new thread inherits a mask that blocks all signals.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        let failure = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Job>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard failure == 0 else {
            context.release()
            throw Errno(rawValue: failure)
        }
        pthread_detach(thread)
    }

    private final class Job: Sendable {
        private let name: String
        private let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        func run() {
            _ = clinux_set_name(name)
            body()
        }
    }
}

/// The processors of the machine.
package enum Processor {
    /// Pins the calling thread to one processor, and with it the threads and processes that it starts later.
    package static func pinThread(to processor: Int) throws(Errno) {
        try retrying { clinux_pin_to_processor(CInt(clamping: processor)) }
    }
}
