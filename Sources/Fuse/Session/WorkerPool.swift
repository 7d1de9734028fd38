import CFuse
import Glibc
import LinuxSystem
import Synchronization

/// The worker pool that serves a session.
///
/// One thread is the leader: it waits for requests and serves them itself. Therefore a single program, which sends one
/// request after the other, is served by a thread that is awake or has just gone to sleep (``AdaptiveSpin``). If
/// several threads waited, the kernel would wake them in turn, each on a sleeping processor. Such a wake-up takes twice
/// as long as a small request.
///
/// Other threads help under load. When the leader begins to serve a request and further requests are waiting, it wakes
/// a helper. The helper serves requests until none is waiting. A leader that has served one request for a millisecond
/// is blocked or busy, and another thread takes the lead.
final class WorkerPool: Sendable {
    private struct State {
        /// The idle threads, the most recently active one last.
        var idle: [Worker] = []
        var threads = 0
        /// The number of the newest thread.
        var lastNumber = 0
        /// Whether a thread was started as the next leader but does not run yet.
        var awaitsLeader = false
        var hasEnded = false
    }

    /// A worker thread.
    private final class Worker: Sendable {
        let number: Int
        let wakeUp = Semaphore()

        init(_ number: Int) { self.number = number }
    }

    /// The leading thread's number, and whether this thread is serving a request. Both are in one word, so that a
    /// former leader cannot change the state of the next leader.
    private struct Lead: RawRepresentable, AtomicRepresentable {
        let rawValue: Int

        init(rawValue: Int) { self.rawValue = rawValue }

        init(of worker: Worker, isServing: Bool) { rawValue = worker.number << 1 | (isServing ? 1 : 0) }

        func isOf(_ worker: Worker) -> Bool { rawValue >> 1 == worker.number }

        var isServing: Bool { rawValue & 1 == 1 }
    }

    private let session: Session
    private let fileSystem: any FileSystem
    private let dispatcher: Dispatcher
    private let options: MountOptions
    /// The leader's channel, whose reads block.
    private let main: DeviceChannel
    /// The channel of the helpers, whose reads do not block. If the kernel does not provide such a channel, this is
    /// `nil`, and the other threads only serve as leaders.
    private let extra: DeviceChannel?
    // Leaf lock: threads are started and woken after it is released.
    private let state = Lock(State())
    private let leader = Atomic(Lead(rawValue: 0))

    /// The number of requests that leaders have begun to serve.
    private let begun = Atomic<UInt64>(0)
    private let isWatched = Atomic(true)
    private let watcherWakeUp = Semaphore()

    /// The factor by which the number of threads may exceed ``MountOptions/threads``, so that blocked leaders can be
    /// replaced.
    private static let reserveFactor = 8
    private static let watchInterval: UInt32 = 1000
    /// The number of watch intervals without a request after which the thread that watches the leader sleeps until the
    /// next request.
    private static let watchLimit = 50

    static func bufferSize(_ options: MountOptions) -> Int {
        max(options.largestWrite, 64 << 10) + 4096
    }

    init(_ session: Session, _ fileSystem: any FileSystem, _ options: MountOptions) {
        self.session = session
        self.fileSystem = fileSystem
        self.options = options
        dispatcher = Dispatcher(fileSystem)
        let requests = session.requests
        let buffers = BufferPool(size: max(options.largestRead, 64 << 10))
        main = DeviceChannel(session.device, requests: requests, buffers: buffers)
        extra = session.extraDevice.map { DeviceChannel($0, requests: requests, buffers: buffers) }
    }

    /// Starts serving. If this function throws an error, it has called ``FileSystem/end()``.
    func start() throws(Errno) {
        do throws(Errno) {
            // The watching thread is started first, because without it, a handler that blocks would block all requests.
            try options.startThread("fuse-watch") { self.watchLeader() }
        } catch {
            endThread()
            throw error
        }
        do throws(Errno) {
            try startThread(leading: true)
        } catch {
            endIdleThreads()
            session.hasEnded.wait()
            throw error
        }
    }

    /// Starts a thread.
    ///
    /// - Parameter leading: whether the thread becomes the leader when it runs. The current leader continues until
    ///   then, because the start may fail.
    private func startThread(leading: Bool) throws(Errno) {
        let worker = state.withLock { state in
            state.threads += 1
            state.lastNumber += 1
            if leading { state.awaitsLeader = true }
            return Worker(state.lastNumber)
        }
        do throws(Errno) {
            try options.startThread("fuse-\(worker.number)") { self.run(worker, leading: leading) }
        } catch {
            state.withLock { state in
                state.threads -= 1
                if leading { state.awaitsLeader = false }
            }
            throw error
        }
    }

    // MARK: A thread

    private func run(_ worker: Worker, leading: Bool) {
        if leading {
            state.withLock { state in
                state.awaitsLeader = false
                setLeader(worker)
            }
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize(options), alignment: 4096)
        defer { buffer.deallocate() }
        // The pages of the buffer are allocated now. Otherwise, if a thread is killed while the kernel copies a request
        // into the buffer, page faults may get no memory. The kernel would then fail the request with EIO, although the
        // next process could serve it. This is a best effort, so a failure is ignored.
        _ = madvise(buffer.baseAddress, buffer.count, MADV_POPULATE_WRITE)
        while true {
            let continues =
                if leads(worker) {
                    lead(worker, buffer)
                } else if let extra {
                    help(extra, buffer)
                } else {
                    true
                }
            guard continues, waitUntilNeeded(worker) else { break }
        }
        end()
    }

    /// Serves requests until another thread is the leader.
    ///
    /// - Returns: `false` if the session has ended.
    private func lead(_ worker: Worker, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        var spin = AdaptiveSpin()
        while leads(worker) {
            spin.waitForRequest { isRequestWaiting }
            let arrival = read(main, buffer)
            spin.requestArrived()
            switch arrival {
            case .ended: return false
            case .nothing: continue
            case .request(let request):
                begun.wrappingAdd(1, ordering: .sequentiallyConsistent)
                updateLead(of: worker, isServing: true)
                if !isWatched.load(ordering: .sequentiallyConsistent), beginsWatch() { watcherWakeUp.signal() }
                if Self.takesLong(request), isRequestWaiting { wakeHelper() }
                let continues = dispatcher.serve(request, on: main)
                updateLead(of: worker, isServing: false)
                if !continues { return false }
            }
        }
        return true
    }

    private func leads(_ worker: Worker) -> Bool { leader.load(ordering: .acquiring).isOf(worker) }

    /// Updates the leader's state. Does nothing if another thread leads by now.
    private func updateLead(of worker: Worker, isServing: Bool) {
        _ = leader.compareExchange(
            expected: Lead(of: worker, isServing: !isServing), desired: Lead(of: worker, isServing: isServing),
            ordering: .sequentiallyConsistent)
    }

    /// Serves until no request waits.
    private func help(_ channel: DeviceChannel, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        while true {
            switch read(channel, buffer) {
            case .ended: return false
            case .nothing: return true
            case .request(let request):
                if isRequestWaiting { wakeHelper() }
                if !dispatcher.serve(request, on: channel) { return false }
            }
        }
    }

    /// Waits until the thread is needed.
    ///
    /// - Returns: `false` if the session has ended.
    private func waitUntilNeeded(_ worker: Worker) -> Bool {
        let isIdle = state.withLock { state in
            // The thread does not sleep if it has become the leader meanwhile.
            guard !state.hasEnded, !leads(worker) else { return false }
            state.idle.append(worker)
            return true
        }
        if isIdle { worker.wakeUp.wait() }
        return state.withLock { !$0.hasEnded }
    }

    private enum Arrival {
        case request(Request)
        case nothing
        case ended
    }

    private func read(_ channel: DeviceChannel, _ buffer: UnsafeMutableRawBufferPointer) -> Arrival {
        let count = Glibc.read(channel.device.rawValue, buffer.baseAddress, buffer.count)
        guard count < 0 else {
            // The kernel sends no malformed request. If it did, there would be no request number to reply to.
            return Request(UnsafeRawBufferPointer(rebasing: buffer[..<count])).map(Arrival.request) ?? .nothing
        }
        switch errno {
        // ENOENT means that the request was withdrawn while it was read.
        case EINTR, EAGAIN, ENOENT: return .nothing
        default: return .ended
        }
    }

    // MARK: Helpers and leaders

    private var isRequestWaiting: Bool {
        var device = pollfd(fd: main.device.rawValue, events: Int16(POLLIN), revents: 0)
        return poll(&device, 1, 0) > 0 && device.revents & Int16(POLLIN) != 0
    }

    /// Whether serving a request takes longer than waking another thread.
    private static func takesLong(_ request: Request) -> Bool {
        switch Opcode(rawValue: request.header.opcode) {
        case .release, .releaseDirectory, .forget, .batchForget, .interrupt: false
        default: true
        }
    }

    /// Wakes or starts one more thread to serve waiting requests.
    private func wakeHelper() {
        guard extra != nil else { return }
        let (helper, startsThread) = state.withLock { state -> (Worker?, Bool) in
            if let helper = state.idle.popLast() { return (helper, false) }
            return (nil, !state.hasEnded && state.threads < options.threads)
        }
        helper?.wakeUp.signal()
        // If no thread can be started, the existing ones serve all requests.
        if startsThread { try? startThread(leading: false) }
    }

    /// Makes a thread the leader. The thread must not be serving a request. Called under the lock.
    private func setLeader(_ worker: Worker) {
        leader.store(Lead(of: worker, isServing: false), ordering: .releasing)
    }

    /// Makes an idle or new thread the leader.
    private func replaceLeader() {
        let (successor, startsThread) = state.withLock { state -> (Worker?, Bool) in
            guard !state.hasEnded, !state.awaitsLeader else { return (nil, false) }
            if let successor = state.idle.popLast() {
                setLeader(successor)
                return (successor, false)
            }
            return (nil, state.threads < options.threads * Self.reserveFactor)
        }
        successor?.wakeUp.signal()
        // If no thread can be started, the leader stays, and the watching thread tries again.
        if startsThread { try? startThread(leading: true) }
    }

    /// Records that the thread that watches the leader is awake, so that requests do not wake it.
    ///
    /// - Returns: `true` if the thread was not recorded as awake before.
    private func beginsWatch() -> Bool { !isWatched.exchange(true, ordering: .sequentiallyConsistent) }

    private func isQuiet(since last: UInt64) -> Bool {
        !leader.load(ordering: .sequentiallyConsistent).isServing
            && begun.load(ordering: .sequentiallyConsistent) == last
    }

    private func watchLeader() {
        var last: UInt64 = 0
        var quietIntervals = 0
        while !state.withLock({ $0.hasEnded }) {
            let isBusy = leader.load(ordering: .acquiring).isServing
            let count = begun.load(ordering: .sequentiallyConsistent)
            if count != last {
                quietIntervals = 0
            } else if isBusy {
                // The leader has served the same request for at least one interval.
                replaceLeader()
                quietIntervals = 0
            } else {
                quietIntervals += 1
            }
            last = count
            if quietIntervals > Self.watchLimit {
                isWatched.store(false, ordering: .sequentiallyConsistent)
                // A request that begins from now on wakes this thread. A request that began just before may have found
                // this thread marked as awake. Therefore the leader is checked again.
                if isQuiet(since: last) || !beginsWatch() { watcherWakeUp.wait() }
                quietIntervals = 0
            } else {
                usleep(Self.watchInterval)
            }
        }
        endThread()
    }

    // MARK: The end

    private func end() {
        endIdleThreads()
        endThread()
    }

    /// Ends all waiting threads.
    private func endIdleThreads() {
        let idle = state.withLock { state in
            state.hasEnded = true
            defer { state.idle = [] }
            return state.idle
        }
        for worker in idle { worker.wakeUp.signal() }
        watcherWakeUp.signal()
    }

    private func endThread() {
        // The watching thread is not counted in `threads`, so the last thread to end changes the number to -1.
        let isLast = state.withLock { state in
            state.threads -= 1
            return state.threads == -1
        }
        guard isLast else { return }
        fileSystem.end()
        session.hasEnded.open()
    }
}
