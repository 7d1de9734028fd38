import Glibc
package import LinuxSystem

extension SequencedPacketSocket {
    package enum Readiness: Sendable { case packets, room }

    /// Waits until there is a packet or the end of the connection to receive, or space to send.
    ///
    /// - Returns: Whether that happened before the deadline.
    package func waits(for readiness: Readiness, until end: ContinuousClock.Instant) throws(Errno) -> Bool {
        let events = readiness == .packets ? POLLIN : POLLOUT
        var waited = pollfd(fd: descriptor.rawValue, events: CShort(events), revents: 0)
        let left = (end - .now) / .milliseconds(1)
        return try retrying { poll(&waited, 1, CInt(min(max(0, left.rounded(.up)), 1e9))) } > 0
    }
}
