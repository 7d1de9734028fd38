import FileTesting
import Foundation
import HTTPTransport
import LinuxSystem
import ProgramTesting
import Testing
import WebDAVClient

/// A server that `Tests/CloudServers/serve` starts.
package final class CloudServer: Sendable {
    private let program: RunningProgram
    package let root: HTTPAddress
    package let client: DAVClient

    /// All servers with WebDAV. Each test excludes those that it does not support. A developer can select servers in
    /// `PURVEY_TEST_SERVERS`.
    package static let names =
        ProcessInfo.processInfo.environment["PURVEY_TEST_SERVERS"]?.split(separator: ",").map { String($0) } ?? [
            "nextcloud", "nginx", "apache", "lighttpd", "rclone", "rclone-debian", "wsgidav", "sabre", "seaweedfs",
            "copyparty", "xandikos",
        ]

    /// The servers that must be installed: all in `make test-full`, and in `make test` one of each kind: one with
    /// conditions, one with locks only, one with weak tags, and one with none of these.
    package static let installed = TestSample.isWhole ? names : ["nextcloud", "nginx", "apache", "copyparty"]

    /// Returns the servers for a test that takes long: all servers in `make test-full`, and the given ones in `make
    /// test`.
    package static func sample(_ names: [String]) -> [String] { TestSample.isWhole ? self.names : names }

    /// The directory of the servers.
    package static let folder =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/CloudServers"

    /// The semaphore that limits the number of servers. They start slowly as root or on a busy machine, and more of
    /// them at a time make each one slower.
    private static let running = AsyncSemaphore(permits: 3)

    package struct StartError: Error {
        let text: String
    }

    /// Starts a server. Skips the test if the server's package is missing and not required.
    package init(_ name: String, options: [String] = []) async throws {
        let program = try RunningProgram("/usr/bin/python3", ["\(Self.folder)/serve", name] + options, input: .pipe)
        let address = try await Self.address(of: program, name)
        let path = name == "nextcloud" ? "remote.php/dav/files/alice/" : ""
        self.program = program
        root = try HTTPAddress(address.hasSuffix("/") ? address + path : address + "/" + path)
        client = DAVClient(
            try HTTPClient(.direct), credentials: .passwordAsRequested(user: "alice", password: "secret"))
    }

    private static func address(of program: RunningProgram, _ name: String) async throws -> String {
        if let line = try await program.lines(1).first, line.hasPrefix("http") { return line }
        let text = try await program.end().errors
        guard !text.contains("is not installed") || isRequired else { try skip("\(name): \(text)") }
        throw StartError(text: text)
    }

    /// Whether the packages of the servers must be installed.
    private static var isRequired: Bool { Requirement.isEnforced || TestSample.isWhole }

    /// Starts a server with a function. Skips the test if the server's package is missing and not required.
    package static func required(_ start: () throws -> CloudStage) throws -> CloudStage {
        do {
            return try start()
        } catch let error as CloudStage.Failed where error.isNotInstalled && !isRequired {
            try skip(error.description)
        }
    }

    private static func skip(_ reason: String) throws -> Never {
        // The end of one case of several is not printed with its reason.
        Issue.record(Comment(rawValue: "skipped: \(reason)"), severity: .warning)
        try Test.cancel(Comment(rawValue: reason))
    }

    /// Ends the server, which removes its files. Without this, the program would be killed when its object is released.
    deinit {
        program.closeInput()
        Task.detached { [program] in _ = try? await program.end() }
    }

    /// Starts a server for a test and ends it afterwards. Only a few servers run at a time.
    package static func with(_ name: String, _ body: @Sendable (CloudServer) async throws -> Void) async throws {
        let result: Void? = try await running.withPermit { try await body(try await CloudServer(name)) }
        if result == nil { throw CancellationError() }
    }
}

/// A proxy in front of a server, which causes faults.
package final class FaultProxy: Sendable {
    private let program: RunningProgram
    package let root: HTTPAddress

    package init(before address: HTTPAddress) async throws {
        program = try RunningProgram(
            "/usr/bin/python3", ["\(CloudServer.folder)/proxy", address.description], input: .pipe)
        root = try HTTPAddress(try await program.lines(1).first ?? "")
    }

    deinit { program.closeInput() }

    /// Sends a command and waits for its reply.
    package func command(_ json: String, number: Int) async throws {
        try program.write(json + "\n")
        _ = try await program.lines(number + 1)
    }
}

extension HTTPConfiguration {
    /// Settings without proxies and repetitions.
    package static var direct: HTTPConfiguration {
        var configuration = HTTPConfiguration()
        configuration.proxies = HTTPProxies()
        configuration.retry = .never
        // A busy machine may take long.
        configuration.connectPatience = .seconds(600)
        return configuration
    }
}
