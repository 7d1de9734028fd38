import FileProvider
import Foundation
import FoundationNetworking
import Glibc
import LinuxSystem

/// Produces errors, such as that of a connection to a port at which no server listens. The requested identifier selects
/// the error. For other identifiers, the error is `nil`.
enum RefusedConnections {
    static func error(_ identifier: String) -> (any Error)? {
        switch identifier {
        case "connects": connect()
        case "asks-web": askWeb()
        case "is-cancelled": URLError(.cancelled)
        case "reaches-nothing": NSFileProviderError(.serverUnreachable)
        case "has-no-room": NSFileProviderError(.insufficientQuota)
        default: nil
        }
    }

    private static func connect() -> any Error {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard file >= 0 else { return NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
        defer { close(file) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(1).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return result == 0 ? CocoaError(.featureUnsupported) : NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
    }

    private static func askWeb() -> any Error {
        guard let url = URL(string: "http://127.0.0.1:1/") else { return CocoaError(.fileReadUnknown) }
        let result = Lock<(any Error)?>(nil)
        let isOver = DispatchSemaphore(value: 0)
        let task = URLSession.shared.dataTask(with: url) { _, _, error in
            result.withLock { $0 = error }
            isOver.signal()
        }
        task.resume()
        isOver.wait()
        return result.withLock { $0 } ?? CocoaError(.featureUnsupported)
    }
}
