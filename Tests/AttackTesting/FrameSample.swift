import Conduit
import Glibc
import LinuxSystem

/// A frame that a ``Connection`` sends, divided into its parts. Hostile frames are variations of it.
package struct FrameSample: Sendable {
    /// The kinds of frames, as they are encoded in a packet.
    package enum Kind: UInt64, CaseIterable, Sendable { case request, reply, failure, progress, cancel, notice }

    package let kind: Kind
    package let method: UInt64
    package let body: CBORValue
    package let descriptorCount: Int

    package struct NoFrame: Error {}

    package init(of request: some Call) throws {
        try self.init { $0.call(request) { _ in } }
    }

    package init(of notice: some Notice) throws {
        try self.init { try $0.notify(notice) }
    }

    /// Creates a sample from the frame that a connection sends.
    private init(_ send: (Connection) throws -> Void) throws {
        let (near, far) = try SequencedPacketSocket.pair()
        let connection = try Connection(near)
        defer { connection.close() }
        try send(connection)
        var request = pollfd(fd: far.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        guard try retrying({ poll(&request, 1, 300_000) }) > 0 else { throw NoFrame() }
        var buffer = [UInt8](repeating: 0, count: 70_000)
        let packet = try buffer.withUnsafeMutableBytes { try far.receive(into: $0) }
        let frame = try buffer.withUnsafeBytes {
            try CBORValue(decoding: UnsafeRawBufferPointer(rebasing: $0[..<packet.byteCount]))
        }
        guard case .array(let elements) = frame, elements.count == 5, case .unsigned(let number) = elements[0],
            let kind = Kind(rawValue: number), case .unsigned(let method) = elements[3]
        else { throw NoFrame() }
        (self.kind, self.method, body) = (kind, method, elements[4])
        descriptorCount = packet.descriptors.count
    }
}
