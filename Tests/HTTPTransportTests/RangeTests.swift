import FileTesting
import HTTPTransport
import LinuxSystem
import Testing

struct RangeTests {
    /// The paths of a server that sends the part, of one that sends it with status 200, and of one that sends the whole
    /// file.
    @Test(arguments: ["/file/300000", "/part-as-whole/300000", "/whole/300000"])
    func `exactly the requested part arrives`(path: String) async throws {
        let server = try await TestServer()
        let client = try HTTPClient(.direct)
        let whole = TestServer.pattern(300_000)
        for range in [0..<1, 0..<300_000, 1_000..<200_000, 299_999..<300_000, 150_000..<400_000] {
            let folder = try TestFolder()
            let file = try folder.file("file")
            var request = try server.request(.get, path)
            request.range = HTTPByteRange(range)
            let response = try await client.send(request, to: .file(file, offset: 5))
            let expected = Array(whole[range.clamped(to: 0..<300_000)])
            #expect(response.isSuccess)
            #expect(response.deliveredCount == expected.count)
            #expect(try Array(folder.content("file").dropFirst(5)) == expected)
        }
    }

    @Test func `a part to the end of the file arrives`() async throws {
        let server = try await TestServer()
        var request = try server.request(.get, "/file/1000")
        request.range = HTTPByteRange(from: 900)
        let response = try await HTTPClient(.direct).send(request)
        #expect(response.status == 206)
        #expect(response.body == Array(TestServer.pattern(1_000)[900...]))
        #expect(response.contentRange == HTTPContentRange("bytes 900-999/1000"))
        request.range = HTTPByteRange(from: 1_000)
        #expect(try await HTTPClient(.direct).send(request).status == 416)
    }

    @Test(arguments: ["/wrong-part", "/unnamed-part", "/more"])
    func `another part than the requested one is refused`(path: String) async throws {
        let server = try await TestServer()
        var request = try server.request(.get, path)
        request.range = HTTPByteRange(0..<10)
        let file = try TestFolder().file("file")
        let error = await failure {
            _ = try await HTTPClient(.direct).send(request, to: .file(file, offset: 0))
        }
        guard case .invalidReply = error else { throw Unexpected(error: error) }
    }

    @Test func `a part that was not requested is refused`() async throws {
        let server = try await TestServer()
        let error = await failure { _ = try await HTTPClient(.direct).send(server.request(.get, "/wrong-part")) }
        guard case .invalidReply = error else { throw Unexpected(error: error) }
    }

    @Test func `a part with fewer bytes than announced is refused`() async throws {
        let server = try await TestServer()
        var request = try server.request(.get, "/less")
        request.range = HTTPByteRange(0..<10)
        let error = await failure { _ = try await HTTPClient(.direct).send(request) }
        guard case .truncated(_, received: 5, announced: 10) = error else { throw Unexpected(error: error) }
    }
}
