import CLinux
import Glibc

/// A packet that was received, except for the bytes, which are in the receiver's buffer.
package struct ReceivedPacket: Sendable {
    /// The number of bytes that were written to the buffer. 0 if the peer has closed the connection, or if the packet
    /// has no bytes.
    package let byteCount: Int
    /// The descriptors that were sent with the packet.
    package let descriptors: [FileDescriptor]
    /// Whether a part of the packet was lost, because bytes did not fit into the buffer, or descriptors could not be
    /// installed in this process.
    package let isTruncated: Bool
}

extension SequencedPacketSocket {
    /// Sends a packet. Either the whole packet is sent, or an error is thrown.
    ///
    /// - Throws: `wouldBlock` if the send buffer is full, `brokenPipe` or `connectionReset` if the peer has closed,
    ///   `messageTooLong` if the packet exceeds the send buffer, `tooManyDescriptorsInFlight`, or `invalidArgument` for
    ///   more than ``descriptorLimit`` descriptors. `EBADF` is never thrown, because a `FileDescriptor` keeps its
    ///   descriptor open.
    package func send(
        _ bytes: UnsafeRawBufferPointer, descriptors: [FileDescriptor] = []
    ) throws(Errno) {
        guard !descriptors.isEmpty else {
            try retrying { clinux_send(descriptor.rawValue, bytes.baseAddress, bytes.count, nil, 0) }
            return
        }
        guard descriptors.count <= Self.descriptorLimit else { throw .invalidArgument }
        let numbers = descriptors.map(\.rawValue)
        try retrying {
            clinux_send(descriptor.rawValue, bytes.baseAddress, bytes.count, numbers, CInt(numbers.count))
        }
        withExtendedLifetime(descriptors) {}
    }

    /// Receives a packet. The received descriptors are close-on-exec.
    ///
    /// Receives all descriptors of a packet, even if the caller does not use them. If some were not received, the
    /// kernel would close them on the calling thread, and the close might block.
    ///
    /// - Parameter lane: the queue that closes the received descriptors. With `nil`, the thread that releases the last
    ///   reference to a descriptor closes it.
    /// - Throws: `wouldBlock` if no packet has arrived. `connectionReset`, once, if the peer closed the connection
    ///   without having read all packets. After this error, packets that the peer sent earlier can still be received.
    package func receive(
        into buffer: UnsafeMutableRawBufferPointer, closingOn lane: DescriptorCloseQueue? = nil
    ) throws(Errno) -> ReceivedPacket {
        let room = Self.receivedDescriptorLimit
        var count = CInt(room)
        var truncated: CInt = 0
        var received = 0
        var descriptors: [FileDescriptor] = []
        let failure: Errno? = withUnsafeTemporaryAllocation(of: CInt.self, capacity: room) { numbers in
            repeat {
                count = CInt(room)
                received = clinux_receive(
                    descriptor.rawValue, buffer.baseAddress, buffer.count, numbers.baseAddress, &count, &truncated)
            } while received < 0 && errno == EINTR
            if received < 0 { return .current }
            if count > 0 {
                descriptors = numbers[..<Int(count)].map { FileDescriptor(owning: $0, closedOn: lane) }
            }
            return nil
        }
        if let failure { throw failure }
        return ReceivedPacket(byteCount: received, descriptors: descriptors, isTruncated: truncated != 0)
    }

    /// The total number of descriptors in packets that were sent to this socket and not received yet, or `nil` if the
    /// kernel does not report it.
    package var waitingDescriptorCount: Int? {
        guard let file = try? FileDescriptor.open("/proc/self/fdinfo/\(descriptor.rawValue)", .readOnly),
            let bytes = try? file.readToEnd(limit: 4096)
        else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("scm_fds:") }
        return line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
    }
}
