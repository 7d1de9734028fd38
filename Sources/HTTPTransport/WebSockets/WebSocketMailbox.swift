import LinuxSystem

/// Passes messages between the tasks that use a WebSocket and the WebSocket's thread.
final class WebSocketMailbox: Sendable {
    typealias Received = Result<WebSocket.Message?, HTTPError>
    typealias Done = Result<Void, HTTPError>

    /// Bytes to send, and the task that waits until they are sent.
    struct Outgoing {
        let bytes: [UInt8]
        let continuation: CheckedContinuation<Done, Never>
    }

    private struct State {
        var outgoing: [Outgoing] = []
        var incoming: [WebSocket.Message] = []
        var incomingCount = 0
        var readers: [CheckedContinuation<Received, Never>] = []
        var opener: CheckedContinuation<Done, Never>?
        var closers: [CheckedContinuation<Void, Never>] = []
        var isOpen = false
        var isClosing = false
        var isCancelled = false
        var closure: WebSocket.Closure?
        var end: Done?
    }

    // Leaf lock: continuations are resumed after it is released.
    private let state = Lock(State())
    /// An event counter, which is raised when the thread has work.
    let counter: EventCounter
    private let limit: Int

    private static let longestQueue = 64

    /// Creates an empty mailbox.
    ///
    /// - Parameter limit: the number of bytes of received messages above which no further message is read.
    init(limit: Int) throws(Errno) {
        counter = try EventCounter()
        self.limit = limit
    }

    // MARK: Tasks

    func waitUntilOpen(_ continuation: CheckedContinuation<Done, Never>) {
        let result = state.withLock { state -> Done? in
            if state.isOpen { return .success(()) }
            guard let end = state.end else {
                state.opener = continuation
                return nil
            }
            return end
        }
        if let result { continuation.resume(returning: result) }
    }

    func send(_ frame: [UInt8], _ continuation: CheckedContinuation<Done, Never>) {
        let refusal = state.withLock { state -> HTTPError? in
            if case .failure(let error) = state.end { return error }
            if state.end != nil || state.isClosing { return .closed }
            state.outgoing.append(Outgoing(bytes: frame, continuation: continuation))
            return nil
        }
        if let refusal { return continuation.resume(returning: .failure(refusal)) }
        counter.raise()
    }

    func receive(_ continuation: CheckedContinuation<Received, Never>) {
        let result = state.withLock { state -> Received? in
            if !state.incoming.isEmpty {
                let message = state.incoming.removeFirst()
                state.incomingCount -= message.count
                return .success(message)
            }
            if let end = state.end { return end.map { nil } }
            state.readers.append(continuation)
            return nil
        }
        guard let result else { return }
        continuation.resume(returning: result)
        // The thread may have waited until messages were read.
        counter.raise()
    }

    func close(_ continuation: CheckedContinuation<Void, Never>) {
        let isOver = state.withLock { state in
            state.isClosing = true
            if state.end == nil { state.closers.append(continuation) }
            return state.end != nil
        }
        if isOver { continuation.resume() }
        counter.raise()
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        counter.raise()
    }

    var closure: WebSocket.Closure? { state.withLock { $0.closure } }

    // MARK: Thread

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether a task has requested the end of the connection.
    var isClosing: Bool { state.withLock { $0.isClosing } }

    /// Whether the queue has room for further messages from the connection.
    var hasRoom: Bool {
        state.withLock { $0.incoming.count < Self.longestQueue && $0.incomingCount <= limit }
    }

    func open() {
        let opener = state.withLock { state in
            state.isOpen = true
            return state.opener.take()
        }
        opener?.resume(returning: .success(()))
    }

    func takeOutgoing() -> [Outgoing] {
        state.withLock { state in
            defer { state.outgoing = [] }
            return state.outgoing
        }
    }

    func deliver(_ message: WebSocket.Message) {
        let reader = state.withLock { state -> CheckedContinuation<Received, Never>? in
            if !state.readers.isEmpty { return state.readers.removeFirst() }
            state.incoming.append(message)
            state.incomingCount += message.count
            return nil
        }
        reader?.resume(returning: .success(message))
    }

    func note(_ closure: WebSocket.Closure) { state.withLock { $0.closure = closure } }

    /// Ends the connection for all waiting tasks. Only the first call has an effect.
    func end(_ end: Done) {
        let waiting = state.withLock { state -> State in
            guard state.end == nil else { return State() }
            state.end = end
            defer { (state.outgoing, state.readers, state.opener, state.closers) = ([], [], nil, []) }
            return state
        }
        waiting.opener?.resume(returning: end.flatMap { .failure(.closed) })
        for reader in waiting.readers { reader.resume(returning: end.map { nil }) }
        for outgoing in waiting.outgoing { outgoing.continuation.resume(returning: end.flatMap { .failure(.closed) }) }
        for closer in waiting.closers { closer.resume() }
    }
}

extension WebSocket.Message {
    /// The number of bytes in the message.
    var count: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }
}
