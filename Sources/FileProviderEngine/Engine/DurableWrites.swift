import ItemStore
import LinuxSystem

/// Makes local changes durable, by the following rules. No other part of the engine waits for the disk.
///
/// - A change is written before the call that makes the change returns. Changes are written in the order of these
///   calls. A written change survives the end of every process, including this one, because the kernel still writes it
///   to disk.
/// - As on a local disk, creating, writing, renaming and removing do not wait for the disk. Their results are flushed
///   together, at most ``interval`` seconds later. A power failure loses at most the changes of this interval. If it
///   loses a change, it also loses all later changes.
/// - fsync(2) and fdatasync(2), of a file or of a directory, return when all changes whose calls returned before are on
///   disk. Calls that arrive during a flush share the next flush. syncfs(2) and sync(2) do not reach a mount, but after
///   the interval everything is on disk.
/// - Bytes that a removal or a replacement makes obsolete are deleted only after that change is on disk. After a power
///   failure, a file is therefore complete or does not exist.
/// - An edit is on disk before it is sent to the provider. The same applies to the directory and the name to which a
///   new item is sent. After a crash or a lost reply, the engine looks for the item in that place before it sends the
///   item again.
/// - An edit leaves the journal when the provider has confirmed it. If a power failure restores the edit in the
///   journal, the engine compares it with the provider's contents.
///
/// The journal is authoritative. If the index has data that the journal lacks (``noteIndexCounts()``), both are flushed
/// together. Otherwise the index may be older than the journal after a power failure, and is corrected from the
/// journal.
package final class DurableWrites: Sendable {
    package typealias Completion = @Sendable (Result<Void, Errno>) -> Void

    /// The time in seconds between a write and the automatic flush.
    static let interval = 1.0

    private struct State {
        var waiting: [Completion] = []
        /// The jobs of ``afterwards(_:)``. Each runs when all writes that were made before its call are on disk.
        var following: [@Sendable () -> Void] = []
        /// Whether a thread is flushing. Requests that arrive during a flush are served by the same thread afterwards.
        var isRunning = false
        var isScheduled = false
        /// The number of flushes so far.
        var count = 0
        var isStopped = false
        var observer: (@Sendable () -> Void)?
    }

    private let journal: CommitLog
    private let index: CommitLog
    private let clock: any EngineClock
    // Leaf lock: completion handlers are called after it is released.
    private let state = Lock(State())

    init(journal: CommitLog, index: CommitLog, clock: any EngineClock) {
        self.journal = journal
        self.index = index
        self.clock = clock
        for log in [journal, index] { log.whenAhead { [weak self] in self?.schedule() } }
        // Flushes the writes of an earlier process that was killed.
        synchronize { _ in }
    }

    /// The number of flushes so far.
    package var count: Int { state.withLock { $0.count } }

    /// Whether all writes are on disk.
    package var isUpToDate: Bool { !journal.isAhead && !index.isAhead && state.withLock { !$0.isRunning } }

    /// Records that the index has data that the journal lacks. The next flush then includes the index.
    func noteIndexCounts() { index.noteCommit() }

    /// Calls the completion handler when all earlier writes are on disk. The handler runs on a thread that may block.
    package func synchronize(_ completion: @escaping Completion) {
        let isFirst = state.withLock { state in
            state.waiting.append(completion)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { HandlerThreads.shared.run { self.run() } }
    }

    /// Runs a job when all earlier writes are on disk, at most ``interval`` seconds later. If the process ends first,
    /// the job does not run.
    ///
    /// - Parameter job: Called on a thread that may block.
    func afterwards(_ job: @escaping @Sendable () -> Void) { state.withLock { $0.following.append(job) } }

    /// Sets a closure that is called after each flush, before any completion handler: for tests.
    package func observe(_ observer: (@Sendable () -> Void)?) { state.withLock { $0.observer = observer } }

    /// Stops automatic flushes, and drops the jobs that wait for a flush.
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
                // A failed flush is retried after the interval.
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
                // Flush the index first. Each edit is written to the journal before the index. Therefore the flush of
                // the journal, which follows, includes each edit that the index now has on disk.
                let hasIndex = try index.synchronize()
                let hasJournal = try journal.synchronize()
                if hasIndex || hasJournal { state.withLock { $0.count += 1 } }
            }
            state.withLock { $0.observer }?()
            let jobs = state.withLock { state -> [@Sendable () -> Void] in
                if state.isStopped { return [] }
                if case .success = result { return following }
                state.following = following + state.following
                return []
            }
            for job in jobs { job() }
            for completion in waiting { completion(result) }
        }
    }
}
