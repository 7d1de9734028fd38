/// A call that this side has made and that may not have been answered yet.
///
/// It holds nothing of the caller's: keeping it does not keep the completion alive.
package struct PendingCall: Sendable {
    let connection: Connection
    let call: UInt64

    /// Gives the call up: its completion runs with `.cancelled` before this returns, on this thread, and the other
    /// side is told. Does nothing once the call has completed. Never waits, whatever the other side does.
    package func cancel() {
        connection.cancel(call)
    }
}
