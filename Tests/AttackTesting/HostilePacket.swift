import Glibc
import LinuxSystem

/// One packet for a Unix domain socket, with as many descriptors as the kernel permits.
package struct HostilePacket: Sendable {
    package var bytes: [UInt8]
    package var descriptors: [FileDescriptor]

    /// The maximum number of descriptors in one packet, which is the kernel's SCM_MAX_FD.
    package static let descriptorLimit = 253

    package init(_ bytes: [UInt8], _ descriptors: [FileDescriptor] = []) {
        self.bytes = bytes
        self.descriptors = descriptors
    }

    /// Sends the packet without waiting, and without the limits that ``SequencedPacketSocket`` imposes.
    package func send(over socket: SequencedPacketSocket) throws(Errno) {
        var control = Self.control(descriptors.map(\.rawValue))
        var bytes = bytes
        let result = bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var vector = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &vector) { vector in
                    var message = msghdr()
                    (message.msg_iov, message.msg_iovlen) = (vector, 1)
                    (message.msg_control, message.msg_controllen) = (control.baseAddress, control.count)
                    return Self.send(&message, over: socket)
                }
            }
        }
        withExtendedLifetime(descriptors) {}
        guard result == 0 else { throw Errno(rawValue: result) }
    }

    /// - Returns: 0, or an error number.
    private static func send(_ message: inout msghdr, over socket: SequencedPacketSocket) -> CInt {
        while sendmsg(socket.descriptor.rawValue, &message, CInt(MSG_NOSIGNAL | MSG_DONTWAIT)) < 0 {
            if errno != EINTR { return errno }
        }
        return 0
    }

    /// Returns the control message that carries descriptors, in the layout of cmsg(3).
    private static func control(_ numbers: [CInt]) -> [UInt8] {
        guard !numbers.isEmpty else { return [] }
        let head = MemoryLayout<UInt>.size + 2 * MemoryLayout<CInt>.size
        let length = head + numbers.count * MemoryLayout<CInt>.size
        var control = [UInt8](repeating: 0, count: (length + 7) / 8 * 8)
        control.withUnsafeMutableBytes { room in
            room.storeBytes(of: UInt(length), as: UInt.self)
            room.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: CInt.self)
            // SCM_RIGHTS.
            room.storeBytes(of: 1, toByteOffset: 12, as: CInt.self)
            for (index, number) in numbers.enumerated() {
                room.storeBytes(of: number, toByteOffset: head + index * 4, as: CInt.self)
            }
        }
        return control
    }
}
