import Glibc
package import LinuxSystem

/// What a process says to `purvey-passthrough`, and hears from it. Each message is one packet.
package enum PassthroughMessage {
    /// Comes first, with the descriptor of a FUSE device.
    package static let greeting: Int32 = 0
    /// Comes with the descriptor of a backing file.
    package static let open: Int32 = 1
    /// Comes with the number of a backing file.
    package static let close: Int32 = 2

    /// What is asked for, and a number.
    package typealias Question = (what: Int32, number: Int32)
    /// Not negative, or an error number with its sign changed.
    package typealias Answer = Int32

    /// Comes unasked, before anything is sent to it: 0, or an error number with its sign changed. Shorter than an answer, so that
    /// nobody who does not expect it takes it for one.
    package typealias Welcome = Int16
}

/// Packets that are one value each.
extension SequencedPacketSocket {
    package func send(
        value: some BitwiseCopyable, descriptors: [FileDescriptor] = []
    ) throws(Errno) {
        try withUnsafeBytes(of: value) { bytes throws(Errno) in try send(bytes, descriptors: descriptors) }
    }

    /// Receives one. Fails with `connectionReset` where the peer has gone or has sent something else.
    ///
    /// - Parameter value: is what was received from then on.
    /// - Returns: what came along.
    @discardableResult
    package func receive<Value: BitwiseCopyable>(value: inout Value) throws(Errno) -> [FileDescriptor] {
        let packet = try withUnsafeMutableBytes(of: &value) { bytes throws(Errno) in try receive(into: bytes) }
        guard packet.byteCount == MemoryLayout<Value>.size, !packet.isTruncated else { throw .connectionReset }
        return packet.descriptors
    }

    /// Blocks until there is something to receive, or the peer has gone, but not for longer than so many milliseconds; -1 waits
    /// without end. Fails with `timedOut`.
    package func waitForPacket(milliseconds: CInt = -1) throws(Errno) {
        var request = pollfd(fd: descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        guard try retrying({ poll(&request, 1, milliseconds) }) > 0 else { throw .timedOut }
    }
}
