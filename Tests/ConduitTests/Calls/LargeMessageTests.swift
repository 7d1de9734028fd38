import Conduit
import ConduitTestMessages
import LinuxSystem
import TestThreads
import Testing

/// Bodies in memory files, from a peer that violates the protocol.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct LargeMessageTests {
    private let echo = CBORValue.unsigned(Echo.method)

    private func body(of size: Int) -> [UInt8] {
        let parcel: CBORValue = .map([
            (.unsigned(0), .unsigned(9)), (.unsigned(2), .bytes([UInt8](repeating: 3, count: size))),
        ])
        return CBORValue.map([(.unsigned(0), parcel)]).encoded
    }

    private func memoryFile(_ bytes: [UInt8], isSealed: Bool = true) throws -> FileDescriptor {
        let file = try MemoryFile.create(name: "test")
        try bytes.withUnsafeBytes { try file.writeAll($0) }
        if isSealed { try MemoryFile.seal(file) }
        return file
    }

    @Test func aBodyInASealedMemoryFileIsRead() throws {
        let peer = try RawPeer()
        let body = body(of: 200_000)
        try peer.send(.request, call: 5, [echo, .unsigned(UInt64(body.count))], [memoryFile(body)])
        let reply = try #require(try peer.receive())
        guard case .array(let elements) = reply.frame, case .unsigned(let size) = elements.last else {
            Issue.record("\(reply)")
            return
        }
        #expect(size > 200_000)
        let file = try #require(reply.descriptors.first)
        #expect(MemoryFile.isSealed(file))
        #expect(try file.status().size == Int(size))
    }

    @Test func aBodyThatCouldStillChangeIsRefused() throws {
        let peer = try RawPeer()
        let body = body(of: 100)
        try peer.send(
            .request, call: 5, [echo, .unsigned(UInt64(body.count))], [memoryFile(body, isSealed: false)])
        #expect(try peer.receiveFailure(of: 5) == .malformedRequest)
        #expect(try peer.isAlive())
    }

    @Test(arguments: [-1, 1, 4096]) func aBodyOfAnotherSizeThanDeclaredIsRefused(difference: Int) throws {
        let peer = try RawPeer()
        let body = body(of: 100)
        try peer.send(
            .request, call: 5, [echo, .unsigned(UInt64(body.count + difference))], [memoryFile(body)])
        #expect(try peer.receiveFailure(of: 5) == .malformedRequest)
        #expect(try peer.isAlive())
    }

    @Test func aBodyThatIsMissingIsRefused() throws {
        let peer = try RawPeer()
        try peer.send(.request, call: 5, [echo, .unsigned(100)])
        #expect(try peer.receiveFailure(of: 5) == .malformedRequest)
        #expect(try peer.isAlive())
    }

    @Test func aBodyInSomethingElseThanAMemoryFileIsRefused() throws {
        let peer = try RawPeer()
        for path in ["/dev/zero", "/proc/self/exe", "/"] {
            try peer.send(.request, call: 5, [echo, .unsigned(100)], [.open(path, .readOnly)])
            #expect(try peer.receiveFailure(of: 5) == .malformedRequest)
        }
        #expect(try peer.isAlive())
    }

    @Test(arguments: [1001, 1 << 40, UInt64.max]) func aBodyBeyondTheLimitIsRefused(size: UInt64) throws {
        let peer = try RawPeer(limits: ConnectionLimits(messageSize: 1000))
        try peer.send(.request, call: 5, [echo, .unsigned(size)], [memoryFile(body(of: 2000))])
        #expect(try peer.receiveFailure(of: 5) == .oversized)
        #expect(try peer.isAlive())
    }

    @Test func anEmptyBodyIsRefused() throws {
        let peer = try RawPeer()
        try peer.send(.request, call: 5, [echo, .unsigned(0)], [memoryFile([])])
        #expect(try peer.receiveFailure(of: 5) == .malformedRequest)
        #expect(try peer.isAlive())
    }
}
