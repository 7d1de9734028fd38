import CFuse
import Glibc
import LinuxSystem
import Synchronization

/// The threads that serve a session.
///
/// One of them leads: it waits for requests and serves them itself, so that a lone program, which sends one request after the
/// other, is always served by a thread that is awake, or nearly: see ``Pace``. Were several threads waiting, the kernel would wake them in turn, each on
/// a processor that sleeps; that takes twice as long as a small request.
///
/// Others come in when there is more to do: the leader wakes one where it finds requests waiting as it begins to serve one, and
/// that one serves until none is left. A leader that has served one request for a millisecond is blocked or busy, and another
/// thread leads in its place.
final class Crew: Sendable {
    private struct State {
        /// Threads that have nothing to do, the one that had last at the end.
        var idle: [Member] = []
        var threads = 0
        /// The number of the thread that was made last.
        var lastNumber = 0
        /// A thread that is to lead was started and does not run yet.
        var awaitsLeader = false
        var hasEnded = false
    }

    /// A thread.
    private final class Member: Sendable {
        let number: Int
        let baton = Baton()

        init(_ number: Int) { self.number = number }
    }

    /// Which thread leads, and whether it is serving a request. One word, so that a thread that leads no more cannot speak for the one
    /// that does.
    private struct Lead: RawRepresentable, AtomicRepresentable {
        let rawValue: Int

        init(rawValue: Int) { self.rawValue = rawValue }

        init(of member: Member, isServing: Bool) { rawValue = member.number << 1 | (isServing ? 1 : 0) }

        func isOf(_ member: Member) -> Bool { rawValue >> 1 == member.number }

        var isServing: Bool { rawValue & 1 == 1 }
    }

    private let session: Session
    private let fileSystem: any FileSystem
    private let dispatcher: Dispatcher
    private let options: MountOptions
    /// The leader's: a read of it waits.
    private let main: Channel
    /// The others': a read of it does not wait. `nil` where the kernel gives none, and then the others only take the lead.
    private let extra: Channel?
    // Innermost: nothing is called under it but what makes and wakes threads.
    private let state = Lock(State())
    private let leader = Atomic(Lead(rawValue: 0))

    /// Counts the requests that leaders have begun to serve.
    private let begun = Atomic<UInt64>(0)
    private let isWatched = Atomic(true)
    private let watch = Baton()

    /// Threads beyond those of the options that come in for leaders who are blocked.
    private static let reserveFactor = 8
    private static let watchInterval: UInt32 = 1000
    /// After so many intervals without a request nobody watches until the next one.
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
        main = Channel(session.device, requests: requests, buffers: buffers)
        extra = session.extraDevice.map { Channel($0, requests: requests, buffers: buffers) }
    }

    /// Begins to serve. Where that fails, the file system has been told of the end when this throws.
    func start() throws(Errno) {
        do throws(Errno) {
            // First, because without it a handler that blocks would block the others.
            try options.startThread("fuse-watch") { self.watchOver() }
        } catch {
            endThread()
            throw error
        }
        do throws(Errno) {
            try startThread(leading: true)
        } catch {
            sendHome()
            session.hasEnded.wait()
            throw error
        }
    }

    /// - Parameter leading: whether it takes the lead as soon as it runs. Until then nobody else gives it up: there may be no thread
    ///   to be had.
    private func startThread(leading: Bool) throws(Errno) {
        let member = state.withLock { state in
            state.threads += 1
            state.lastNumber += 1
            if leading { state.awaitsLeader = true }
            return Member(state.lastNumber)
        }
        do throws(Errno) {
            try options.startThread("fuse-\(member.number)") { self.run(member, leading: leading) }
        } catch {
            state.withLock { state in
                state.threads -= 1
                if leading { state.awaitsLeader = false }
            }
            throw error
        }
    }

    // MARK: A thread

    private func run(_ member: Member, leading: Bool) {
        if leading {
            state.withLock { state in
                state.awaitsLeader = false
                giveLead(to: member)
            }
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize(options), alignment: 4096)
        defer { buffer.deallocate() }
        // A thread that is killed while the kernel copies a request to it may not get more memory, and then the kernel fails the
        // request with EIO, where the next process could have served it. Where that is not to be had, it is as the kernel has it.
        _ = madvise(buffer.baseAddress, buffer.count, MADV_POPULATE_WRITE)
        while true {
            let goesOn =
                if leads(member) {
                    lead(member, buffer)
                } else if let extra {
                    help(extra, buffer)
                } else {
                    true
                }
            guard goesOn, rest(member) else { break }
        }
        end()
    }

    /// Serves until another thread leads.
    ///
    /// - Returns: `false` where the session has ended.
    private func lead(_ member: Member, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        var pace = Pace()
        while leads(member) {
            pace.await { isAnythingWaiting }
            let arrival = read(main, buffer)
            pace.noteArrival()
            switch arrival {
            case .ended: return false
            case .nothing: continue
            case .request(let request):
                begun.wrappingAdd(1, ordering: .sequentiallyConsistent)
                note(member, isServing: true)
                if !isWatched.load(ordering: .sequentiallyConsistent), beginsWatch() { watch.pass() }
                if Self.takesLong(request), isAnythingWaiting { callHelp() }
                let goesOn = dispatcher.serve(request, on: main)
                note(member, isServing: false)
                if !goesOn { return false }
            }
        }
        return true
    }

    private func leads(_ member: Member) -> Bool { leader.load(ordering: .acquiring).isOf(member) }

    /// Does nothing where another thread leads by now.
    private func note(_ member: Member, isServing: Bool) {
        _ = leader.compareExchange(
            expected: Lead(of: member, isServing: !isServing), desired: Lead(of: member, isServing: isServing),
            ordering: .sequentiallyConsistent)
    }

    /// Serves for as long as there is more than the leader has got to.
    private func help(_ channel: Channel, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        while true {
            switch read(channel, buffer) {
            case .ended: return false
            case .nothing: return true
            case .request(let request):
                if isAnythingWaiting { callHelp() }
                if !dispatcher.serve(request, on: channel) { return false }
            }
        }
    }

    /// Waits until there is something to do.
    ///
    /// - Returns: `false` where the session has ended.
    private func rest(_ member: Member) -> Bool {
        let rests = state.withLock { state in
            // It was given the lead on its way here.
            guard !state.hasEnded, !leads(member) else { return false }
            state.idle.append(member)
            return true
        }
        if rests { member.baton.wait() }
        return state.withLock { !$0.hasEnded }
    }

    private enum Arrival {
        case request(Request)
        case nothing
        case ended
    }

    private func read(_ channel: Channel, _ buffer: UnsafeMutableRawBufferPointer) -> Arrival {
        let count = Glibc.read(channel.device.rawValue, buffer.baseAddress, buffer.count)
        guard count < 0 else {
            // The kernel sends no request that is malformed; were it to, there is nobody to answer.
            return Request(UnsafeRawBufferPointer(rebasing: buffer[..<count])).map(Arrival.request) ?? .nothing
        }
        switch errno {
        // A request that was taken back while it was read gives ENOENT.
        case EINTR, EAGAIN, ENOENT: return .nothing
        default: return .ended
        }
    }

    // MARK: Help

    private var isAnythingWaiting: Bool {
        var device = pollfd(fd: main.device.rawValue, events: Int16(POLLIN), revents: 0)
        return poll(&device, 1, 0) > 0 && device.revents & Int16(POLLIN) != 0
    }

    /// Whether a request is one that is not over before another thread would be awake.
    private static func takesLong(_ request: Request) -> Bool {
        switch Opcode(rawValue: request.header.opcode) {
        case .release, .releaseFolder, .forget, .batchForget, .interrupt: false
        default: true
        }
    }

    /// Wakes one more thread to serve what waits.
    private func callHelp() {
        guard extra != nil else { return }
        let (helper, startsThread) = state.withLock { state -> (Member?, Bool) in
            if let helper = state.idle.popLast() { return (helper, false) }
            return (nil, !state.hasEnded && state.threads < options.threads)
        }
        helper?.baton.pass()
        // Where no thread can be had, the others do it all.
        if startsThread { try? startThread(leading: false) }
    }

    /// Has a thread lead that serves nothing. Called under the lock.
    private func giveLead(to member: Member) {
        leader.store(Lead(of: member, isServing: false), ordering: .releasing)
    }

    /// Gives the lead to a thread that is free.
    private func replaceLeader() {
        let (successor, startsThread) = state.withLock { state -> (Member?, Bool) in
            guard !state.hasEnded, !state.awaitsLeader else { return (nil, false) }
            if let successor = state.idle.popLast() {
                giveLead(to: successor)
                return (successor, false)
            }
            return (nil, state.threads < options.threads * Self.reserveFactor)
        }
        successor?.baton.pass()
        // Where no thread can be had, the leader leads on, and the watch tries again.
        if startsThread { try? startThread(leading: true) }
    }

    /// - Returns: whether nobody has seen to it before that requests are watched.
    private func beginsWatch() -> Bool { !isWatched.exchange(true, ordering: .sequentiallyConsistent) }

    private func isQuiet(since last: UInt64) -> Bool {
        !leader.load(ordering: .sequentiallyConsistent).isServing
            && begun.load(ordering: .sequentiallyConsistent) == last
    }

    private func watchOver() {
        var last: UInt64 = 0
        var quietIntervals = 0
        while !state.withLock({ $0.hasEnded }) {
            let isBusy = leader.load(ordering: .acquiring).isServing
            let count = begun.load(ordering: .sequentiallyConsistent)
            if count != last {
                quietIntervals = 0
            } else if isBusy {
                // It has been at the same request for an interval at least.
                replaceLeader()
                quietIntervals = 0
            } else {
                quietIntervals += 1
            }
            last = count
            if quietIntervals > Self.watchLimit {
                isWatched.store(false, ordering: .sequentiallyConsistent)
                // Who begins a request now wakes this thread; one that was begun just before may have taken it to be awake.
                if isQuiet(since: last) || !beginsWatch() { watch.wait() }
                quietIntervals = 0
            } else {
                usleep(Self.watchInterval)
            }
        }
        endThread()
    }

    // MARK: The end

    private func end() {
        sendHome()
        endThread()
    }

    /// Has all threads end that wait.
    private func sendHome() {
        let idle = state.withLock { state in
            state.hasEnded = true
            defer { state.idle = [] }
            return state.idle
        }
        for member in idle { member.baton.pass() }
        watch.pass()
    }

    private func endThread() {
        // The watching thread counts as one more.
        let isLast = state.withLock { state in
            state.threads -= 1
            return state.threads == -1
        }
        guard isLast else { return }
        fileSystem.end()
        session.hasEnded.open()
    }
}

/// How soon requests come. A thread that sleeps takes longer to be awake than a small request takes to serve: where one comes right after
/// the other, the leader looks for the next one for a moment before it sleeps.
private struct Pace {
    /// A request that comes within this time is worth being awake for.
    private static let moment: Int64 = 30_000

    private var isQuick = false
    private var begin: Int64 = 0

    /// The last one is served.
    ///
    /// - Parameter isAnythingWaiting: looks, and does not wait.
    mutating func await(_ isAnythingWaiting: () -> Bool) {
        begin = Self.now()
        guard isQuick else { return }
        // Whoever the processor is needed for has it: the next request may be theirs.
        while !isAnythingWaiting(), Self.now() - begin < Self.moment { sched_yield() }
    }

    mutating func noteArrival() { isQuick = Self.now() - begin < Self.moment }

    /// In nanoseconds.
    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// Something that one thread waits for and another gives it.
private final class Baton: @unchecked Sendable {
    // Sendable: the semaphore is an allocation of its own that only sem_* calls touch, made for use from several threads.
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func pass() { sem_post(semaphore) }

    func wait() {
        while sem_wait(semaphore) < 0 {}
    }
}
