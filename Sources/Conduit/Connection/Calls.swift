/// The calls of a connection that have no reply yet: those that this side made, and those that the other side made.
struct Calls: ~Copyable {
    /// The closures that handle the reply and the progress of a call that this side made.
    struct Receiver: Sendable {
        /// Decodes the reply, and calls the completion handler with the reply, or with the reason why decoding fails.
        let succeed: @Sendable (inout MessageDecoder) -> Void
        let fail: @Sendable (ConduitError) -> Void
        let progress: (@Sendable (_ completed: Int64, _ total: Int64) -> Void)?
    }

    /// The calls and close handlers that must be notified that the connection has ended.
    struct Ended {
        let pending: [UInt64: Receiver]
        let served: [UInt64: ServedCallRecord]
        let closeHandlers: [@Sendable (CloseReason) -> Void]
    }

    /// The calls that this side made, by call number.
    var pending: [UInt64: Receiver] = [:]
    /// The calls that the other side made, by call number.
    private(set) var served: [UInt64: ServedCallRecord] = [:]
    /// The total size, in bytes, of the requests of the calls in `served`.
    private var servedBytes = 0
    private var servedDescriptors = 0
    var closeHandlers: [@Sendable (CloseReason) -> Void] = []
    var closeReason: CloseReason?

    /// The result of checking a request against the limits.
    enum Admission {
        case served
        /// A call with the same number is already being served.
        case repeated
        /// A limit on the calls that are served concurrently is reached.
        case oneTooMany
    }

    /// Records a call of the other side as being served, if the limits allow this.
    mutating func serve(_ record: ServedCallRecord, _ limits: ConnectionLimits) -> Admission {
        if served[record.call] != nil { return .repeated }
        guard served.count < limits.callsInFlight else { return .oneTooMany }
        let (bytes, descriptors) = (servedBytes + record.bytes, servedDescriptors + record.descriptorCount)
        guard served.isEmpty || (bytes <= limits.servedBytes && descriptors <= limits.servedDescriptors) else {
            return .oneTooMany
        }
        served[record.call] = record
        (servedBytes, servedDescriptors) = (bytes, descriptors)
        return .served
    }

    /// Removes and returns the record of a call to which this side is about to reply; `nil` if there is none. The
    /// caller releases the record after it has released the lock.
    mutating func takeServed(_ call: UInt64) -> ServedCallRecord? {
        guard let record = served.removeValue(forKey: call) else { return nil }
        servedBytes -= record.bytes
        servedDescriptors -= record.descriptorCount
        return record
    }

    /// Removes all calls and close handlers, because the connection ends. Returns `nil` if the connection has already
    /// ended.
    mutating func end(_ reason: CloseReason) -> Ended? {
        guard closeReason == nil else { return nil }
        closeReason = reason
        defer {
            (pending, served, closeHandlers) = ([:], [:], [])
            (servedBytes, servedDescriptors) = (0, 0)
        }
        return Ended(pending: pending, served: served, closeHandlers: closeHandlers)
    }
}

/// A call that this side made, and that may have no reply yet.
///
/// This value does not retain the completion handler.
package struct PendingCall: Sendable {
    let connection: Connection
    let call: UInt64

    /// Cancels the call. Runs its completion handler with the error `.cancelled` on the calling thread, and notifies
    /// the other side. Does nothing if the call has already completed. Never blocks.
    package func cancel() {
        connection.cancel(call)
    }
}
