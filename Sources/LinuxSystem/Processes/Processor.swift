import CLinux
import Glibc

/// The processors of the machine.
package enum Processor {
    /// Pins the calling thread to one processor, and with it the threads and processes that it starts later.
    package static func pinThread(to processor: Int) throws(Errno) {
        try retrying { clinux_pin_to_processor(CInt(clamping: processor)) }
    }
}
