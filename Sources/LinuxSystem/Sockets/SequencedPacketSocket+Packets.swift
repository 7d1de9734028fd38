import CLinux
import Glibc

/// The result of one receive.
package struct ReceivedPacket: Sendable {
    /// The number of bytes written to the buffer. 0 if the peer has closed, or for a packet without bytes.
    package let byteCount: Int
    /// The descriptors of the packet, each with an owner, so that none leaks.
    package let descriptors: [FileDescriptor]
    /// Whether bytes did not fit into the buffer, or descriptors could not be installed in this process.
    package let isTruncated: Bool
}

extension SequencedPacketSocket {
    /// Sends a packet, whole or not at all.
    ///
    /// - Throws: `wouldBlock` if the send buffer is full, `brokenPipe` or `connectionReset` if the peer has closed,
    ///   `messageTooLong` if the packet exceeds the send buffer, `tooManyDescriptorsInFlight`, or `invalidArgument`
    ///   for more than ``descriptorLimit`` descriptors. Never `EBADF`: a `FileDescriptor` keeps its descriptor open.
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

    /// Receives a packet. Its descriptors are close-on-exec.
    ///
    /// Receives all descriptors of a packet, even if the caller wants none. The kernel would close descriptors that do
    /// not fit on this thread, which may block.
    ///
    /// - Parameter lane: the queue that closes the received descriptors. With `nil`, the thread that releases the last
    ///   reference to a descriptor closes it.
    /// - Throws: `wouldBlock` if no packet waits. `connectionReset` once if the peer closed without having read
    ///   everything. Packets that it sent before can still be received after that.
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

    /// The number of descriptors in packets that were sent to this socket and not received, or `nil` if the kernel
    /// does not report it.
    package var waitingDescriptorCount: Int? {
        guard let file = try? FileDescriptor.open("/proc/self/fdinfo/\(descriptor.rawValue)", .readOnly),
            let bytes = try? file.readToEnd(limit: 4096)
        else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("scm_fds:") }
        return line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
    }
}
