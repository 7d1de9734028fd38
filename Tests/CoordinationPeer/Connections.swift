import Foundation
import Glibc

/// Connections of this process, which are severed to simulate a fault.
enum Connections {
    /// Shuts down the connections to a daemon's socket, as the daemon itself would.
    static func sever() {
        for descriptor in 3..<CInt(256) where leadsToDaemon(descriptor) { shutdown(descriptor, CInt(SHUT_RDWR)) }
    }

    private static func leadsToDaemon(_ descriptor: CInt) -> Bool {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
        }
        guard status == 0, address.sun_family == sa_family_t(AF_UNIX) else { return false }
        let path = withUnsafeBytes(of: &address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return path.hasSuffix("daemon.socket")
    }
}
