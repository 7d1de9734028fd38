import DaemonTesting
import FileTesting
import Foundation
import Glibc
import HTTPTransport
import LinuxSystem
import ProgramTesting
import Testing

/// App passwords that end while files are sent.
@Suite(.timeLimit(.minutes(20)), .enabled(if: CloudDomain.isWanted, "this machine cannot mount"))
struct ExpiredSignInTests {
    @Test func anUploadWhosePasswordEndsGoesOnAfterASignIn() async throws {
        try await CloudDomain.run { domain in
            let server = domain.server
            try await server.write("never read.txt", "bytes")
            try await server.order("set", ["largest-chunk": 6_000_000])
            // The first sign-in is in the browser, and brings an app password.
            try await signIn(domain, ["domains", "add", "nextcloud", "Cloud", "url=" + server.address.description])
            #expect(try await domain.names() == ["never read.txt"])

            let text = String(repeating: "0123456789abcde\n", count: 1_500_000)
            try await server.order("fault", ["method": "PUT", "path": "00003", "times": 1, "expire": true])
            try await domain.write(text, to: "large.txt")
            try await domain.write("small", to: "small.txt")
            try await domain.eventually("a sign-in is asked for") {
                try await domain.succeed("status", "Cloud").contains("'purvey sign-in Cloud' signs in")
            }
            #expect(try await server.text("large.txt") == nil)
            let error = await #expect(throws: (any Error).self) { _ = try await domain.read("never read.txt") }
            #expect(error as? Errno == .permissionDenied, "\(String(describing: error))")
            // The edits are read here meanwhile.
            #expect(try await domain.read("large.txt") == text)

            try await signIn(domain, ["sign-in", "Cloud"])
            try await domain.eventually("the edits are at the server") {
                let small = try await server.text("small.txt")
                let large = try await server.order("show", ["user": "alice", "path": "large.txt"])
                return small == "small" && large["size"] as? Int == text.utf8.count
            }
            // The server has the file a moment before the provider has its reply.
            try await domain.eventually("the contents are evicted") {
                try await onThread { [daemon = domain.daemon] in
                    try daemon.purvey(["evict", "Cloud:large.txt"]).ending == .exited(0)
                }
            }
            #expect(try await domain.read("large.txt") == text)
            #expect(try await domain.read("never read.txt") == "bytes")
            #expect(!(try await domain.succeed("status", "Cloud").contains("sign-in")))
        }
    }

    /// Runs a command of `purvey` that signs in, and signs in at the server as a user does in the browser.
    private func signIn(_ domain: CloudDomain, _ arguments: [String]) async throws {
        // The link is on standard error.
        let command = try RunningProgram(
            "/bin/sh", ["-c", "exec \"$0\" \"$@\" 2>&1", BuiltProgram.path("purvey")] + arguments,
            environment: ["PURVEY_HOME": domain.daemon.home, "DISPLAY": nil, "WAYLAND_DISPLAY": nil])
        #expect(try await command.hasPrinted("/login/v2/flow/"))
        // The line of the link ends a moment later.
        let lines = try await command.lines(3)
        let link = try #require(lines.first { $0.contains("/login/v2/flow/") }, "\(lines)")
        try await domain.server.grant(link)
        let run = try await command.end()
        try #require(run.status == 0, "\(run)")
    }
}
