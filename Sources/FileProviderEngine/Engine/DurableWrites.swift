import LinuxSystem

/// Brings what was done here to the disk. This is the rule of it, and nothing else in the engine waits for the disk:
///
/// - What is answered is written, in the order in which it was answered: it outlives the end of every process, this one's too,
///   because what was written and is not on the disk yet the system keeps.
/// - As on a disk of this machine, making, writing, renaming and removing wait for no disk. What was done by them is on the disk at most
///   ``interval`` seconds later, all that came meanwhile together; a power failure takes at most that, and never something from
///   before what it leaves.
/// - fsync(2) and fdatasync(2), of a file or of a folder, are answered once everything that was answered before them is on
///   the disk. Those that come while the disk is busy are answered together. syncfs(2) and sync(2) do not reach a mount;
///   after the interval there is nothing for them to do.
/// - Bytes that a removal or a replacement makes needless go once that is on the disk itself, and not before: a power failure brings
///   back a whole file or none.
/// - What is sent to the provider is on the disk before, of a new item also where it was sent: whatever is lost, it is looked for there
///   before it is sent again.
/// - An edit leaves the journal when the provider has confirmed it. A power failure may bring it back into the journal, and then it is
///   compared with what the provider has.
///
/// The journal is what counts. The index is brought to the disk with it where it knows what the journal does not
/// (``noteIndexCounts()``); else it may be older after a power failure, and is put right from the journal.
final class DurableWrites: Sendable {
    typealias Completion = @Sendable (Result<Void, Errno>) -> Void

    /// Seconds.
    static let interval = 1.0

    private struct State {
        var waiting: [Completion] = []
        /// What is to be done once what was written before is on the disk.
        var following: [@Sendable () -> Void] = []
        /// A thread is at it, and takes those who come.
        var isRunning = false
        var isScheduled = false
        /// How often the disk was waited for.
        var count = 0
        var isStopped = false
        var observer: (@Sendable () -> Void)?
    }

    private let journal: CommitLog
    private let index: CommitLog
    private let clock: any EngineClock
    // Innermost: completions are called after it is released.
    private let state = Lock(State())

    init(journal: CommitLog, index: CommitLog, clock: any EngineClock) {
        self.journal = journal
        self.index = index
        self.clock = clock
        for log in [journal, index] { log.whenAhead { [weak self] in self?.schedule() } }
        // What a process left that was killed.
        synchronize { _ in }
    }

    /// How often the disk was waited for.
    var count: Int { state.withLock { $0.count } }

    /// Whether everything that was answered is on the disk.
    var isUpToDate: Bool { !journal.isAhead && !index.isAhead && state.withLock { !$0.isRunning } }

    /// The index knows something that the journal does not, or otherwise.
    func noteIndexCounts() { index.noteCommit() }

    /// Calls a function, on a thread that may be blocked, when everything that was written before is on the disk.
    func synchronize(_ completion: @escaping Completion) {
        let isFirst = state.withLock { state in
            state.waiting.append(completion)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { HandlerThreads.shared.run { self.run() } }
    }

    /// Does something once what was written before is on the disk, which it is by itself after the interval. If the process ends
    /// before, it is not done.
    ///
    /// - Parameter job: called on a thread that may be blocked.
    func afterwards(_ job: @escaping @Sendable () -> Void) { state.withLock { $0.following.append(job) } }

    /// Sets who is told that something is on the disk, before anybody else is: for tests.
    func observe(_ observer: (@Sendable () -> Void)?) { state.withLock { $0.observer = observer } }

    /// Nothing is brought to the disk by itself any more, nor done afterwards.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.following = []
        }
    }

    private func schedule() {
        let isFirst = state.withLock { state in
            guard !state.isStopped else { return false }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        clock.run(after: Self.interval) { [weak self] in
            guard let self else { return }
            state.withLock { $0.isScheduled = false }
            synchronize { [weak self] result in
                // A disk that cannot be written to now is tried again.
                if case .failure = result { self?.schedule() }
            }
        }
    }

    private func run() {
        while true {
            let (waiting, following) = state.withLock { state in
                state.isRunning = !state.waiting.isEmpty
                guard state.isRunning else { return ([Completion](), [@Sendable () -> Void]()) }
                defer { (state.waiting, state.following) = ([], []) }
                return (state.waiting, state.following)
            }
            if waiting.isEmpty { return }
            let result = Result { () throws(Errno) in
                // In this order: what the index has of it then, the journal is about to have.
                let hasIndex = try index.synchronize()
                let hasJournal = try journal.synchronize()
                if hasIndex || hasJournal { state.withLock { $0.count += 1 } }
            }
            state.withLock { $0.observer }?()
            switch result {
            case .success: for job in following { job() }
            case .failure: state.withLock { $0.following = following + $0.following }
            }
            for completion in waiting { completion(result) }
        }
    }
}

extension DomainEngine {
    /// Waits until everything that was answered before is on the disk, as fsync(2) promises it; see ``DurableWrites``.
    ///
    /// - Parameter completion: called on a thread that may be blocked.
    package nonisolated func synchronize(_ completion: @escaping @Sendable (Result<Void, Errno>) -> Void) {
        durable.synchronize(completion)
    }

    /// How often the disk was waited for since the start.
    package nonisolated var synchronizationCount: Int { durable.count }

    /// Sets who is told that something is on the disk, before anybody else is: for tests.
    package nonisolated func observeSynchronization(_ observer: (@Sendable () -> Void)?) { durable.observe(observer) }

    /// Whether everything that was answered is on the disk.
    package nonisolated var isOnDisk: Bool { durable.isUpToDate }
}
