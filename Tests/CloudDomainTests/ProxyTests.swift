import DaemonTesting
import FileTesting
import Foundation
import HTTPTransport
import LinuxSystem
import ProgramTesting
import Testing

/// Servers that are reached only through a proxy.
@Suite(.timeLimit(.minutes(20)), .enabled(if: CloudDomain.isWanted, "this machine cannot mount")) struct ProxyTests {
    private static func startProxy(before server: RestartingServer) async throws -> (
        program: RunningProgram, port: String
    ) {
        let script = URL(filePath: #filePath).deletingLastPathComponent().path + "/Support/forward-proxy.py"
        let program = try RunningProgram(
            "/usr/bin/python3", [script, server.address.description, "ada:swordfish"])
        return (program, try await program.lines(1).first ?? "")
    }

    @Test func aProviderReachesItsServerThroughTheProxyOfTheEnvironment() async throws {
        let started = Lock<RunningProgram?>(nil)
        try await CloudDomain.run({ server in
            let (program, port) = try await Self.startProxy(before: server)
            started.withLock { $0 = program }
            return ["http_proxy=http://ada:swordfish@127.0.0.1:\(port)", "no_proxy="]
        }) { domain in
            try await domain.server.write("a.txt", "theirs")
            // No name server knows this name.
            try await domain.add(url: "http://cloud.invalid/")
            #expect(try await domain.names() == ["a.txt"])
            #expect(try await domain.read("a.txt") == "theirs")
            try await domain.write("mine", to: "b.txt")
            try await domain.eventually("the edit is at the server") {
                try await domain.server.text("b.txt") == "mine"
            }
            let proxy = try #require(started.withLock { $0 })
            #expect(try await proxy.hasPrinted("PUT cloud.invalid 201"))
            // The proxy's password is nowhere on disk.
            #expect(try await files(of: domain, with: "swordfish") == [])

            proxy.send(SIGKILL)
            _ = try await proxy.end()
            try await domain.write("later", to: "c.txt")
            try await domain.eventually("the proxy is missed") {
                try await domain.succeed("status", "Cloud").contains("The proxy for http://cloud.invalid")
            }
            #expect(!(try await domain.succeed("status", "Cloud").contains("swordfish")))
            #expect(try await files(of: domain, with: "swordfish") == [])
        }
    }

    /// Returns the paths of the daemon's files that contain a text.
    private func files(of domain: CloudDomain, with text: String) async throws -> [String] {
        try await onThread { [home = domain.daemon.home] in
            let needle = Data(text.utf8)
            let names = FileManager.default.enumerator(atPath: home)?.compactMap { $0 as? String } ?? []
            return names.filter { name in
                !name.hasPrefix("mounts/")
                    && FileManager.default.contents(atPath: home + "/" + name)?.range(of: needle) != nil
            }
        }
    }
}
