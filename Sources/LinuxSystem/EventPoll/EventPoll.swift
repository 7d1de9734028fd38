import CLinux
import Glibc

/// A poll of many descriptors at once (epoll(7)), level-triggered.
///
/// Any thread may add, change and remove descriptors. Only one thread may wait. After a descriptor was removed, its
/// token can still be in events that were returned earlier, so the waiting thread must ignore unknown tokens.
package struct EventPoll: Sendable {
    /// The events that a descriptor is ready for, or that a caller waits for.
    package struct Events: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let readable = Events(rawValue: clinux_epoll_in)
        package static let writable = Events(rawValue: clinux_epoll_out)
        /// An error has occurred. This event is always reported, even if it is not requested.
        package static let error = Events(rawValue: clinux_epoll_err)
        /// Both directions are closed. This event is always reported, even if it is not requested.
        package static let hangUp = Events(rawValue: clinux_epoll_hup)

        /// Whether data or the end of input can be read. The implementation uses plain bit operations, because this
        /// property is read for every packet.
        package var callForReading: Bool {
            rawValue & (clinux_epoll_in | clinux_epoll_hup | clinux_epoll_err) != 0
        }

        /// Whether the peer has closed the connection, or an error has occurred.
        package var tellOfTheEnd: Bool { rawValue & (clinux_epoll_hup | clinux_epoll_err) != 0 }

        /// Whether there is space to write data.
        package var callForWriting: Bool { rawValue & clinux_epoll_out != 0 }
    }

    /// A descriptor that is ready, by its token, and the events that it is ready for.
    package struct Event: Sendable {
        package let token: UInt64
        package let events: Events
    }

    private let descriptor: FileDescriptor

    package init() throws(Errno) {
        descriptor = FileDescriptor(owning: try retrying { clinux_epoll_create() })
    }

    package func add(_ file: FileDescriptor, for events: Events, token: UInt64) throws(Errno) {
        try retrying { clinux_epoll_add(descriptor.rawValue, file.rawValue, events.rawValue, token) }
    }

    package func change(_ file: FileDescriptor, to events: Events, token: UInt64) throws(Errno) {
        try retrying { clinux_epoll_modify(descriptor.rawValue, file.rawValue, events.rawValue, token) }
    }

    package func remove(_ file: FileDescriptor) throws(Errno) {
        try retrying { clinux_epoll_remove(descriptor.rawValue, file.rawValue) }
    }

    /// The maximum number of events that one wait returns.
    package static let batchLimit = 64

    /// Waits for events, a signal or the timeout, and appends the events to `ready`.
    ///
    /// - Parameter timeoutMilliseconds: the timeout in milliseconds; -1 to wait without a timeout.
    package func wait(timeoutMilliseconds: CInt, appendingTo ready: inout [Event]) throws(Errno) {
        let failure: Errno? = withUnsafeTemporaryAllocation(of: clinux_event.self, capacity: Self.batchLimit) { batch in
            let count = clinux_epoll_wait(
                descriptor.rawValue, batch.baseAddress, CInt(Self.batchLimit), timeoutMilliseconds)
            if count < 0 { return .current }
            for event in batch[..<Int(count)] {
                ready.append(Event(token: event.data, events: Events(rawValue: event.events)))
            }
            return nil
        }
        if let failure, failure != .interrupted { throw failure }
    }
}

/// A counter with a descriptor that becomes readable when a thread raises the counter (eventfd(2)). The readable
/// descriptor wakes a thread that waits for it in a poll.
package struct EventCounter: Sendable {
    package let descriptor: FileDescriptor

    package init() throws(Errno) {
        descriptor = FileDescriptor(owning: try retrying { clinux_eventfd() })
    }

    /// Raises the counter, which makes the descriptor readable. Never blocks.
    package func raise() {
        // EAGAIN means that the counter is at its maximum, so the descriptor is readable already.
        _ = try? withUnsafeBytes(of: UInt64(1)) { bytes in try descriptor.write(bytes) }
    }

    /// Resets the counter, so that the descriptor is not readable until the counter is raised again.
    package func reset() {
        // EAGAIN means that the counter was not raised.
        var value: UInt64 = 0
        _ = try? withUnsafeMutableBytes(of: &value) { bytes in try descriptor.read(into: bytes) }
    }
}

/// A descriptor that receives signals (signalfd(2)), for use in a poll.
package struct SignalDescriptor: Sendable {
    /// The descriptor. It is readable while a signal is pending.
    package let descriptor: FileDescriptor

    /// Creates a descriptor for the given signals. Blocks these signals in the calling thread, and in threads that it
    /// creates later.
    package init(blocking numbers: [CInt]) throws(Errno) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        let failure = pthread_sigmask(SIG_BLOCK, &signals, nil)
        guard failure == 0 else { throw Errno(rawValue: failure) }
        descriptor = FileDescriptor(owning: try retrying { clinux_signal_descriptor(&signals) })
    }

    /// Removes and returns a pending signal; `nil` if there is none.
    package func take() -> CInt? {
        let number = clinux_take_signal(descriptor.rawValue)
        return number > 0 ? number : nil
    }
}

/// The treatment of signals by this process.
package enum SignalDisposition {
    /// Whether the given signal is ignored, as SIGHUP is in a process that nohup(1) has started.
    package static func isIgnored(_ signal: CInt) -> Bool { clinux_is_ignored(signal) != 0 }
}
