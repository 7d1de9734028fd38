import Conduit
import ExtensionHost
import Foundation
import Glibc
import LinuxSystem
import Testing

/// The daemon's service over a socket of its own, with real extension processes behind it.
@Suite struct ServiceTests {
    private func serving(_ body: (ExtensionFixture, Connection) async throws -> Void) async throws {
        let place = try ExtensionFixture.make()
        defer { place.remove() }
        try place.write()
        try place.library.install(path: place.appex)
        var service = Service()
        ExtensionService(data: place.data).addCalls(to: &service)
        let (caller, daemon) = try Connection.pair(Service(), service)
        try await body(place, caller)
        caller.close()
        daemon.close()
    }

    /// Runs the extension with one command, until it ends.
    private func run(_ deed: String, _ caller: Connection) async throws -> ExtensionEnding {
        let (ours, theirs) = try SequencedPacketSocket.pair()
        let bytes = Array(deed.utf8)
        _ = send(ours.descriptor.rawValue, bytes, bytes.count, CInt(MSG_NOSIGNAL))
        let request = RunExtensionCall(identifier: "org.example.unruly", socket: theirs.descriptor)
        let result = await withCheckedContinuation { continuation in
            _ = caller.call(request) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    @Test func oneExtensionsCrashHurtsNoOtherRequestAndTheNextStartsItAgain() async throws {
        try await serving { _, caller in
            async let crash = run("crash", caller)
            async let exit = run("exit 3", caller)
            let (crashed, exited) = try await (crash, exit)
            #expect(crashed.reason == .signalled && crashed.lastLines == ["about to fall over"])
            #expect(exited == ExtensionEnding(.exited, status: 3, lastLines: []))
            let last = try await run("exit 0", caller)
            #expect(last.sentence == "the extension ended without an answer", "\(last)")
        }
    }

    @Test func anExtensionThatIsNotInstalledIsAClearError() async throws {
        try await serving { place, caller in
            try place.library.remove(identifier: "org.example.unruly")
            await #expect { try await run("greet", caller) } throws: { "\($0)".contains("is installed") }
        }
    }
}
