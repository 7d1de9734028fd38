import CLinux
import Glibc

/// A descriptor that receives signals (signalfd(2)), for use in a poll.
package struct SignalDescriptor: Sendable {
    /// Readable while a signal is pending.
    package let descriptor: FileDescriptor

    /// Blocks the signals in this thread, and in threads that it creates later.
    package init(blocking numbers: [CInt]) throws(Errno) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        let failure = pthread_sigmask(SIG_BLOCK, &signals, nil)
        guard failure == 0 else { throw Errno(rawValue: failure) }
        descriptor = FileDescriptor(owning: try retrying { clinux_signal_descriptor(&signals) })
    }

    /// Returns and removes a pending signal, or returns `nil` if there is none.
    package func take() -> CInt? {
        let number = clinux_take_signal(descriptor.rawValue)
        return number > 0 ? number : nil
    }
}
