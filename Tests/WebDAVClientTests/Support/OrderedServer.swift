import CloudTesting
import Foundation
import HTTPTransport
import ProgramTesting
import WebDAVClient

/// A server of `server.py` in a separate process, which sends the replies that a test defines.
final class OrderedServer: Sendable {
    private let program: RunningProgram
    let root: HTTPAddress
    let client: DAVClient

    init() async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().path + "/server.py"
        program = try RunningProgram("/usr/bin/python3", ["-S", script], input: .pipe)
        root = try HTTPAddress("http://127.0.0.1:\(try await program.lines(1).first ?? "")/")
        client = DAVClient(try HTTPClient(.direct))
    }

    deinit { program.closeInput() }

    func address(_ path: String) throws -> HTTPAddress { try root.resolving(path) }

    private struct Order: Encodable {
        let method: String?
        let path: String
        let status: Int
        let headers: [String: String]
        let body: Data
        let times: Int?
    }

    /// Defines the reply to requests with a method (`nil` for any) whose path begins with the given one.
    func order(
        _ method: HTTPMethod? = nil, _ path: String = "/", status: Int = 207, headers: [String: String] = [:],
        body: String = "", times: Int? = nil
    ) async throws {
        var request = HTTPRequest(.post, try address("/-/order"))
        let order = Order(
            method: method?.rawValue, path: path, status: status, headers: headers, body: Data(body.utf8), times: times)
        request.body = .bytes([UInt8](try JSONEncoder().encode(order)))
        try await client.http.send(request).requireSuccess()
    }

    /// Defines a multistatus reply of entries, each an `href` and its properties.
    func orderListing(_ path: String = "/", _ entries: [(href: String, properties: String)]) async throws {
        let responses = entries.map { entry in
            "<response><href>\(entry.href)</href><propstat><prop>\(entry.properties)</prop>"
                + "<status>HTTP/1.1 200 OK</status></propstat></response>"
        }
        try await order(.propfind, path, body: multistatus(responses.joined()))
    }

    /// A request as the server received it.
    struct Record: Decodable {
        let method: String
        let path: String
        let headers: [String: String]
        let body: String
    }

    /// Returns the requests so far.
    func requests() async throws -> [Record] {
        let response = try await client.http.send(HTTPRequest(.get, try address("/-/requests")))
        return try JSONDecoder().decode([Record].self, from: Data(response.body))
    }
}

/// Returns a document of responses.
func multistatus(_ responses: String) -> String {
    "<?xml version=\"1.0\"?><multistatus xmlns=\"DAV:\">\(responses)</multistatus>"
}

/// The properties of a directory.
let directoryProperties = "<resourcetype><collection/></resourcetype>"

/// Returns the error of the server that an operation throws; `nil` if the operation succeeds.
func failure(_ body: () async throws -> Void) async -> DAVError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? DAVError
    }
}
