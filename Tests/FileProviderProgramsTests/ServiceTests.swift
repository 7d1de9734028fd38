import DaemonTesting
import Exchange
import Foundation
import Glibc
import Testing

/// Tests of programs that call a provider's services: the program, the daemon and the provider are separate
/// processes.
@Suite(.timeLimit(.minutes(20))) struct ServiceTests {
    private let counting = "org.example.vault.counting"
    private let maintenance = "org.example.vault.maintenance"

    /// Serves files under the identifier `main`.
    private func serving(
        variables: [String] = [], arrange: (VaultFixture) async throws -> Void = { _ in },
        _ body: (VaultFixture, PeerProcess, _ service: String) async throws -> Void
    ) async throws {
        try await VaultFixture.run(variables: variables) { place in
            try await arrange(place)
            let (folder, app) = try await place.appWithDomain(try place.makeService(["a.txt": "hello"]))
            try await body(place, app, folder)
        }
    }

    private func mounted(_ place: VaultFixture) -> String { place.daemon.locations.mounts + "/Papers/a.txt" }

    @Test func aProgramFindsAServiceByAFileAndCallsIt() async throws {
        try await serving { place, app, folder in
            let mounted = mounted(place)
            #expect(try await app.ask("services \(mounted)", "services") == counting)
            #expect(try await app.ask("services \(place.word("a.txt"))", "services") == counting)
            #expect(place.notes(folder).contains("services a.txt"))
            // Any program may use the service.
            let stranger = try place.stranger()
            for app in [app, stranger] {
                #expect(try await app.ask("open \(mounted) \(counting)", "open") == "done")
                #expect(try await app.ask("echo hello", "echo") == "hello")
                #expect(try await app.ask("count a.txt", "count") == "5")
                #expect(try await app.ask("many 200", "many") == "200")
                let provider = try await app.ask("pid", "pid")
                #expect(provider != "\(app.processID)" && provider != "\(place.daemon.processID)")
            }
        }
    }

    @Test func anErrorOfAServiceReachesTheProgram() async throws {
        try await serving { place, app, folder in
            try await app.ask("open \(mounted(place)) \(counting)", "open done")
            #expect(try await app.ask("fail item", "fail").hasPrefix("failed NSFileProviderErrorDomain -1003"))
            #expect(try await app.ask("fail cocoa", "fail").hasPrefix("failed NSCocoaErrorDomain 257"))
            #expect(try await app.ask("fail own", "fail").contains("Trouble"))
            #expect(try await app.ask("count none", "count").hasPrefix("failed NSCocoaErrorDomain 260"))
            #expect(try await app.ask("echo still", "echo") == "still")
        }
    }

    @Test func onlyWhatIsOfferedToAProgramIsOpenedForIt() async throws {
        try await serving { place, app, folder in
            let (stranger, mounted) = (try place.stranger(), mounted(place))
            #expect(try await app.ask("open \(mounted) \(maintenance)", "open") == "none")
            #expect(try await app.ask("own main a.txt \(maintenance)", "own") == "done")
            #expect(try await app.ask("echo own", "echo") == "own")
            let refused = try await stranger.ask("own main a.txt \(maintenance)", "own")
            #expect(refused.hasPrefix("failed NSFileProviderErrorDomain -2001"), "\(refused)")
            #expect(try await app.ask("own main a.txt org.example.other", "own") == "none")
            let ordinary = try await app.ask("services \(folder)/a.txt", "services")
            #expect(ordinary.hasPrefix("failed NSFileProviderErrorDomain -1005"), "\(ordinary)")
            let missing = try await app.ask("own main none \(counting)", "own")
            #expect(missing.hasPrefix("failed NSFileProviderErrorDomain -1005"), "\(missing)")
        }
    }

    @Test func onlyFunctionsOfTheServiceAreCalledAndNoGenericOnes() async throws {
        try await serving { place, app, folder in
            try await app.ask("open \(mounted(place)) \(counting)", "open done")
            let secret = try await app.ask("secret", "secret")
            #expect(secret.hasPrefix("failed") && secret.contains("does not have that function"), "\(secret)")
            let generic = try await app.ask("generic", "generic")
            #expect(generic.hasPrefix("failed") && generic.contains("are not generic"), "\(generic)")
            #expect(try await app.ask("echo still", "echo") == "still")
        }
    }

    @Test func callsAndAnswersThatAreTooLargeFailAndTheConnectionStays() async throws {
        try await serving { place, app, folder in
            try await app.ask("open \(mounted(place)) \(counting)", "open done")
            try await callWithTooMuch(app)
        }
    }

    private func callWithTooMuch(_ app: PeerProcess) async throws {
        #expect(try await app.ask("send 1000000", "send") == "1000000")
        let sent = try await app.ask("send 9000000", "send")
        #expect(sent.contains("cannot be called with that much") && sent.contains("8388608"), "\(sent)")
        let fetched = try await app.ask("fetch 9000000", "fetch")
        #expect(fetched.contains("cannot be called with that much"), "\(fetched)")
        #expect(try await app.ask("echo still", "echo") == "still")
    }

    @Test(.enabled(if: FullDisk.isWanted))
    func aFullDiskHindersNoCalls() async throws {
        var mounted: FullDisk?
        try await serving { place in
            let domains = place.daemon.locations.data + "/domains"
            mounted = try await offPool { Result { try FullDisk(megabytes: 16, at: domains) } }.get()
        } _: { place, app, folder in
            let disk = try #require(mounted)
            // The directory is removed with the rest.
            defer { disk.unmount() }
            try await app.ask("open \(self.mounted(place)) \(counting)", "open done")
            try await offPool { Result { try disk.fill() } }.get()
            try await callWithTooMuch(app)
            try await app.ask("open \(self.mounted(place)) \(counting)", "open done")
            try await callWithTooMuch(app)
        }
    }

    @Test func callsThatAreGivenUpAreCancelledThere() async throws {
        try await serving { place, app, folder in
            try await app.ask("open \(mounted(place)) \(counting)", "open done")
            try await app.ask("hang", "hang begun")
            await eventually { place.notes(folder).contains("hanging") }
            try await app.ask("unhang", "unhang done")
            #expect(try await app.hear("hung").hasPrefix("CancellationError"))
            await eventually { place.notes(folder).contains("cancelled") }
            #expect(try await app.ask("echo still", "echo") == "still")
            // The end of a program cancels all its calls.
            try await app.ask("hang", "hang begun")
            await eventually { place.notes(folder).filter { $0 == "hanging" }.count == 2 }
            await app.end()
            await eventually { place.notes(folder).filter { $0 == "cancelled" }.count == 2 }
        }
    }

    @Test func theEndOfTheProviderFailsWhatWaitsAndAnotherProcessServesTheNext() async throws {
        try await serving { place, app, folder in
            let mounted = mounted(place)
            try await app.ask("open \(mounted) \(counting)", "open done")
            let first = try await app.ask("pid", "pid")
            try await app.ask("hang", "hang begun")
            await eventually { place.notes(folder).contains("hanging") }
            kill(try #require(pid_t(first)), SIGKILL)
            #expect(try await app.hear("hung").hasPrefix("The connection to the service is lost"))
            #expect(try await app.hear("lost") == "interrupted")
            #expect(try await app.hear("lost") == "invalidated")
            #expect(try await app.ask("echo gone", "echo").contains("connection to the service is lost"))
            try await app.ask("open \(mounted) \(counting)", "open done")
            #expect(try await app.ask("pid", "pid") != first)
            // A connection that the program itself closes is invalidated without an interruption.
            try await app.ask("disconnect", "disconnect done")
            #expect(try await app.hear("lost") == "invalidated")
        }
    }

    @Test func aProcessIsKeptForAsLongAsAProgramIsConnected() async throws {
        try await serving(variables: ["PURVEY_PROVIDER_IDLE_TIME=0.2"]) { place, app, folder in
            try await app.ask("open \(mounted(place)) \(counting)", "open done")
            let provider = try await app.ask("pid", "pid")
            // This is several times as long as an unused provider process is kept.
            for _ in 0..<20 {
                try await Task.sleep(for: .milliseconds(100))
                #expect(try await app.ask("pid", "pid") == provider)
            }
            try await app.ask("disconnect", "disconnect done")
            let number = try #require(pid_t(provider))
            await eventually { kill(number, 0) != 0 }
        }
    }
}
