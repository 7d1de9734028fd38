import LinuxSystem

/// The limits of a confined process that are watched from outside, because no resource limit of the kernel counts them
/// everywhere: memory of every kind together, and threads.
package struct ProcessLimits: Sendable {
    /// Bytes of memory: private memory, page tables, memory files, and what the buffers of sockets can hold.
    let memory: Int
    /// Threads at one time.
    let threads: Int
    /// The bytes that the buffers of one socket can hold.
    let socketBuffers: Int

    /// The maximum number of threads of an extension. The dispatch library makes up to some hundred.
    package static let mostThreads = 1_024
    /// Bytes of the program and its libraries that count as private memory and are not in the limit, such as relocated
    /// tables.
    static let image = 16 << 20
    /// The sockets that do not count: a program with that many open is no attack. These are 64 connections, some that
    /// listen, and those to Purvey. Full buffers of TCP take some 4 MiB of memory each, of local sockets less.
    static let freeSockets = 80
    /// The bytes in the buffers of a local socket, where the system's limits are the usual ones (`wmem_max`, twice).
    private static let localSocketBuffers = 416 << 10

    /// Creates limits.
    ///
    /// - Parameter network: whether the process can have sockets of TCP.
    package init(memory: Int, threads: Int = Self.mostThreads, network: Bool) {
        self.memory = memory
        self.threads = threads
        socketBuffers = network ? Self.connectionBuffers : Self.localSocketBuffers
    }

    /// The bytes in the buffers of a connection by TCP at most; see tcp(7). The first use blocks on the system.
    private static let connectionBuffers = ["tcp_wmem", "tcp_rmem"].reduce(0) { sum, name in
        let numbers = SystemFile.text("/proc/sys/net/ipv4/" + name).split(whereSeparator: \.isWhitespace)
        // The usual sizes where they cannot be read: 4 and 6 MiB.
        return sum + (numbers.last.flatMap { Int($0) } ?? 5 << 20)
    }
}
