import Glibc
import LinuxSystem

/// A watch of a confined process's memory and threads from outside.
package struct LimitWatch {
    /// A measurement of what is used of mapped memory files, which can take long.
    private struct Measurement {
        /// The memory at that time, as far as it is known without measuring, and as it is.
        let bound: Int
        let memory: Int
        /// The time of the next one at the latest.
        let next: ContinuousClock.Instant
    }

    /// The number of times in a row that a process can be hidden, as it may be at one moment while threads end.
    private static let mostHidden = 1
    /// The shortest interval of measurements that nothing asks for.
    private static let interval = Duration.seconds(1)

    private let process: pid_t
    private let limits: ProcessLimits
    private let folders: [String]
    private var last: Measurement?
    private var timesHidden = 0
    /// Bytes of open files without a name in the process's folders; see ``CountedFiles``.
    package private(set) var namelessBytes = 0

    /// Creates a watch of a process that was not waited for.
    ///
    /// - Parameter folders: paths of the folders that the process may create files in.
    package init(of process: pid_t, _ limits: ProcessLimits, folders: [String]) {
        self.process = process
        self.limits = limits
        self.folders = folders.map { (try? FileDescriptor.open($0, .pathOnly))?.path ?? $0 }
    }

    /// Returns the reason to end the process, or `nil` while it is within its limits. A process that has ended is.
    /// Blocks on the system, shortly.
    package mutating func excess() -> (reason: ExtensionEnding.Reason, status: Int)? {
        let tooMuch = (ExtensionEnding.Reason.tookTooMuchMemory, limits.memory >> 20)
        switch ProcessUsage.of(process, folders: folders) {
        case .ending: return nil
        case .hidden: timesHidden += 1
        case .known(let usage):
            namelessBytes = usage.open.namelessBytes
            if usage.threads > limits.threads { return (.tookTooManyThreads, limits.threads) }
            switch isWithinMemory(usage) {
            case true?: timesHidden = 0
            case false?: return tooMuch
            case nil: timesHidden += 1
            }
        }
        return timesHidden > Self.mostHidden ? tooMuch : nil
    }

    /// Whether the process is within its limit of memory; `nil` if its mappings cannot be read.
    private mutating func isWithinMemory(_ usage: ProcessUsage) -> Bool? {
        let most = limits.memory + ProcessLimits.image
        let sockets = max(0, usage.open.sockets - ProcessLimits.freeSockets) * limits.socketBuffers
        let own = usage.open.memory.values.reduce(usage.privateMemory + sockets, +)
        // Known at little cost, and never too little: a memory file that is open and mapped counts twice.
        let bound = own + usage.mappedMemory
        if bound <= most { return true }
        let begin = ContinuousClock.now
        if let last, begin < last.next, last.memory + max(0, bound - last.bound) <= most { return true }
        guard let mapped = Self.mappedMemory(usage, room: most - own) else { return nil }
        let end = ContinuousClock.now
        last = Measurement(bound: bound, memory: own + mapped, next: end + max(Self.interval, (end - begin) * 20))
        return own + mapped <= most
    }

    /// Returns the bytes of the memory files that a process has mapped and does not hold open as its own. `nil` if they
    /// cannot be read.
    ///
    /// - Parameter room: bytes. If it is certain that there are no more, the result can be above the truth.
    private static func mappedMemory(_ usage: ProcessUsage, room: Int) -> Int? {
        guard var files = try? MappedFiles(of: usage.folder), files.count > 0 else { return nil }
        func sum(_ sizes: [UInt64: Int]) -> Int {
            sizes.reduce(0) { usage.open.memory[$1.key] == nil ? $0 + $1.value : $0 }
        }
        // More than any limit.
        if files.count > MappedFiles.mostMappings { return Int.max / 2 }
        let longest = min(usage.mappedMemory, sum(files.lengths))
        if longest <= room { return longest }
        guard (try? files.measure(usage.folder)) != nil else { return nil }
        return files.count > MappedFiles.mostMappings ? Int.max / 2 : sum(files.used)
    }

    /// Returns the bytes of a process's memory files: its own, and what it uses of others; `nil` if they cannot be
    /// read.
    package static func memoryFiles(of process: pid_t) -> Int? {
        guard case .known(let usage) = ProcessUsage.of(process, folders: []) else { return nil }
        return mappedMemory(usage, room: 0).map { usage.open.memory.values.reduce($0, +) }
    }
}
