/// A call that the other side made, from its arrival to the reply.
///
/// The call gets exactly one reply. A second reply is ignored. If this object is released without a reply, the caller
/// gets an error. Any thread may use the object.
package final class ServedCall<C: Call>: Sendable {
    private let record: ServedCallRecord

    init(_ record: ServedCallRecord) {
        self.record = record
    }

    deinit {
        record.fail(RemoteError(.unanswered, "no answer was given"))
    }

    /// The connection that the call came from.
    package var connection: Connection { record.connection }

    /// Whether the caller has cancelled the call, or its connection has ended. In both cases, no reply is sent.
    package var isCancelled: Bool { record.isCancelled }

    /// Sends the reply. If the reply is too large or has too many descriptors, the caller gets an error instead.
    package func reply(_ reply: C.Reply) {
        record.answer {
            do throws(ConduitError) {
                try record.connection.send(.reply, call: record.call, body: reply)
            } catch {
                record.connection.sendFailure(
                    RemoteError(.replyNotSent, "the answer could not be sent: \(error)"), call: record.call)
            }
        }
    }

    /// Replies with an error.
    package func fail(_ failure: RemoteError) {
        record.fail(failure)
    }

    /// Replies with an error.
    package func fail(domain: String, code: Int64, message: String, underlying: String? = nil) {
        fail(RemoteError(domain: domain, code: code, message: message, underlying: underlying))
    }

    /// Reports progress to the caller, in a unit that the call defines. If the caller reads slowly, only the latest
    /// report is sent.
    package func report(completed: Int64, total: Int64) {
        record.report(completed: completed, total: total)
    }

    /// Sets a function that is called if the caller cancels the call, or if the caller's connection ends, before the
    /// reply is sent. The function runs on the thread that serves connections. If the call is already cancelled, the
    /// function runs immediately, on the calling thread.
    package func onCancel(_ handler: @escaping @Sendable () -> Void) {
        record.onCancel(handler)
    }
}

extension ServedCall where C.Reply == Empty {
    /// Sends an empty reply.
    package func reply() {
        reply(Empty())
    }
}
