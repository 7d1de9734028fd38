import Foundation
import Glibc
import LinuxSystem

/// A connection for one request. The request consists of a head in JSON and a body of bytes, and so does the reply. All
/// calls block.
package struct CloudSocket: Sendable {
    package let descriptor: FileDescriptor

    /// The connection ended before all data had arrived.
    package struct Ended: Error {}

    package init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    private static let headLimit = 256 << 20
    static let pieceSize = 1 << 16

    /// Sends a head, together with the number of bytes of the body that follows it.
    package func send(_ head: some Encodable, bodySize: Int = 0) throws {
        let text = try JSONEncoder().encode(head)
        var bytes: [UInt8] = []
        for size in [UInt64(text.count), UInt64(bodySize)] {
            withUnsafeBytes(of: size.bigEndian) { bytes += $0 }
        }
        bytes += text
        try send(bytes[...])
    }

    package func send(_ bytes: ArraySlice<UInt8>) throws {
        try bytes.withUnsafeBytes { try descriptor.writeAll($0) }
    }

    /// - Returns: The head, and the number of bytes that follow it.
    package func receive<Head: Decodable>(_: Head.Type) throws -> (Head, bodySize: Int) {
        let sizes = try receive(16)
        func number(_ start: Int) -> Int {
            Int(truncatingIfNeeded: sizes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        let (headSize, bodySize) = (number(0), number(8))
        guard headSize >= 0, headSize <= Self.headLimit, bodySize >= 0 else { throw Ended() }
        return (try JSONDecoder().decode(Head.self, from: Data(try receive(headSize))), bodySize)
    }

    /// Receives a number of bytes, and passes them on in pieces.
    package func receive(_ count: Int, _ take: (ArraySlice<UInt8>) throws -> Void) throws {
        var buffer = [UInt8](repeating: 0, count: min(max(1, count), Self.pieceSize))
        var left = count
        while left > 0 {
            let wanted = min(left, buffer.count)
            let received = try buffer.withUnsafeMutableBytes { bytes in
                try descriptor.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted]))
            }
            guard received > 0 else { throw Ended() }
            try take(buffer[..<received])
            left -= received
        }
    }

    package func receive(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        try receive(count) { bytes += $0 }
        return bytes
    }

    // MARK: Sockets

    /// Connects to the service on this machine.
    package static func connect(port: UInt16) throws -> CloudSocket {
        let descriptor = FileDescriptor(owning: try retrying { socket(AF_INET, streams, 0) })
        var address = loopback(port: port)
        try calling(with: &address) { Glibc.connect(descriptor.rawValue, $0, $1) }
        return CloudSocket(descriptor)
    }

    /// Connects to the control socket.
    package static func connect(path: String) throws -> CloudSocket {
        let descriptor = FileDescriptor(owning: try retrying { socket(AF_UNIX, streams, 0) })
        var address = try local(path)
        try calling(with: &address) { Glibc.connect(descriptor.rawValue, $0, $1) }
        return CloudSocket(descriptor)
    }

    /// - Returns: The listening socket and its port.
    static func listen() throws -> (FileDescriptor, port: UInt16) {
        let descriptor = FileDescriptor(owning: try retrying { socket(AF_INET, streams, 0) })
        var address = loopback(port: 0)
        try calling(with: &address) { bind(descriptor.rawValue, $0, $1) }
        _ = try retrying { Glibc.listen(descriptor.rawValue, 1024) }
        try calling(with: &address) { pointer, size in
            var size = size
            return getsockname(descriptor.rawValue, pointer, &size)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    static func listen(path: String) throws -> FileDescriptor {
        let descriptor = FileDescriptor(owning: try retrying { socket(AF_UNIX, streams, 0) })
        var address = try local(path)
        try calling(with: &address) { bind(descriptor.rawValue, $0, $1) }
        _ = try retrying { Glibc.listen(descriptor.rawValue, 64) }
        return descriptor
    }

    static func accept(_ descriptor: FileDescriptor) throws(Errno) -> CloudSocket {
        let accepted = FileDescriptor(owning: try retrying { Glibc.accept(descriptor.rawValue, nil, nil) })
        _ = try retrying { fcntl(accepted.rawValue, F_SETFD, FD_CLOEXEC) }
        return CloudSocket(accepted)
    }

    private static let streams = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func local(_ path: String) throws(Errno) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .nameTooLong }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return address
    }

    /// Calls a socket function with an address of any family.
    private static func calling<Address>(
        with address: inout Address, _ call: (UnsafeMutablePointer<sockaddr>, socklen_t) -> CInt
    ) throws(Errno) {
        let size = socklen_t(MemoryLayout<Address>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, size) }
        }
        if result < 0 { throw .current }
    }
}
