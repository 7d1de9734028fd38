import CLinux
import Glibc

/// What one receive brought.
package struct ReceivedPacket: Sendable {
    /// The bytes written to the buffer; 0 when the peer has closed (or has sent a packet without bytes).
    package let byteCount: Int
    /// The descriptors that came along, owned from the first moment so that no path leaks one.
    package let descriptors: [FileDescriptor]
    /// Bytes did not fit into the buffer, or descriptors could not be installed in this process.
    package let isTruncated: Bool
}

extension SequencedPacketSocket {
    /// Sends one packet whole or not at all.
    ///
    /// Fails with `wouldBlock` when the socket's buffer is full, `brokenPipe` or `connectionReset` when the peer is
    /// gone, `messageTooLong` when the packet exceeds the send buffer, and `tooManyDescriptorsInFlight`. Another error
    /// number in a descriptor's place (`EBADF`) cannot happen: descriptors are objects that keep theirs open.
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

    /// Receives one packet, with descriptors that are close-on-exec. Fails with `wouldBlock` when there is none.
    ///
    /// `connectionReset` is reported once when the peer closed without having read everything; packets that it had
    /// sent before can still be received after that.
    ///
    /// All descriptors of a packet arrive, even those that no caller wants: the kernel would close the rest on this
    /// thread.
    ///
    /// - Parameter lane: closes the descriptors that arrive; `nil` closes each on the thread that drops it.
    package func receive(
        into buffer: UnsafeMutableRawBufferPointer, closingOn lane: ClosingLane? = nil
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

    /// How many descriptors wait in packets that were sent to it, or `nil` where the kernel does not say.
    package var waitingDescriptorCount: Int? {
        guard let file = try? FileDescriptor.open("/proc/self/fdinfo/\(descriptor.rawValue)", .readOnly),
            let bytes = try? file.readToEnd(limit: 4096)
        else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("scm_fds:") }
        return line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
    }
}
