import LinuxSystem

/// What a connection knows of a call that it serves, whatever the call's type.
final class ServedCallRecord: Sendable {
    private struct State {
        var isAnswered = false
        var isCancelled = false
        var cancelHandlers: [@Sendable () -> Void] = []
    }

    let connection: Connection
    let call: UInt64
    /// The bytes of the request's body and the number of its descriptors, kept until it is answered.
    let bytes: Int
    let descriptorCount: Int
    /// No other lock is taken, and nothing is called, while it is held.
    private let state = Lock(State())

    init(connection: Connection, call: UInt64, bytes: Int, descriptorCount: Int) {
        self.connection = connection
        self.call = call
        self.bytes = bytes
        self.descriptorCount = descriptorCount
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Takes the right to answer, which there is once; `nil` when it is gone.
    private func beginAnswering() -> (isCancelled: Bool, dropped: [@Sendable () -> Void])? {
        state.withLock { state in
            if state.isAnswered { return nil }
            state.isAnswered = true
            // The handlers are given out so that what they hold is destroyed outside of the lock.
            defer { state.cancelHandlers = [] }
            return (state.isCancelled, state.cancelHandlers)
        }
    }

    /// Answers through a function, unless the call has been answered or nobody waits for the answer.
    func answer(_ send: () -> Void) {
        guard let (isCancelled, dropped) = beginAnswering() else { return }
        // The connection's table holds a reference, whose end must not come inside of its lock.
        let own = connection.calls.withLock { $0.takeServed(call) }
        if !isCancelled { send() }
        withExtendedLifetime((own, dropped)) {}
    }

    func fail(_ failure: RemoteFailure) {
        answer { connection.sendFailure(failure, call: call) }
    }

    func report(completed: Int64, total: Int64) {
        let isWaitedFor = state.withLock { !$0.isAnswered && !$0.isCancelled }
        if isWaitedFor { connection.sendProgress(completed: completed, total: total, call: call) }
    }

    /// The caller has given up, or its connection has ended.
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
