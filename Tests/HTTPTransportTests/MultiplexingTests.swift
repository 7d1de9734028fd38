import FileTesting
import Foundation
import HTTPTransport
import LinuxSystem
import ProgramTesting
import Testing

/// Requests over HTTP/2, which Debian's nginx speaks.
@Suite(.enabled(if: Requirement.isWanted(program: "nginx"))) struct MultiplexingTests {
    @Test func `parallel requests share a connection`() async throws {
        let server = try await Nginx()
        let client = try server.client()
        // The first response shows that the server speaks HTTP/2.
        #expect(try await client.send(server.request(.get, "file")).version == .http2)
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    var request = try server.request(.get, "file")
                    request.range = HTTPByteRange(number * 1_000..<(number + 1) * 1_000)
                    request.priority = number % 2 == 0 ? .interactive : .background
                    let response = try await client.send(request)
                    #expect(response.status == 206)
                    #expect(response.version == .http2)
                    #expect(response.body == Array(server.contents[number * 1_000..<(number + 1) * 1_000]))
                }
            }
            try await group.waitForAll()
        }
        #expect(try server.connections.count == 1)
    }

    @Test func `large bodies travel in both directions`() async throws {
        let server = try await Nginx()
        let client = try server.client()
        try await withThrowingTaskGroup { group in
            for number in 0..<6 {
                group.addTask {
                    let folder = try TestFolder()
                    let contents = pattern(5_000_000 + number)
                    let file = try folder.file("file", contents)
                    var upload = try server.request(.put, "upload-\(number)")
                    upload.body = .file(file, offset: 0, count: contents.count)
                    #expect(try await client.send(upload).status == 201)
                    let copy = try folder.file("copy")
                    let response = try await client.send(
                        server.request(.get, "upload-\(number)"), to: .file(copy, offset: 0))
                    #expect(response.deliveredCount == contents.count)
                    #expect(try folder.content("copy") == contents)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `limits hold transfers without harm`() async throws {
        let server = try await Nginx()
        let client = try server.client()
        client.setLimits(download: 4_000_000, upload: 4_000_000)
        try await withThrowingTaskGroup { group in
            for number in 0..<4 {
                group.addTask {
                    var upload = try server.request(.put, "limited-\(number)")
                    upload.body = .bytes(pattern(500_000 + number))
                    #expect(try await client.send(upload).status == 201)
                    let response = try await client.send(server.request(.get, "limited-\(number)"))
                    #expect(response.body == pattern(500_000 + number))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `an upload that is too large is refused`() async throws {
        let server = try await Nginx()
        let file = try TestFolder().file("file")
        try file.truncate(to: 100 << 20)
        var upload = try server.request(.put, "large")
        upload.body = .file(file, offset: 0, count: 100 << 20)
        let client = try server.client()
        #expect(try await client.send(upload).status == 413)
        #expect(try await client.send(server.request(.get, "file")).isSuccess)
    }

    @Test func `a slow reader does not delay other requests`() async throws {
        let server = try await Nginx()
        let client = try server.client()
        var upload = try server.request(.put, "large")
        upload.body = .bytes(pattern(20_000_000))
        #expect(try await client.send(upload).isSuccess)
        let slow = try await client.stream(server.request(.get, "large"))
        for _ in 0..<20 { #expect(try await client.send(server.request(.get, "file")).body == server.contents) }
        var count = 0
        while let bytes = try await slow.next() { count += bytes.count }
        #expect(count == 20_000_000)
    }

    @Test func `a cancelled request leaves the connection to others`() async throws {
        let server = try await Nginx()
        let client = try server.client()
        for _ in 0..<10 {
            let stream = try await client.stream(server.request(.get, "file"))
            _ = stream.response
        }
        #expect(try await client.send(server.request(.get, "file")).body == server.contents)
        #expect(try server.connections.count == 1)
    }
}

/// An nginx that serves a directory over HTTP/2 and accepts uploads. It has no workers, because they would outlive it.
private final class Nginx: Sendable {
    let contents = pattern(200_000)
    private let certificate: TestCertificate
    private let program: RunningProgram
    private let port: Int
    private let folder: TestFolder

    init() async throws {
        let certificate = try await TestCertificate()
        let folder = try TestFolder()
        for name in ["files", "bodies"] { try folder.folder(name) }
        try folder.file("files/file", contents)
        let port = ListeningSocket.freePort()
        let settings = """
            daemon off; pid \(folder.path)/pid; error_log \(folder.path)/errors; master_process off;
            events { worker_connections 256; }
            http {
                log_format connections "$connection $server_protocol"; access_log \(folder.path)/log connections;
                client_body_temp_path \(folder.path)/bodies; proxy_temp_path \(folder.path)/bodies/p;
                fastcgi_temp_path \(folder.path)/bodies/f; uwsgi_temp_path \(folder.path)/bodies/u;
                scgi_temp_path \(folder.path)/bodies/s; client_max_body_size 30m;
                server {
                    listen 127.0.0.1:\(port) ssl http2; root \(folder.path)/files; dav_methods PUT DELETE;
                    ssl_certificate \(certificate.path); ssl_certificate_key \(certificate.keyPath);
                }
            }
            """
        try folder.file("settings", Array(settings.utf8))
        let arguments = ["-p", folder.path, "-c", folder.path + "/settings", "-e", folder.path + "/errors"]
        program = try RunningProgram("/usr/sbin/nginx", arguments)
        self.port = port
        self.certificate = certificate
        self.folder = folder
        let client = try client()
        while program.isRunning {
            let error = await failure { _ = try await client.send(request(.head, "file")) }
            if case .refused = error { try await Task.sleep(for: .milliseconds(10)) } else { break }
        }
    }

    func request(_ method: HTTPMethod, _ name: String) throws -> HTTPRequest {
        HTTPRequest(method, try HTTPAddress("https://127.0.0.1:\(port)/\(name)"))
    }

    func client() throws -> HTTPClient {
        var configuration = HTTPConfiguration.direct
        configuration.trust.authorities = try certificate.bytes
        return try HTTPClient(configuration)
    }

    /// The connections of all requests, except the requests that waited for the server's start.
    var connections: Set<Substring> {
        get throws {
            let log = try String(contentsOfFile: folder.path + "/log", encoding: .utf8).split(separator: "\n")
            return Set(log.dropFirst().compactMap { $0.split(separator: " ").first })
        }
    }
}
