import Glibc
package import LinuxSystem

/// The messages to and from `purvey-passthrough`. Each is one packet.
package enum PassthroughMessage {
    /// The first request, with the descriptor of a FUSE device.
    package static let greeting: Int32 = 0
    /// A request to register a backing file, with its descriptor.
    package static let open: Int32 = 1
    /// A request to unregister a backing file, with the kernel's identifier of the file.
    package static let close: Int32 = 2

    /// A request: the operation, which is one of the constants, and for ``close`` the kernel's identifier of the file.
    package typealias Request = (operation: Int32, number: Int32)
    /// A reply: a result that is not negative, or a negative error number.
    package typealias Reply = Int32

    /// The helper's first message, sent without a request: 0, or a negative error number. It is shorter than a reply,
    /// so that a client that does not know this message rejects it, instead of reading it as a reply.
    package typealias Welcome = Int16
}

/// Sends and receives packets that contain one value.
extension SequencedPacketSocket {
    package func send(
        value: some BitwiseCopyable, descriptors: [FileDescriptor] = []
    ) throws(Errno) {
        try withUnsafeBytes(of: value) { bytes throws(Errno) in try send(bytes, descriptors: descriptors) }
    }

    /// Receives a value. Fails with `connectionReset` if the peer has closed the connection, or has sent a packet of
    /// another size.
    ///
    /// - Parameter value: is set to the received value.
    /// - Returns: the received descriptors.
    @discardableResult
    package func receive<Value: BitwiseCopyable>(value: inout Value) throws(Errno) -> [FileDescriptor] {
        let packet = try withUnsafeMutableBytes(of: &value) { bytes throws(Errno) in try receive(into: bytes) }
        guard packet.byteCount == MemoryLayout<Value>.size, !packet.isTruncated else { throw .connectionReset }
        return packet.descriptors
    }

    /// Blocks until a packet can be received or the peer has closed the connection. Fails with `timedOut` after the
    /// given number of milliseconds; -1 means no limit.
    package func waitForPacket(milliseconds: CInt = -1) throws(Errno) {
        var request = pollfd(fd: descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        guard try retrying({ poll(&request, 1, milliseconds) }) > 0 else { throw .timedOut }
    }
}
