import Glibc
import LinuxSystem

/// Watches the memory and the threads of a confined process, from outside of the process.
package struct LimitWatch {
    /// The result of measuring the used parts of mapped memory files. A measurement can take long.
    private struct Measurement {
        /// An upper bound of the memory in bytes, at the time of the measurement. It is computed without measuring, in
        /// contrast to `memory`.
        let bound: Int
        let memory: Int
        /// The time at which a new measurement may be made. Until then, the memory is estimated from this measurement
        /// and the growth of the upper bound.
        let next: ContinuousClock.Instant
    }

    /// The maximum number of consecutive checks in which the process's memory or descriptors could not be read. They
    /// can be unreadable for a moment while threads end. After more such checks, the memory limit counts as exceeded.
    private static let mostHidden = 1
    /// The minimum time between two measurements, unless the upper bound has grown so much that the limit may be
    /// exceeded.
    private static let interval = Duration.seconds(1)

    private let process: pid_t
    private let limits: ProcessLimits
    private let folders: [String]
    private var last: Measurement?
    private var timesHidden = 0
    /// The number of bytes on disk of open files without a name in the process's directories; see ``CountedFiles``.
    package private(set) var namelessBytes = 0

    /// Creates a watch of a process. The watch must not be used after the process was reaped by waitpid(2).
    ///
    /// - Parameter folders: The paths of the directories in which the process may create files.
    package init(of process: pid_t, _ limits: ProcessLimits, folders: [String]) {
        self.process = process
        self.limits = limits
        self.folders = folders.map { (try? FileDescriptor.open($0, .pathOnly))?.path ?? $0 }
    }

    /// Returns the reason to end the process, or `nil` if the process is within its limits or has ended. Blocks on the
    /// system for a short time.
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

    /// Whether the process is within its memory limit; `nil` if its mappings cannot be read.
    private mutating func isWithinMemory(_ usage: ProcessUsage) -> Bool? {
        let most = limits.memory + ProcessLimits.image
        let sockets = max(0, usage.open.sockets - ProcessLimits.freeSockets) * limits.socketBuffers
        let own = usage.open.memory.values.reduce(usage.privateMemory + sockets, +)
        // An upper bound, which is known at little cost. It may be too high, because a memory file that is open and
        // mapped counts twice.
        let bound = own + usage.mappedMemory
        if bound <= most { return true }
        let begin = ContinuousClock.now
        if let last, begin < last.next, last.memory + max(0, bound - last.bound) <= most { return true }
        guard let mapped = Self.mappedMemory(usage, room: most - own) else { return nil }
        let end = ContinuousClock.now
        last = Measurement(bound: bound, memory: own + mapped, next: end + max(Self.interval, (end - begin) * 20))
        return own + mapped <= most
    }

    /// Returns the number of bytes of the memory files that a process has mapped. A file that already counts as an open
    /// file of the process is left out. Returns `nil` if the mappings cannot be read.
    ///
    /// - Parameter room: The number of bytes up to which the exact value does not matter. If an upper bound is at most
    ///   this number, the upper bound is returned instead of a measured value.
    private static func mappedMemory(_ usage: ProcessUsage, room: Int) -> Int? {
        guard var files = try? MappedFiles(of: usage.folder), files.count > 0 else { return nil }
        func sum(_ sizes: [UInt64: Int]) -> Int {
            sizes.reduce(0) { usage.open.memory[$1.key] == nil ? $0 + $1.value : $0 }
        }
        // The result for too many mappings is greater than any limit.
        if files.count > MappedFiles.mostMappings { return Int.max / 2 }
        let longest = min(usage.mappedMemory, sum(files.lengths))
        if longest <= room { return longest }
        guard (try? files.measure(usage.folder)) != nil else { return nil }
        return files.count > MappedFiles.mostMappings ? Int.max / 2 : sum(files.used)
    }

    /// Returns the number of bytes of a process's memory files: those that it created, and the used parts of others
    /// that it has mapped. Returns `nil` if they cannot be read.
    package static func memoryFiles(of process: pid_t) -> Int? {
        guard case .known(let usage) = ProcessUsage.of(process, folders: []) else { return nil }
        return mappedMemory(usage, room: 0).map { usage.open.memory.values.reduce($0, +) }
    }
}
