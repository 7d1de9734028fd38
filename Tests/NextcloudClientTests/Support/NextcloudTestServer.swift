import FileTesting
import Foundation
import HTTPTransport
import LinuxSystem
import NextcloudClient
import ProgramTesting
import Testing
import WebDAVClient

/// The Nextcloud of `Tests/CloudServers` in a process of its own, with the user alice.
final class NextcloudTestServer: Sendable {
    private let program: RunningProgram
    private let folder: TestFolder
    let address: HTTPAddress
    /// The connection for control, which no fault affects.
    private let http: HTTPClient

    init() async throws {
        let clouds =
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path + "/CloudServers"
        folder = try TestFolder()
        program = try RunningProgram(
            "/usr/bin/python3", ["\(clouds)/serve", "nextcloud", "--directory", folder.path + "/state"], input: .pipe)
        guard let line = try await program.lines(1).first, line.hasPrefix("http") else {
            throw UnexpectedError(error: try await program.end().errors)
        }
        address = try HTTPAddress(line).asDirectory
        http = try HTTPClient(.direct)
    }

    deinit {
        program.closeInput()
        Task.detached { [program] in _ = try? await program.end() }
    }

    /// Returns a client for alice, at the server or at a proxy before it.
    func client(at address: HTTPAddress? = nil, password: String = "secret") throws -> NextcloudClient {
        let files = DAVClient(
            try HTTPClient(.direct), credentials: .basic(user: "alice", password: password))
        return NextcloudClient(server: address ?? self.address, user: "alice", files: files)
    }

    /// Orders an action of `nextcloud/control.py`, and returns its reply.
    @discardableResult
    func order(_ action: String, _ fields: [String: any Sendable] = [:]) async throws -> [String: Any] {
        var request = HTTPRequest(.post, try address.resolving("-/\(action)"))
        request.body = .bytes([UInt8](try JSONSerialization.data(withJSONObject: fields)))
        let response = try await http.send(request)
        guard response.isSuccess else { throw UnexpectedError(error: String(decoding: response.body, as: UTF8.self)) }
        return try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any] ?? [:]
    }

    /// Writes as another client.
    func write(_ path: String, _ text: String) async throws {
        try await order("write", ["user": "alice", "path": path, "text": text])
    }

    /// Returns what is at a path.
    func show(_ path: String) async throws -> [String: Any] {
        try await order("show", ["user": "alice", "path": path])
    }

    /// Returns the requests so far with a method, and the paths and fields of their heads.
    func requests(_ method: String) async throws -> [(path: String, status: Int, headers: [String: String])] {
        let all = try await order("requests")["requests"] as? [[String: Any]] ?? []
        return all.filter { $0["method"] as? String == method }.map {
            ($0["path"] as? String ?? "", $0["status"] as? Int ?? 0, $0["headers"] as? [String: String] ?? [:])
        }
    }

    /// Sends a request without a password, as a browser does.
    func browse(_ method: HTTPMethod, _ path: String, form: String = "") async throws -> HTTPResponse {
        var request = HTTPRequest(method, try address.resolving(path))
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        request.body = .text(form)
        return try await http.send(request)
    }
}

/// A proxy with faults before a server.
final class FaultyProxy: Sendable {
    private let program: RunningProgram
    let root: HTTPAddress

    init(before address: HTTPAddress) async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        program = try RunningProgram(
            "/usr/bin/python3", ["\(folder)/CloudServers/proxy", address.description], input: .pipe)
        root = try HTTPAddress(try await program.lines(1).first ?? "").asDirectory
    }

    deinit { program.closeInput() }

    /// Sends a command and waits for its reply.
    func command(_ json: String, number: Int) async throws {
        try program.write(json + "\n")
        _ = try await program.lines(number + 1)
    }
}

struct UnexpectedError: Error {
    let error: Any

    init(error: Any?) { self.error = error ?? "no error" }
}

extension UnexpectedError: @unchecked Sendable {
    // Sendable: only the description is used, when the test has failed.
}

/// Returns the error of a server that an operation ends with.
func failure(_ body: () async throws -> Void) async -> DAVError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? DAVError
    }
}

extension HTTPConfiguration {
    /// Settings without proxies and repetitions.
    static var direct: HTTPConfiguration {
        var configuration = HTTPConfiguration()
        configuration.proxies = HTTPProxies()
        configuration.retry = .never
        return configuration
    }
}

/// Returns bytes that differ from place to place.
func pattern(_ count: Int, seed: Int = 0) -> [UInt8] {
    let block = (0..<65_521).map { UInt8(truncatingIfNeeded: ($0 + seed) * 7 + ($0 >> 8)) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count { bytes += block.prefix(count - bytes.count) }
    return bytes
}
