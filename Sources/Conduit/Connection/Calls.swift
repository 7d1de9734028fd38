/// The calls of a connection that have no reply yet, in both directions.
struct Calls: ~Copyable {
    /// The closures that receive the reply to a call of this side.
    struct Receiver: Sendable {
        /// The function that decodes the reply and calls the completion handler with it, or with the reason why
        /// decoding fails.
        let succeed: @Sendable (inout MessageDecoder) -> Void
        let fail: @Sendable (ConduitError) -> Void
        let progress: (@Sendable (_ completed: Int64, _ total: Int64) -> Void)?
    }

    /// The calls and handlers that must be notified because the connection has ended.
    struct Ended {
        let pending: [UInt64: Receiver]
        let served: [UInt64: ServedCallRecord]
        let closeHandlers: [@Sendable (CloseReason) -> Void]
    }

    /// Calls that this side made.
    var pending: [UInt64: Receiver] = [:]
    /// Calls that the other side made.
    private(set) var served: [UInt64: ServedCallRecord] = [:]
    /// The number of bytes and descriptors in the requests of these calls.
    private var servedBytes = 0
    private var servedDescriptors = 0
    var closeHandlers: [@Sendable (CloseReason) -> Void] = []
    var closeReason: CloseReason?

    /// The result of admitting a request.
    enum Admission {
        case served
        /// A call with the same number is already being served.
        case repeated
        /// A limit on the calls that are served concurrently is reached.
        case oneTooMany
    }

    /// Admits a call if the limits allow that.
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

    /// Removes and returns the record of a call that is being replied to. The caller destroys it outside of the lock.
    mutating func takeServed(_ call: UInt64) -> ServedCallRecord? {
        guard let record = served.removeValue(forKey: call) else { return nil }
        servedBytes -= record.bytes
        servedDescriptors -= record.descriptorCount
        return record
    }

    /// Removes all calls and close handlers, because the connection ends. Returns `nil` from the second call on.
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

/// A call of this side that may have no reply yet.
///
/// It does not retain the completion handler.
package struct PendingCall: Sendable {
    let connection: Connection
    let call: UInt64

    /// Cancels the call. Its completion handler runs with `.cancelled` on this thread before this function returns,
    /// and the other side is notified. Does nothing after the call has completed. Never blocks.
    package func cancel() {
        connection.cancel(call)
    }
}
