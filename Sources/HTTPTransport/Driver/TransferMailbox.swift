import LinuxSystem

/// The commands for the thread that runs a client's transfers.
final class TransferMailbox: Sendable {
    enum Command: Sendable {
        /// Starts a transfer, unless the flag is set.
        case start(TransferID, TransferPlan, isCancelled: CancellationFlag, @Sendable (TransferOutcome) -> Void)
        case cancel(TransferID)
        /// Continues a transfer whose stream was full.
        case resume(TransferID)
        case limit(download: Int?, upload: Int?)
    }

    private struct State {
        var commands: [Command] = []
        var isClosed = false
        var lastID: TransferID = 0
    }

    // Leaf lock.
    private let state = Lock(State())
    /// An event counter, which is raised when commands have arrived.
    let counter: EventCounter

    init() throws(Errno) { counter = try EventCounter() }

    func nextID() -> TransferID {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Passes a command to the thread.
    ///
    /// - Returns: Whether the thread will carry out the command; `false` after ``close()``.
    @discardableResult
    func send(_ command: Command) -> Bool {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.commands.append(command) }
            return !state.isClosed
        }
        if isOpen { counter.raise() }
        return isOpen
    }

    /// Ends the thread and all transfers.
    func close() {
        state.withLock { $0.isClosed = true }
        counter.raise()
    }

    /// Closes the mailbox of a client whose ``TransferLoop`` could not be created. All commands fail.
    func refuseAll() {
        close()
        for case .start(_, _, _, let complete) in take().commands { complete(.failure(.outOfMemory)) }
    }

    /// Removes and returns the commands that have arrived so far. Also returns whether the mailbox is closed.
    func take() -> (commands: [Command], isClosed: Bool) {
        counter.reset()
        return state.withLock { state in
            defer { state.commands = [] }
            return (state.commands, state.isClosed)
        }
    }
}

/// A flag that is set when a task is cancelled, even before its transfer begins.
final class CancellationFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
