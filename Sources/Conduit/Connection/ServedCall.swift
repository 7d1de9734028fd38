/// A call that the other side has made, from its arrival to its answer.
///
/// It is answered exactly once: a second answer is ignored, and letting go of it without one answers the caller with
/// an error that says so. Any thread may use it.
package final class ServedCall<C: Call>: Sendable {
    private let record: ServedCallRecord

    init(_ record: ServedCallRecord) {
        self.record = record
    }

    deinit {
        record.fail(RemoteFailure(.unanswered, "no answer was given"))
    }

    /// The connection the call came from.
    package var connection: Connection { record.connection }

    /// Whether the caller has given up or its connection has ended. An answer is then not sent.
    package var isCancelled: Bool { record.isCancelled }

    /// Answers. A reply that cannot be sent (too large, too many descriptors) reaches the caller as an error.
    package func reply(_ reply: C.Reply) {
        record.answer {
            do throws(ConduitError) {
                try record.connection.send(.reply, call: record.call, body: reply)
            } catch {
                record.connection.sendFailure(
                    RemoteFailure(.replyNotSent, "the answer could not be sent: \(error)"), call: record.call)
            }
        }
    }

    /// Answers with an error.
    package func fail(_ failure: RemoteFailure) {
        record.fail(failure)
    }

    /// Answers with an error.
    package func fail(domain: String, code: Int64, message: String, underlying: String? = nil) {
        fail(RemoteFailure(domain: domain, code: code, message: message, underlying: underlying))
    }

    /// Tells the caller how far the work is, in whatever unit the call defines. When the caller is slow to read, only
    /// the newest report is sent.
    package func report(completed: Int64, total: Int64) {
        record.report(completed: completed, total: total)
    }

    /// Calls a function if the caller gives up or its connection ends before the answer: on the connections' thread,
    /// or at once when it has happened already.
    package func onCancel(_ handler: @escaping @Sendable () -> Void) {
        record.onCancel(handler)
    }
}

extension ServedCall where C.Reply == Empty {
    /// Answers that it was done.
    package func reply() {
        reply(Empty())
    }
}
