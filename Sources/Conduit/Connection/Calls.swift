/// The calls of a connection that have not been answered, in both directions.
struct Calls: ~Copyable {
    /// What becomes of an answer to a call that this side has made.
    struct Receiver: Sendable {
        /// Decodes the reply and hands it to the completion; or hands it the reason why it cannot be decoded.
        let succeed: @Sendable (inout MessageDecoder) -> Void
        let fail: @Sendable (ConduitError) -> Void
        let progress: (@Sendable (_ completed: Int64, _ total: Int64) -> Void)?
    }

    /// What is left when the connection has ended, to be told so.
    struct Ended {
        let pending: [UInt64: Receiver]
        let served: [UInt64: ServedCallRecord]
        let closeHandlers: [@Sendable (CloseReason) -> Void]
    }

    /// Calls made by this side.
    var pending: [UInt64: Receiver] = [:]
    /// Calls made by the other side.
    var served: [UInt64: ServedCallRecord] = [:]
    var closeHandlers: [@Sendable (CloseReason) -> Void] = []
    var closeReason: CloseReason?

    /// Takes everything out, for good; `nil` the second time.
    mutating func end(_ reason: CloseReason) -> Ended? {
        guard closeReason == nil else { return nil }
        closeReason = reason
        defer { (pending, served, closeHandlers) = ([:], [:], []) }
        return Ended(pending: pending, served: served, closeHandlers: closeHandlers)
    }
}
