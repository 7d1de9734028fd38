import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import TestThreads
import Testing

/// Tests of the errors of real, confined providers whose connections fail.
@Suite(.ownThreads) struct NetworkRefusalTests {
    private static let sentence =
        "The extension is refused the network: PurveyAllowsNetwork is not set in its NSExtension."

    /// Returns the message of the provider's error for an item, and whether the provider's log contains `sentence`.
    private func failure(
        _ identifier: String, of stage: ProviderFixture
    ) async throws -> (message: String, isLogged: Bool) {
        let failure = try #require(await stage.failure { _ = try await stage.provider.item(identifier) })
        let log = stage.data + "/logs/\(ProviderFixture.identifier).log"
        let isLogged = { (try? String(contentsOfFile: log, encoding: .utf8))?.contains(Self.sentence) == true }
        // The line of the log is written after the reply.
        if failure.message.contains(Self.sentence) { _ = await stage.eventually(isLogged) }
        return (failure.message, isLogged())
    }

    @Test(arguments: ["Peer", "ReplicaPeer"], ["connects", "asks-web", "reaches-nothing"])
    func withoutTheKeyARefusedConnectionNamesIt(principal: String, identifier: String) async throws {
        try await ProviderFixture.with(principal: principal, isHanded: false) { stage in
            let failure = try await failure(identifier, of: stage)
            #expect(failure.message.hasSuffix(". " + Self.sentence) && failure.isLogged, "\(failure)")
        }
    }

    @Test(arguments: ["Peer", "ReplicaPeer"], ["connects", "asks-web", "reaches-nothing"])
    func withTheKeyNoErrorNamesIt(principal: String, identifier: String) async throws {
        try await ProviderFixture.with(network: true, principal: principal, isHanded: false) { stage in
            let failure = try await failure(identifier, of: stage)
            #expect(!failure.message.contains("PurveyAllowsNetwork") && !failure.isLogged, "\(failure)")
        }
    }

    @Test(arguments: ["is-cancelled", "has-no-room"])
    func anErrorOfAnotherKindDoesNotNameTheKey(identifier: String) async throws {
        try await ProviderFixture.with(isHanded: false) { stage in
            let failure = try await failure(identifier, of: stage)
            #expect(!failure.message.contains("PurveyAllowsNetwork") && !failure.isLogged, "\(failure)")
        }
    }

    /// The error may be about the folder that the user has handed over.
    @Test func aFolderThatIsAwayIsNoRefusedConnection() async throws {
        try await ProviderFixture.with { stage in
            let failure = try await failure("reaches-nothing", of: stage)
            #expect(!failure.message.contains("PurveyAllowsNetwork") && !failure.isLogged, "\(failure)")
            #expect(try await self.failure("asks-web", of: stage).message.contains(Self.sentence))
        }
    }
}
