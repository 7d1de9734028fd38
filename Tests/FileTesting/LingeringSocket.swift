import Glibc
import LinuxSystem

/// A TCP connection over loopback with unsent data. Because the receiver reads nothing, close(2) of the sender waits up
/// to a minute.
package struct LingeringSocket {
    package let sender: FileDescriptor
    /// The receiver. Closing it ends the sender's wait.
    package let receiver: FileDescriptor

    package init() throws {
        func stream() throws(Errno) -> FileDescriptor {
            let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            return FileDescriptor(owning: try retrying { socket(AF_INET, kind, 0) })
        }
        let (listener, sender) = (try stream(), try stream())
        // The accepted socket inherits it.
        try listener.setSocketOption(SO_RCVBUF, to: 4096)
        try sender.setSocketOption(SO_SNDBUF, to: 64 << 10)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try retrying { Glibc.bind(listener.rawValue, address, size) }
                try retrying { Glibc.listen(listener.rawValue, 1) }
                try retrying { getsockname(listener.rawValue, address, &size) }
                try retrying { Glibc.connect(sender.rawValue, address, size) }
            }
        }
        receiver = FileDescriptor(owning: try retrying { accept(listener.rawValue, nil, nil) })
        var option = linger(l_onoff: 1, l_linger: 60)
        let room = socklen_t(MemoryLayout<linger>.size)
        try retrying { setsockopt(sender.rawValue, SOL_SOCKET, SO_LINGER, &option, room) }
        let bytes = [UInt8](repeating: 1, count: 4096)
        while Glibc.send(sender.rawValue, bytes, bytes.count, CInt(MSG_DONTWAIT)) > 0 {}
        self.sender = sender
    }
}
