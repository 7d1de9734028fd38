import CLinux
import Glibc

/// A poll of many descriptors at once (epoll(7)), level-triggered.
///
/// Any thread may add, change and remove descriptors; one thread waits. A removed token can still appear in a batch
/// that was returned before, so the waiting thread must ignore unknown tokens.
package struct EventPoll: Sendable {
    /// The events that a descriptor is ready for, or that are waited for.
    package struct Events: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let readable = Events(rawValue: clinux_epoll_in)
        package static let writable = Events(rawValue: clinux_epoll_out)
        /// Always reported, without being requested.
        package static let error = Events(rawValue: clinux_epoll_err)
        /// Both directions are closed. Always reported, without being requested.
        package static let hangUp = Events(rawValue: clinux_epoll_hup)

        /// Whether data or the end of input can be read. Plain arithmetic, since it is called for every packet.
        package var callForReading: Bool {
            rawValue & (clinux_epoll_in | clinux_epoll_hup | clinux_epoll_err) != 0
        }

        /// Whether the other side has gone.
        package var tellOfTheEnd: Bool { rawValue & (clinux_epoll_hup | clinux_epoll_err) != 0 }

        /// Whether there is room to write.
        package var callForWriting: Bool { rawValue & clinux_epoll_out != 0 }
    }

    /// The events of one descriptor that is ready.
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

    /// Waits for events, a signal or the timeout, and appends the events.
    ///
    /// - Parameter timeoutMilliseconds: -1 waits without a timeout.
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
