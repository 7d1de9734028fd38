import Conduit
import ConduitTestMessages
import LinuxSystem

/// Passes descriptors in every supported way: with calls, replies and large messages, to calls that fail, get no reply
/// or are cancelled, in packets that the receiver does not understand, and to a connection that ends.
func exercise(rounds: Int) async throws {
    let tests = TestService()
    for _ in 0..<rounds {
        let (client, server) = try Connection.pair(Service(), tests.service)
        let file = try MemoryFile.create(name: "exercise")
        let parcel = Parcel(files: [FileDescriptor](repeating: file, count: 8))
        for _ in 0..<20 { _ = try await client.call(Echo(parcel)) }
        let large = Parcel(bytes: [UInt8](repeating: 1, count: 100_000), files: parcel.files)
        for _ in 0..<5 { _ = try await client.call(Echo(large)) }
        for _ in 0..<5 { client.call(Echo(parcel)) { _ in }.cancel() }
        let abandoned = client.call(Wait()) { _ in }
        abandoned.cancel()
        client.call(Wait()) { _ in }
        _ = try? await client.call(Drop())
        await closing(client, server)
        tests.dropWaits()
        try await violate(with: file)
    }
}

/// Sends descriptors in packets that are refused one by one, and in one packet that ends the connection.
private func violate(with file: FileDescriptor) async throws {
    let (near, far) = try SequencedPacketSocket.pair()
    let server = try Connection(far, service: TestService().service)
    let packets: [CBORValue] = [
        .array([.unsigned(0), .unsigned(1), .unsigned(7), .unsigned(1), .map([])]),
        .array([.unsigned(0), .unsigned(2), .unsigned(2), .unsigned(999), .map([])]),
        .array([.unsigned(0), .unsigned(3), .unsigned(2), .unsigned(1), .unsigned(10)]),
        .array([.unsigned(1), .unsigned(4), .unsigned(2), .map([])]),
        .array([.unsigned(5), .unsigned(0), .unsigned(2), .unsigned(1), .map([])]),
        .array([.unsigned(77), .unsigned(0), .unsigned(2)]),
        .text("not a frame at all"),
    ]
    for packet in packets {
        try packet.encoded.withUnsafeBytes { try near.send($0, descriptors: [file, file]) }
    }
    await withCheckedContinuation { continuation in
        server.onClose { _ in continuation.resume() }
    }
}

private func closing(_ client: Connection, _ server: Connection) async {
    client.close()
    for connection in [client, server] {
        await withCheckedContinuation { continuation in
            connection.onClose { _ in continuation.resume() }
        }
    }
}
