import FileTesting
import Foundation
import HTTPTransport
import LinuxSystem
import ProgramTesting

/// A server of `server.py` in a separate process.
final class TestServer: Sendable {
    private let program: RunningProgram
    private let configuration: HTTPConfiguration
    let origin: String

    /// - Parameter certificate: the certificate for `https`; `nil` for `http`.
    init(_ certificate: TestCertificate? = nil) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().path + "/server.py"
        let files = certificate.map { [$0.path, $0.keyPath] } ?? []
        program = try RunningProgram("/usr/bin/python3", ["-S", script] + files, input: .pipe)
        var configuration = HTTPConfiguration.direct
        configuration.trust.authorities = try certificate?.bytes
        self.configuration = configuration
        let port = try await program.lines(1).first ?? ""
        origin = "\(certificate == nil ? "http" : "https")://127.0.0.1:\(port)"
    }

    deinit { program.closeInput() }

    func address(_ path: String) throws -> HTTPAddress { try HTTPAddress(origin + path) }

    func request(
        _ method: HTTPMethod = .get, _ path: String, credentials: HTTPCredentials? = nil
    ) throws -> HTTPRequest {
        HTTPRequest(method, try address(path), credentials: credentials)
    }

    /// A request as the server received it.
    struct Record: Decodable {
        let connection: Int
        let method: String
        let target: String
        let headers: [String: String]
        let count: Int
        let digest: String
    }

    /// Returns the requests so far whose target contains a text.
    func log(_ part: String) async throws -> [Record] {
        let response = try await HTTPClient(configuration).send(request(.get, "/log"))
        return try JSONDecoder().decode([Record].self, from: Data(response.body)).filter { $0.target.contains(part) }
    }

    /// Waits until the server has received a request whose target contains a text.
    func waitForRequest(_ part: String) async throws {
        while try await log(part).isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Returns the bytes of the server's file of that size.
    static func pattern(_ count: Int) -> [UInt8] {
        let block = (0..<min(count, 65_536)).map { UInt8(truncatingIfNeeded: $0 * 7 + ($0 >> 8)) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count { bytes += block.prefix(count - bytes.count) }
        return bytes
    }
}

/// A self-signed certificate for `localhost` and 127.0.0.1, or for another name only.
struct TestCertificate: Sendable {
    private let folder: TestFolder
    var path: String { folder.path + "/certificate.pem" }
    var keyPath: String { folder.path + "/key.pem" }

    init(name: String? = nil) async throws {
        folder = try TestFolder()
        let names = name.map { "DNS:\($0)" } ?? "DNS:localhost,IP:127.0.0.1"
        let run = try await RunningProgram(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=purvey-test", "-addext", "subjectAltName=\(names)", "-keyout", keyPath, "-out", path,
            ]
        ).end()
        guard run.status == 0 else { throw Errno.inputOutput }
    }

    /// The fingerprint as OpenSSL's program prints it.
    var fingerprint: String {
        get async throws {
            let run = try await RunningProgram(
                "/usr/bin/openssl", ["x509", "-in", path, "-noout", "-fingerprint", "-sha256"]
            ).end()
            return run.text.split(separator: "=").last?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        }
    }

    var bytes: [UInt8] { get throws { try folder.content("certificate.pem") } }
}

extension HTTPConfiguration {
    /// Settings without proxies and repetitions.
    static var direct: HTTPConfiguration {
        var configuration = HTTPConfiguration()
        configuration.proxies = HTTPProxies()
        configuration.retry = .never
        // A busy machine may take long.
        configuration.connectPatience = .seconds(600)
        return configuration
    }

    /// Settings with repetitions, on a clock that does not wait.
    static func repeating(_ clock: RecordingClock, attempts: Int = 4) -> HTTPConfiguration {
        var configuration = direct
        configuration.retry = HTTPRetryPolicy(attempts: attempts)
        configuration.clock = clock
        configuration.chance = { 0 }
        return configuration
    }

    /// Returns the settings with another timeout for missing progress.
    func with(patience: Duration) -> HTTPConfiguration {
        var configuration = self
        configuration.patience = patience
        return configuration
    }
}

/// A clock that records pauses and ends them at once.
final class RecordingClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private let state = Lock<(now: Duration, pauses: [Duration])>((.zero, []))

    var now: Instant { Instant(offset: state.withLock { $0.now }) }
    var minimumResolution: Duration { .nanoseconds(1) }
    var pauses: [Duration] { state.withLock { $0.pauses } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.pauses.append(deadline.offset - state.now)
            state.now = max(state.now, deadline.offset)
        }
    }
}

/// Returns the error that a request ends with.
func failure(_ body: () async throws -> Void) async -> HTTPError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? HTTPError
    }
}
