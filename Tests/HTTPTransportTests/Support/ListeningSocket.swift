import Glibc
import LinuxSystem

/// A socket on 127.0.0.1 whose connections stay unanswered.
struct ListeningSocket: Sendable {
    private let descriptor: FileDescriptor
    let port: Int

    /// - Parameter port: the port, or 0 for any free one.
    init(port: UInt16 = 0) throws {
        descriptor = FileDescriptor(
            owning: try retrying { socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) })
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = descriptor.rawValue
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                try retrying { bind(number, pointer, size) }
                try retrying { listen(number, 16) }
                try retrying { getsockname(number, pointer, &size) }
            }
        }
        self.port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// Returns a port that no program uses.
    ///
    /// It lies below the range from which the kernel takes ports for connections. A port of that range could be used by
    /// a connection before a server listens on it.
    static func freePort() -> Int {
        while true {
            if let socket = try? ListeningSocket(port: .random(in: 15_000..<32_000)) { return socket.port }
        }
    }
}
