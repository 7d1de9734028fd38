import CLinux
import Glibc

/// Takes signals where descriptors are waited for (signalfd(2)).
package struct SignalDescriptor: Sendable {
    /// Readable while a signal waits.
    package let descriptor: FileDescriptor

    /// Blocks the signals in this thread and in those that it makes from now on.
    package init(blocking numbers: [CInt]) throws(Errno) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        let failure = pthread_sigmask(SIG_BLOCK, &signals, nil)
        guard failure == 0 else { throw Errno(rawValue: failure) }
        descriptor = FileDescriptor(owning: try retrying { clinux_signal_descriptor(&signals) })
    }

    /// Takes a signal that waits; `nil` when there is none.
    package func take() -> CInt? {
        let number = clinux_take_signal(descriptor.rawValue)
        return number > 0 ? number : nil
    }
}
