import Glibc
import LinuxSystem

/// A socket on 127.0.0.1 whose connections stay unanswered.
struct ListeningSocket: Sendable {
    private let descriptor: FileDescriptor
    let port: Int

    init() throws {
        descriptor = FileDescriptor(
            owning: try retrying { socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) })
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
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
        port = Int(UInt16(bigEndian: address.sin_port))
    }
}
