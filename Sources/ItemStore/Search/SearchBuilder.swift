import Dispatch
import Glibc
import LinuxSystem

/// The thread that writes the search file.
final class SearchBuilder: Sendable {
    private struct State {
        var isStarted = false
        var isStopped = false
        var hasEnded = true
        var isWanted = false
        var isHurried = false
        var isToReplace = false
        var waiters: [Latch] = []
    }

    // Leaf lock.
    private let state = Lock(State())
    private let signal = DispatchSemaphore(value: 0)
    private let ended = Latch()
    private let index: Index
    private let reader: SearchReader
    private let path: String

    /// The number of seconds that must pass without a change of the index before the thread begins to work, and the
    /// time after which it begins even if changes continue.
    private static let calm = 0.5
    private static let patience = Duration.seconds(10)
    private static let batch = 2000
    /// The number of items with changed search terms that are updated in one transaction.
    private static let batchOfRenamed = 500

    init(_ index: Index, _ reader: SearchReader, path: String) {
        self.index = index
        self.reader = reader
        self.path = path
    }

    func wake(toReplace: Bool = false) { request { $0.isToReplace = $0.isToReplace || toReplace } }

    func catchUp() {
        let latch = Latch()
        request { state in
            state.isHurried = true
            state.waiters.append(latch)
        }
        latch.wait()
    }

    private func request(_ change: (inout State) -> Void) {
        let (isFirst, isToBeSignalled) = state.withLock { state in
            change(&state)
            guard !state.isStopped else { return (false, false) }
            defer {
                state.isWanted = true
                state.isStarted = true
            }
            if !state.isStarted { state.hasEnded = false }
            return (!state.isStarted, !state.isWanted || state.isHurried)
        }
        if isFirst {
            do {
                try SystemThread.start("purvey-search") { [self] in run() }
            } catch {
                state.withLock { state in
                    state.isStarted = false
                    state.hasEnded = true
                }
                endWaiters()
            }
        }
        if isToBeSignalled { signal.signal() }
        if isStopped { endWaiters() }
    }

    /// Ends the thread and waits until it has ended.
    func stop() {
        let isRunning = state.withLock { state in
            state.isStopped = true
            defer { state.isStarted = true }
            return state.isStarted && !state.hasEnded
        }
        guard isRunning else { return endWaiters() }
        signal.signal()
        ended.wait()
        endWaiters()
    }

    private func endWaiters() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.open() }
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func run() {
        // Run at low priority, because the user's own work comes first.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        var file: SearchFile?
        while !isStopped {
            signal.wait()
            waitForCalm()
            let isToReplace = state.withLock { state in
                state.isWanted = false
                defer { state.isToReplace = false }
                return state.isToReplace
            }
            if isToReplace {
                file = nil
                try? reader.remove()
            }
            do throws(IndexError) {
                try bring(to: &file)
            } catch {
                file = nil
                // After other errors, such as a full disk, the file stays as it is until the next change retries the
                // update. Meanwhile searches examine the items themselves.
                if case .corrupt = error {
                    try? reader.remove()
                    try? bring(to: &file)
                }
            }
            if state.withLock({ !$0.isWanted }) { endWaiters() }
        }
        try? file?.close()
        file = nil
        state.withLock { $0.hasEnded = true }
        ended.open()
    }

    private func waitForCalm() {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            guard state.withLock({ !$0.isHurried && !$0.isStopped }) else { break }
            // Further changes restart the quiet time.
            state.withLock { $0.isWanted = false }
            if signal.wait(timeout: .now() + Self.calm) == .timedOut { break }
        }
        state.withLock { $0.isHurried = false }
    }

    private func open() throws(IndexError) -> SearchFile {
        let start = Self.machineStart
        do throws(IndexError) {
            return try SearchFile(writing: path, identity: index.identity, start: start)
        } catch .corrupt {
            try reader.remove()
            return try SearchFile(writing: path, identity: index.identity, start: start)
        }
    }

    /// A number that identifies the present boot of the machine.
    private static var machineStart: Int64 {
        guard let file = try? FileDescriptor.open("/proc/sys/kernel/random/boot_id", .readOnly),
            let bytes = try? file.readToEnd(limit: 100)
        else { return 1 }
        return bytes.reduce(1) { ($0 &* 31 &+ Int64($1)) & Int64.max | 1 }
    }

    /// Updates the search file from the index. Opens the file first if necessary.
    private func bring(to file: inout SearchFile?) throws(IndexError) {
        let open: SearchFile
        if let file { open = file } else { open = try self.open() }
        file = open
        try open.emptyIfWornOut()
        try bring(to: open)
    }

    private func bring(to file: SearchFile) throws(IndexError) {
        while !isStopped {
            let (items, last) = try index.words(after: try file.lastNumber(), limit: Self.batch)
            guard let last else { break }
            try file.add(items, upTo: last)
        }
        while !isStopped {
            let (numbers, mark) = try index.renamed(limit: Self.batchOfRenamed)
            guard !numbers.isEmpty else { break }
            var items: [(number: ItemNumber, words: SearchWords)] = []
            for number in numbers.sorted(by: { $0.rawValue < $1.rawValue }) {
                if let words = try index.words(of: number) { items.append((number, words)) }
            }
            try file.add(items, upTo: nil)
            try index.write(freesSpace: true) { writer throws(IndexError) in try writer.forgetRenamed(upTo: mark) }
        }
    }
}
