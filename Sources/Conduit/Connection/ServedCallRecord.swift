import LinuxSystem

/// The state of a served call that does not depend on the call's type.
final class ServedCallRecord: Sendable {
    private struct State {
        var isAnswered = false
        var isCancelled = false
        var cancelHandlers: [@Sendable () -> Void] = []
    }

    let connection: Connection
    let call: UInt64
    /// The size in bytes of the request's body. This size and the number of descriptors count towards the limits until
    /// the reply.
    let bytes: Int
    let descriptorCount: Int
    /// A leaf lock: while it is held, no other lock is acquired and no closure is called.
    private let state = Lock(State())

    init(connection: Connection, call: UInt64, bytes: Int, descriptorCount: Int) {
        self.connection = connection
        self.call = call
        self.bytes = bytes
        self.descriptorCount = descriptorCount
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Marks the call as answered, so that only one reply is sent. Returns `nil` if the call was already marked.
    private func beginAnswering() -> (isCancelled: Bool, dropped: [@Sendable () -> Void])? {
        state.withLock { state in
            if state.isAnswered { return nil }
            state.isAnswered = true
            // The handlers are returned, so that they are destroyed outside of the lock.
            defer { state.cancelHandlers = [] }
            return (state.isCancelled, state.cancelHandlers)
        }
    }

    /// Calls a function that sends the reply, unless the call was already answered or cancelled.
    func answer(_ send: () -> Void) {
        guard let (isCancelled, dropped) = beginAnswering() else { return }
        // The last reference may be in the connection's table. It must not be released under the table's lock.
        let own = connection.calls.withLock { $0.takeServed(call) }
        if !isCancelled { send() }
        withExtendedLifetime((own, dropped)) {}
    }

    func fail(_ failure: RemoteError) {
        answer { connection.sendFailure(failure, call: call) }
    }

    func report(completed: Int64, total: Int64) {
        let isWaitedFor = state.withLock { !$0.isAnswered && !$0.isCancelled }
        if isWaitedFor { connection.sendProgress(completed: completed, total: total, call: call) }
    }

    /// Marks the call as cancelled, by the caller or because the connection has ended. Runs the handlers that
    /// `onCancel` has set.
    func cancel() {
        let handlers: [@Sendable () -> Void] = state.withLock { state in
            if state.isAnswered || state.isCancelled { return [] }
            state.isCancelled = true
            defer { state.cancelHandlers = [] }
            return state.cancelHandlers
        }
        for handler in handlers { handler() }
    }

    func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if !state.isAnswered && !state.isCancelled { state.cancelHandlers.append(handler) }
            return state.isCancelled && !state.isAnswered
        }
        if isCancelled { handler() }
    }
}
