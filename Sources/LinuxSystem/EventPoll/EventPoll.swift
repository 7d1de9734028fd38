import CLinux
import Glibc

/// Waits for many descriptors at once (epoll(7)), level-triggered.
///
/// Any thread may add, change and remove; one thread waits. A removed token can still turn up in a batch that was
/// taken before: whoever waits looks tokens up and ignores those it no longer knows.
package struct EventPoll: Sendable {
    /// What a descriptor is ready for, or what is waited for.
    package struct Events: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let readable = Events(rawValue: clinux_epoll_in)
        package static let writable = Events(rawValue: clinux_epoll_out)
        /// Reported whether asked for or not.
        package static let error = Events(rawValue: clinux_epoll_err)
        /// Both directions are closed; reported whether asked for or not.
        package static let hangUp = Events(rawValue: clinux_epoll_hup)

        /// There is something to read, or the end of it. Plain arithmetic: this is asked for every packet.
        package var callForReading: Bool {
            rawValue & (clinux_epoll_in | clinux_epoll_hup | clinux_epoll_err) != 0
        }

        /// The other side has gone.
        package var tellOfTheEnd: Bool { rawValue & (clinux_epoll_hup | clinux_epoll_err) != 0 }

        /// There is room to write.
        package var callForWriting: Bool { rawValue & clinux_epoll_out != 0 }
    }

    /// One descriptor that is ready.
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

    /// The most events one wait gives.
    package static let batchLimit = 64

    /// Waits until something is ready, a signal arrives or the time is over, and appends what is ready.
    ///
    /// - Parameter timeoutMilliseconds: -1 waits without end.
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
