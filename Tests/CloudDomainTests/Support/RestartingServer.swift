import CloudTesting
import FileTesting
import Foundation
import HTTPTransport
import LinuxSystem
import NextcloudTesting
import ProgramTesting
import Testing

/// The Nextcloud server of `Tests/CloudServers`, which a test can end and start again with the same files at the same
/// address.
final class RestartingServer: Sendable {
    private let folder: TestFolder
    private let http: HTTPClient

    private struct State {
        var program: RunningProgram?
        var address: HTTPAddress?
    }

    // Leaf lock.
    private let state = Lock(State())

    /// Starts the server.
    init() async throws {
        folder = try TestFolder()
        http = try HTTPClient(.direct)
        try await start()
    }

    deinit { state.withLock { $0.program }?.closeInput() }

    /// The range of the server's port. The kernel assigns these ports to no other program, so that the port stays
    /// unused while the server does not run.
    private static let ports = 20_000..<32_000

    /// Starts the server again at its former address.
    func start() async throws {
        let known = state.withLock { $0.address?.origin.port }
        var errors = ""
        for _ in 0..<100 {
            let program = try run(at: known ?? Int.random(in: Self.ports))
            if let line = try await program.lines(1).first, line.hasPrefix("http") {
                let address = try HTTPAddress(line).asDirectory
                return state.withLock { $0 = State(program: program, address: address) }
            }
            // Another program has the port.
            errors = try await program.end().errors
            try await Task.sleep(for: .milliseconds(100))
        }
        throw UnexpectedError(error: errors)
    }

    private func run(at port: Int) throws -> RunningProgram {
        let script =
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path + "/CloudServers/serve"
        return try RunningProgram(
            "/usr/bin/python3",
            [script, "--port", "\(port)", "nextcloud", "--directory", folder.path + "/state"], input: .pipe)
    }

    /// Ends the server. Its files remain.
    func end() async throws {
        let program = state.withLock { $0.program.take() }
        program?.closeInput()
        _ = try await program?.end()
    }

    /// The address.
    var address: HTTPAddress {
        get throws { try #require(state.withLock { $0.address }) }
    }

    /// Performs an action of `nextcloud/control.py`, and returns its reply.
    @discardableResult
    func order(_ action: String, _ fields: [String: any Sendable] = [:]) async throws -> [String: Any] {
        var request = HTTPRequest(.post, try address.resolving("-/\(action)"))
        request.body = .bytes([UInt8](try JSONSerialization.data(withJSONObject: fields)))
        let response = try await http.send(request)
        guard response.isSuccess else { throw UnexpectedError(error: String(decoding: response.body, as: UTF8.self)) }
        return try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any] ?? [:]
    }

    /// Writes a file as another client.
    func write(_ path: String, _ text: String) async throws {
        try await order("write", ["user": "alice", "path": path, "text": text])
    }

    /// Returns the text of a file; `nil` if there is none.
    func text(_ path: String) async throws -> String? {
        try await order("show", ["user": "alice", "path": path])["text"] as? String
    }

    /// Grants a login as a user does in the browser.
    ///
    /// - Parameter link: the link that the client shows.
    func grant(_ link: String) async throws {
        var request = HTTPRequest(.post, try address.resolving("index.php/login/v2/grant"))
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        request.body = .text("token=\(link.split(separator: "/").last ?? "")&user=alice&password=secret")
        let response = try await http.send(request)
        #expect(response.isSuccess)
    }
}
