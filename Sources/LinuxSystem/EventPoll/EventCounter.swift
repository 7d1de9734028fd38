import CLinux
import Glibc

/// A descriptor that becomes readable when a thread raises it (eventfd(2)), to wake a thread that waits in a poll.
package struct EventCounter: Sendable {
    package let descriptor: FileDescriptor

    package init() throws(Errno) {
        descriptor = FileDescriptor(owning: try retrying { clinux_eventfd() })
    }

    /// Makes the descriptor readable. Never blocks.
    package func raise() {
        // EAGAIN means that the counter is at its maximum, so the descriptor is readable already.
        _ = try? withUnsafeBytes(of: UInt64(1)) { bytes in try descriptor.write(bytes) }
    }

    /// Makes the descriptor unreadable again.
    package func reset() {
        // EAGAIN means that it was not raised.
        var value: UInt64 = 0
        _ = try? withUnsafeMutableBytes(of: &value) { bytes in try descriptor.read(into: bytes) }
    }
}
