import CLinux
import Glibc
import LinuxSystem

/// A connection or a listener that the event loop serves.
protocol EventSource: AnyObject, Sendable {
    /// Handles events on the source's descriptor, on the loop's thread. Must not block.
    func handle(_ events: EventPoll.Events, _ descriptor: FileDescriptor, buffer: UnsafeMutableRawBufferPointer)
}

/// A thread that serves connections and listeners.
///
/// Handlers, completion handlers and progress closures run serially on this thread, so a closure that blocks delays all
/// other closures. The shared loop ("purvey-conduit") starts with the first connection and never ends. A connection to
/// a confined peer has a separate loop ("purvey-peer"), which ends with the connection, so that decoding the peer's
/// messages does not delay other connections.
final class EventLoop: Sendable {
    private struct State {
        var sources: [UInt64: (source: any EventSource, descriptor: FileDescriptor)] = [:]
        var nextToken: UInt64 = 1
        /// Jobs for the loop's thread, in order.
        var jobs: [@Sendable () -> Void] = []
        /// Delayed jobs, in no particular order. `due` is a time on the monotonic clock, in milliseconds.
        var timers: [(due: Int64, job: @Sendable () -> Void)] = []
        /// Whether the thread of a loop for one peer has started. `hasEnded` says whether it has ended.
        var hasStarted = false
        var hasEnded = false
    }

    /// A leaf lock: while it is held, no other lock is acquired and no closure is called.
    private let state = Lock(State())
    private let poll: EventPoll
    private let wakeUp: EventCounter
    /// Whether the loop serves only one connection, and ends with it.
    private let isOfOnePeer: Bool

    private static let wakeUpToken: UInt64 = 0
    private static let started = Lock<EventLoop?>(nil)

    /// Returns the loop that the connections of this process share. Starts it at the first call. If starting it fails,
    /// the next call tries again.
    static func shared() throws(Errno) -> EventLoop {
        try started.withLock { loop throws(Errno) in
            if let loop { return loop }
            let new = try EventLoop(isOfOnePeer: false)
            try new.start("purvey-conduit")
            loop = new
            return new
        }
    }

    /// Creates a loop for one connection. Its thread starts and ends with the connection.
    static func ofOnePeer() throws(Errno) -> EventLoop { try EventLoop(isOfOnePeer: true) }

    private init(isOfOnePeer: Bool) throws(Errno) {
        self.isOfOnePeer = isOfOnePeer
        poll = try EventPoll()
        wakeUp = try EventCounter()
        try poll.add(wakeUp.descriptor, for: .readable, token: Self.wakeUpToken)
    }
}

// MARK: From any thread

extension EventLoop {
    /// Returns a token that no other source has had.
    func makeToken() -> UInt64 {
        state.withLock { state in
            defer { state.nextToken += 1 }
            return state.nextToken
        }
    }

    /// Begins to serve a source, and retains it until it is removed.
    func add(_ source: any EventSource, _ descriptor: FileDescriptor, token: UInt64) throws(Errno) {
        let isFirst = state.withLock { state in
            state.sources[token] = (source, descriptor)
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        do {
            try poll.add(descriptor, for: .readable, token: token)
            if isOfOnePeer, isFirst { try start("purvey-peer") }
        } catch {
            _ = state.withLock { $0.sources.removeValue(forKey: token) }
            throw error
        }
    }

    /// Stops serving the source with the given token. If called on the loop's thread, the source gets no events after
    /// this call.
    func remove(token: UInt64) {
        guard let removed = state.withLock({ $0.sources.removeValue(forKey: token) }) else { return }
        // Cannot fail: the descriptor was added and is still open.
        try? poll.remove(removed.descriptor)
    }

    /// Sets the events that a source waits for.
    func setEvents(_ events: EventPoll.Events, _ descriptor: FileDescriptor, token: UInt64) {
        // This fails only if the source was removed meanwhile, so that its events do not matter any more.
        try? poll.change(descriptor, to: events, token: token)
    }

    /// Runs a function on the loop's thread, after the functions that were passed to earlier calls.
    func perform(_ job: @escaping @Sendable () -> Void) {
        let (isFirst, hasEnded) = state.withLock { state in
            if state.hasEnded { return (false, true) }
            state.jobs.append(job)
            return (state.jobs.count == 1, false)
        }
        if isFirst { wakeUp.raise() }
        guard hasEnded else { return }
        // If the shared loop cannot be started, no connection uses it, so that any thread may run the job.
        if let shared = try? Self.shared() { shared.perform(job) } else { HandlerThreads.shared.run(job) }
    }

    /// Runs a function on the loop's thread after a delay.
    func perform(afterMilliseconds delay: Int64, _ job: @escaping @Sendable () -> Void) {
        state.withLock { $0.timers.append((Self.now() + delay, job)) }
        wakeUp.raise()
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

// MARK: The thread

extension EventLoop {
    private func start(_ name: String) throws(Errno) {
        try SystemThread.start(name) { self.run() }
    }

    /// Ends this loop if it is the loop of one peer, and has no sources and no jobs. Drops its timers, because timers
    /// of an ended connection have no effect.
    ///
    /// - Returns: whether the loop has ended.
    private func endIfIdle() -> Bool {
        let dropped = state.withLock { state -> [(due: Int64, job: @Sendable () -> Void)]? in
            guard state.sources.isEmpty, state.jobs.isEmpty else { return nil }
            state.hasEnded = true
            defer { state.timers = [] }
            return state.timers
        }
        return dropped != nil
    }

    private func run() {
        // A batch thread does not preempt the thread that wakes it. The sender continues until it waits, instead of
        // being preempted and scheduled once more only to sleep. This saves two context switches per call. If the
        // thread cannot become a batch thread, only this saving is lost.
        _ = clinux_become_batch_thread()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Frame.packetLimit + 1, alignment: 4096)
        defer { buffer.deallocate() }
        var ready: [EventPoll.Event] = []
        ready.reserveCapacity(EventPoll.batchLimit)
        var timeout: CInt = -1
        while true {
            ready.removeAll(keepingCapacity: true)
            do {
                try poll.wait(timeoutMilliseconds: timeout, appendingTo: &ready)
            } catch {
                // Cannot fail: the descriptor is open and owned, and the arguments are constants.
                preconditionFailure("epoll_wait: \(error)")
            }
            for event in ready {
                guard event.token != Self.wakeUpToken else {
                    timeout = runJobs()
                    continue
                }
                // An earlier handler of this batch may have removed the source.
                guard let entry = state.withLock({ $0.sources[event.token] }) else { continue }
                entry.source.handle(event.events, entry.descriptor, buffer: buffer)
            }
            if timeout >= 0 { timeout = runTimers() }
            if isOfOnePeer, endIfIdle() { return }
        }
    }

    /// Runs queued jobs and due timers. Returns the time in milliseconds until the next timer, or -1 if there is none.
    private func runJobs() -> CInt {
        wakeUp.reset()
        let jobs = state.withLock { state in
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { job() }
        return runTimers()
    }

    /// Runs the timers that are due. Returns the time in milliseconds until the next timer, or -1 if there is none.
    private func runTimers() -> CInt {
        let now = Self.now()
        let due = state.withLock { state in
            let due = state.timers.filter { $0.due <= now }
            if !due.isEmpty { state.timers.removeAll { $0.due <= now } }
            return due
        }
        for timer in due.sorted(by: { $0.due < $1.due }) { timer.job() }
        let next = state.withLock { $0.timers.map(\.due).min() }
        return next.map { CInt(clamping: max(0, $0 - Self.now())) } ?? -1
    }
}
