import Glibc

/// Deeds against the watch of memory, descriptors and connections.
enum Watched {
    /// Ends the first thread, after starting another one.
    static func endFirstThread(_ other: @escaping @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?)
        -> Never
    {
        var thread = pthread_t()
        pthread_create(&thread, nil, other, nil)
        pthread_exit(nil)
    }

    /// Starts threads that start threads and end, the first one included, and does something on one that stays.
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

    /// Splits a mapping into one for each page. It takes no memory, but for what the kernel notes.
    static func splitMappings(_ count: Int) -> String {
        // MAP_NORESERVE.
        let base = mmap(nil, count << 12, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | 0x4000, -1, 0)
        guard let base, base != MAP_FAILED else { return outcome(-1) }
        for page in stride(from: 0, to: count, by: 2) {
            guard mprotect(base + page << 12, 1 << 12, PROT_NONE) == 0 else { return outcome(-1) }
        }
        return "done"
    }

    /// Connects to itself over TCP. Each connection takes two sockets.
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

    /// Opens as many files as it can. Returns their number, and closes them.
    static func openMost() -> String {
        var files: [CInt] = []
        while case let file = open("/dev/null", O_RDONLY), file >= 0 { files.append(file) }
        for file in files { close(file) }
        return "\(files.count)"
    }

    /// Sends descriptors to itself, as many as the kernel permits, and does not receive them. Returns their number.
    static func sendMost() -> String {
        let each = 200
        // struct cmsghdr, as on all machines of 64 bits: its length, level and type; then the descriptors.
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 + 4 * each, alignment: 8)
        room.storeBytes(of: UInt64(16 + 4 * each), as: UInt64.self)
        room.storeBytes(of: CInt(SOL_SOCKET), toByteOffset: 8, as: CInt.self)
        room.storeBytes(of: 1, toByteOffset: 12, as: CInt.self)  // SCM_RIGHTS
        for index in 0..<each { room.storeBytes(of: 0, toByteOffset: 16 + 4 * index, as: CInt.self) }
        var byte: UInt8 = 0
        return withUnsafeMutablePointer(to: &byte) { byte in
            var piece = iovec(iov_base: byte, iov_len: 1)
            return withUnsafeMutablePointer(to: &piece) { piece in
                var message = msghdr()
                (message.msg_iov, message.msg_iovlen) = (piece, 1)
                (message.msg_control, message.msg_controllen) = (room.baseAddress, room.count)
                var sent = 0
                while true {
                    var ends: [CInt] = [-1, -1]
                    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0, &ends) == 0
                    else { return "\(sent)" }
                    while sendmsg(ends[0], &message, CInt(MSG_NOSIGNAL)) > 0 { sent += each }
                    if errno != EAGAIN { return "\(sent)" }
                }
            }
        }
    }
}
