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
