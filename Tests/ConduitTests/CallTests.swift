import Conduit
import LinuxSystem
import Testing

@Suite struct CallTests {
    private func echoing() -> Service {
        var service = Service()
        service.on(Echo.self) { request, exchange in exchange.reply(request.parcel) }
        return service
    }

    @Test func aReplyCarriesWhatTheRequestDid() async throws {
        let (client, server) = try Connection.pair(Service(), echoing())
        defer { client.close() }
        _ = server
        let reply = try await client.call(Echo(Parcel(number: -7, words: "héllo", bytes: [1, 2, 3])))
        #expect(reply.number == -7)
        #expect(reply.words == "héllo")
        #expect(reply.bytes == [1, 2, 3])
    }

    @Test func descriptorsTravelInBothDirections() async throws {
        let (client, server) = try Connection.pair(Service(), echoing())
        defer { client.close() }
        _ = server
        let file = try MemoryFile.create(name: "test")
        try [UInt8]("content".utf8).withUnsafeBytes { try file.writeAll($0) }
        let reply = try await client.call(Echo(Parcel(files: [file, file])))
        #expect(reply.files.count == 2)
        #expect(try reply.files.first?.status().identity == file.status().identity)
        #expect(reply.files.first?.rawValue != file.rawValue)
    }

    @Test(arguments: [60_000, 65_500, 65_536, 70_000, 5_000_000])
    func aMessageOfAnySizeUpToTheLimitArrivesWhole(size: Int) async throws {
        let (client, server) = try Connection.pair(Service(), echoing())
        defer { client.close() }
        _ = server
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let reply = try await client.call(Echo(Parcel(bytes: bytes)))
        #expect(reply.bytes == bytes)
    }
}
