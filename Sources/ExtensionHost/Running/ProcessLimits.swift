import Glibc
import LinuxSystem

/// The limits of a confined process that are watched from outside, because no resource limit of the kernel counts them
/// everywhere: memory of every kind together, and threads.
struct ProcessLimits: Sendable {
    /// Bytes of memory: private memory, page tables, memory files, and what the buffers of sockets can hold.
    let memory: Int
    /// Threads at one time.
    let threads: Int

    /// The most threads of an extension. The dispatch library makes up to some hundred.
    static let mostThreads = 1_024
    /// Bytes of the program and its libraries that count as private memory and are not in the limit, such as relocated
    /// tables.
    static let image = 16 << 20
    /// The sockets that do not count: a program with that many open connections is no attack.
    private static let freeSockets = 64
    /// The bytes that a socket's buffers hold at most, where the system's limits are the usual ones (`wmem_max`,
    /// twice).
    private static let socketBuffers = 416 << 10

    /// Returns the reason to end a process, or `nil` while it is within its limits. A process that has ended is. Blocks
    /// on the system, shortly.
    func excess(of process: pid_t) -> (reason: ExtensionEnding.Reason, status: Int)? {
        let status = SystemFile.text("/proc/\(process)/status")
        if (SystemFile.number("Threads", in: status) ?? 0) > threads { return (.tookTooManyThreads, threads) }
        let open = SharedMemory.openFiles(of: process)
        let sockets = max(0, open.sockets - Self.freeSockets) * Self.socketBuffers
        let own = SystemFile.bytes("RssAnon", in: status) + SystemFile.bytes("VmPTE", in: status) + sockets
        let most = memory + Self.image
        // All that is mapped of files in memory, of a program in /tmp too: known at little cost, and never too little.
        let mapped = SystemFile.bytes("RssShmem", in: status)
        if open.sizes.values.reduce(own + mapped, +) <= most { return nil }
        return own + SharedMemory.bytes(of: process) <= most ? nil : (.tookTooMuchMemory, memory >> 20)
    }
}
