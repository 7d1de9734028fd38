import LinuxSystem

/// The limits of a confined process that its host enforces, because the kernel has no resource limit for them: the
/// total memory of all kinds, and the number of threads.
package struct ProcessLimits: Sendable {
    /// The maximum memory in bytes: private memory, page tables, memory files, and the capacity of socket buffers.
    let memory: Int
    /// The maximum number of concurrent threads.
    let threads: Int
    /// The capacity, in bytes, that is counted for the buffers of one socket.
    let socketBuffers: Int

    /// The maximum number of threads of an extension. The dispatch library creates up to several hundred threads.
    package static let mostThreads = 1_024
    /// The number of bytes that are added to the memory limit. They allow for parts of the program and its libraries
    /// that count as private memory, such as relocated tables.
    static let image = 16 << 20
    /// The number of open sockets whose buffers do not count towards the memory limit. Harmless programs have at most
    /// this many: 64 connections, some listening sockets, and the connections to Purvey. The buffers of a TCP socket
    /// can take about 4 MiB, and those of a local socket less.
    static let freeSockets = 80
    /// The capacity in bytes of the buffers of a local socket, with the system's usual limits (twice `wmem_max`).
    private static let localSocketBuffers = 416 << 10

    /// Creates limits.
    ///
    /// - Parameter network: whether the process can create TCP sockets.
    package init(memory: Int, threads: Int = Self.mostThreads, network: Bool) {
        self.memory = memory
        self.threads = threads
        socketBuffers = network ? Self.connectionBuffers : Self.localSocketBuffers
    }

    /// The maximum capacity in bytes of the buffers of a TCP connection; see tcp(7). The first use blocks on the
    /// system.
    private static let connectionBuffers = ["tcp_wmem", "tcp_rmem"].reduce(0) { sum, name in
        let numbers = SystemFile.text("/proc/sys/net/ipv4/" + name).split(whereSeparator: \.isWhitespace)
        // If the sizes cannot be read, each counts as 5 MiB, the average of the usual 4 and 6 MiB.
        return sum + (numbers.last.flatMap { Int($0) } ?? 5 << 20)
    }
}
