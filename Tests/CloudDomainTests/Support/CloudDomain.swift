import DaemonTesting
import Exchange
import FileTesting
import Foundation
import Glibc
import HTTPTransport
import LinuxSystem
import ProgramTesting
import Testing

/// A daemon with the provider for Nextcloud, for tests that end and start the daemon and the server.
struct CloudDomain {
    let daemon: StartedDaemon
    let server: RestartingServer

    /// Whether tests that mount must run: if this machine permits mounting, and always under CI.
    static let isWanted = Requirement.isEnforced || access("/dev/fuse", R_OK | W_OK) == 0

    var mount: String { daemon.locations.mounts + "/Cloud" }

    /// Runs a test with a server and a daemon, which does not have the domain yet.
    ///
    /// - Parameter variables: the daemon's further environment variables, as `NAME=value`.
    static func run(
        _ variables: (RestartingServer) async throws -> [String] = { _ in [] },
        _ body: (CloudDomain) async throws -> Void
    ) async throws {
        let server = try await RestartingServer()
        // The path is short, as that of a socket has to be.
        let home = (NSTemporaryDirectory() as NSString).standardizingPath + "/pcd-" + UUID().uuidString.prefix(8)
        let domain = CloudDomain(daemon: try StartedDaemon(home: home), server: server)
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let failure: (any Error)?
        do {
            try await domain.start(try await variables(server))
            try await domain.install("Nextcloud")
            try await body(domain)
            failure = nil
        } catch {
            failure = error
        }
        let isGone = try await onThread { [daemon = domain.daemon, mount = domain.mount] in
            _ = daemon.end()
            return daemon.removeHome(mount: mount)
        }
        try? await server.end()
        #expect(isGone)
        if let failure { throw failure }
    }

    func start(_ variables: [String] = []) async throws {
        try await onThread { [daemon] in try daemon.start(variables) }
    }

    func end() async throws {
        let ending = try await onThread { [daemon] in daemon.end() }
        #expect(ending == .exited(0))
    }

    /// Installs a provider of this repository.
    private func install(_ provider: String) async throws {
        let bundle = daemon.home + "/\(provider).appex"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        try FileManager.default.copyItem(
            atPath: root.path + "/Providers/\(provider)/Info.plist", toPath: bundle + "/Info.plist")
        let program = try BuiltProgram.path(provider)
        // Another process copies the program: a file that this process has open for writing cannot be executed while
        // any fork has the descriptor.
        try await onThread {
            let copy = try ChildProgram.start("/bin/cp", arguments: [program, bundle], descriptors: [])
            try #require(try copy.wait() == .exited(0))
        }
        try await succeed("extensions", "install", "--link", bundle)
    }

    /// Adds the domain of the user alice.
    ///
    /// - Parameters:
    ///   - url: the server's address, if it is not the real one.
    ///   - password: the password, or an app password.
    func add(url: String? = nil, password: String = "secret") async throws {
        let file = daemon.home + "/password"
        try Data((password + "\n").utf8).write(to: URL(filePath: file))
        let url = try url ?? server.address.description
        try await succeed("domains", "add", "--password-file", file, "nextcloud", "Cloud", "url=" + url, "user=alice")
    }

    /// Runs `purvey`, which must succeed.
    @discardableResult
    func succeed(_ arguments: String...) async throws -> String {
        let (ending, text) = try await onThread { [daemon] in try daemon.purvey(arguments) }
        try #require(ending == .exited(0), "\(arguments): \(text)")
        return text
    }

    /// Reads a file in the mount.
    func read(_ path: String) async throws -> String {
        try await onThread { [mount] in try Files.read(mount + "/" + path) }
    }

    /// Writes a file in the mount.
    func write(_ text: String, to path: String) async throws {
        try await onThread { [mount] in try Files.write(text, to: mount + "/" + path, O_WRONLY | O_CREAT | O_TRUNC) }
    }

    /// Lists a directory in the mount.
    func names(_ path: String = "") async throws -> [String] {
        try await onThread { [mount] in
            try FileManager.default.contentsOfDirectory(atPath: mount + "/" + path).sorted()
        }
    }

    /// Polls until a condition holds. An error counts as a condition that does not hold yet, because the mount may not
    /// exist at first. A busy machine may take long.
    func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
        for _ in 0..<3_000 {
            if (try? await condition()) == true { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("never: \(what): \(try await succeed("status", "Cloud"))")
    }
}

/// Runs a blocking, throwing function on a handler thread.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await HandlerThreads.shared.value(of: { Result { try body() } }).get()
}
