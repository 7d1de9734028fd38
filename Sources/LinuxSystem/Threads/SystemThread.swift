import CLinux
import Glibc

/// Creates threads outside of all thread pools, for work that must continue even if the threads of the pools are
/// blocked.
package enum SystemThread {
    /// Runs a function on a new thread. The thread blocks all signals, so that other threads of the program receive
    /// them.
    ///
    /// - Parameter name: the thread's name, which debuggers and `top` show: at most 15 bytes.
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

/// Pins threads to processors of the machine.
package enum Processor {
    /// Pins the calling thread to the processor with the given number. Threads and processes that it starts later are
    /// pinned to the same processor.
    package static func pinThread(to processor: Int) throws(Errno) {
        try retrying { clinux_pin_to_processor(CInt(clamping: processor)) }
    }
}
