import Glibc

/// Misbehaviour that the daemon's watch of memory, descriptors and connections must notice.
enum Watched {
    /// Ends the first thread, after starting another one.
    static func endFirstThread(_ other: @escaping @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?)
        -> Never
    {
        var thread = pthread_t()
        pthread_create(&thread, nil, other, nil)
        pthread_exit(nil)
    }

    /// Starts threads that start further threads and end, including the first thread. Runs a function on one thread
    /// that stays.
    static func hideAmongThreads(
        _ other: @escaping @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    ) -> Never {
        _ = next(nil)
        endFirstThread(other)
    }

    private static func next(_ unused: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        var thread = pthread_t()
        while pthread_create(&thread, nil, { Watched.next($0) }, nil) != 0 {}
        pthread_detach(thread)
        return nil
    }

    /// Maps a memory file and touches all of it.
    static func map(_ file: CInt, megabytes: Int) -> String {
        guard ftruncate(file, megabytes << 20) == 0 else { return outcome(-1) }
        let address = mmap(nil, megabytes << 20, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        guard let address, address != MAP_FAILED else { return outcome(-1) }
        memset(address, 1, megabytes << 20)
        return "done"
    }

    /// Splits a mapping into one for each page. This uses no memory of the process, but memory of the kernel.
    static func splitMappings(_ count: Int) -> String {
        // MAP_NORESERVE.
        let base = mmap(nil, count << 12, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | 0x4000, -1, 0)
        guard let base, base != MAP_FAILED else { return outcome(-1) }
        for page in stride(from: 0, to: count, by: 2) {
            guard mprotect(base + page << 12, 1 << 12, PROT_NONE) == 0 else { return outcome(-1) }
        }
        return "done"
    }

    /// Connects to itself over TCP. Each connection uses two sockets.
    static func connect(_ count: Int) -> String {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listening = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        return withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listening, address, size) == 0, listen(listening, 1024) == 0,
                    getsockname(listening, address, &size) == 0
                else { return outcome(-1) }
                for _ in 0..<count {
                    let one = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
                    guard Glibc.connect(one, address, size) == 0, accept(listening, nil, nil) >= 0 else {
                        return outcome(-1)
                    }
                }
                return "done"
            }
        }
    }
}
