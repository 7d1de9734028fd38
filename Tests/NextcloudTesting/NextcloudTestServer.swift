import CloudTesting
import FileTesting
import Foundation
import HTTPTransport
import LinuxSystem
import NextcloudClient
import ProgramTesting
import WebDAVClient

/// The Nextcloud server of `Tests/CloudServers` in a separate process, with the user alice.
package final class NextcloudTestServer: Sendable {
    private let program: RunningProgram
    private let folder: TestFolder
    /// The address.
    package let address: HTTPAddress
    /// The HTTP client for control requests, which no fault affects.
    private let http: HTTPClient

    package init() async throws {
        let clouds =
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/CloudServers"
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

    /// Returns a client for a user, of the server or of a proxy in front of it.
    package func client(
        at address: HTTPAddress? = nil, user: String = "alice", password: String = "secret"
    ) throws -> NextcloudClient {
        let files = DAVClient(try HTTPClient(.direct), credentials: .basic(user: user, password: password))
        return NextcloudClient(server: address ?? self.address, user: user, files: files)
    }

    /// Performs an action of `nextcloud/control.py`, and returns its reply.
    @discardableResult
    package func order(_ action: String, _ fields: [String: any Sendable] = [:]) async throws -> [String: Any] {
        var request = HTTPRequest(.post, try address.resolving("-/\(action)"))
        request.body = .bytes([UInt8](try JSONSerialization.data(withJSONObject: fields)))
        let response = try await http.send(request)
        guard response.isSuccess else { throw UnexpectedError(error: String(decoding: response.body, as: UTF8.self)) }
        return try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any] ?? [:]
    }

    /// Writes a file as another client.
    package func write(_ path: String, _ text: String) async throws {
        try await order("write", ["user": "alice", "path": path, "text": text])
    }

    /// Returns the state of the entry at a path.
    package func show(_ path: String) async throws -> [String: Any] {
        try await order("show", ["user": "alice", "path": path])
    }

    /// Returns the requests with a method that the server has received: their paths, statuses and header fields.
    package func requests(_ method: String) async throws -> [(path: String, status: Int, headers: [String: String])] {
        let all = try await order("requests")["requests"] as? [[String: Any]] ?? []
        return all.filter { $0["method"] as? String == method }.map {
            ($0["path"] as? String ?? "", $0["status"] as? Int ?? 0, $0["headers"] as? [String: String] ?? [:])
        }
    }

    /// Sends a request without a password, as a browser does.
    package func browse(_ method: HTTPMethod, _ path: String, form: String = "") async throws -> HTTPResponse {
        var request = HTTPRequest(method, try address.resolving(path))
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        request.body = .text(form)
        return try await http.send(request)
    }
}

package struct UnexpectedError: Error {
    package let error: Any

    package init(error: Any?) { self.error = error ?? "no error" }
}

extension UnexpectedError: @unchecked Sendable {
    // Sendable: only the description is used, when the test has failed.
}

/// Returns the error of the server that an operation throws; `nil` if the operation succeeds.
package func failure(_ body: () async throws -> Void) async -> DAVError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? DAVError
    }
}

/// Returns bytes that differ from offset to offset.
package func pattern(_ count: Int, seed: Int = 0) -> [UInt8] {
    let block = (0..<65_521).map { UInt8(truncatingIfNeeded: ($0 + seed) * 7 + ($0 >> 8)) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count { bytes += block.prefix(count - bytes.count) }
    return bytes
}
