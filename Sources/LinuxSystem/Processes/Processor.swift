import CLinux
import Glibc

/// The processors of the machine.
package enum Processor {
    /// Keeps the calling thread on one processor, and with it the threads and processes that it starts from now on.
    package static func pinThread(to processor: Int) throws(Errno) {
        try retrying { clinux_pin_to_processor(CInt(clamping: processor)) }
    }
}
