import Foundation
import ProgramTesting
import ScriptableService
import Testing

/// Tests of symbolic links in domains of providers that accept links, and of providers that declare that they do not
/// (`PurveyImportsSymbolicLinks`).
@Suite(.timeLimit(.minutes(20))) struct SymbolicLinkTests {
    private static let target = "../a b/ü"

    private func link(_ place: ServiceFixture) async throws -> CommandFixture.Outcome {
        try await place.place.shell("ln -s '\(Self.target)' '\(place.mount)/link'")
    }

    private func expectLink(_ place: ServiceFixture) async throws {
        #expect(try await place.place.shell("readlink '\(place.mount)/link'").text == Self.target + "\n")
    }

    @Test(arguments: [StartedCloud.Model.documents, .replica])
    func noLinkIsMadeWhereTheProviderSaysThatItTakesNone(_ model: StartedCloud.Model) async throws {
        try await ServiceFixture.run(model: model, keys: .init(importsLinks: false)) { place in
            #expect(await place.names() == [])
            let outcome = try await link(place)
            #expect(outcome.status == 1 && outcome.errors.contains("Operation not permitted"), "\(outcome.errors)")
            #expect(await place.names() == [])
            // Other items are created as usual.
            try await place.write("x", to: "file.txt")
            try await place.eventually("the service has the file") {
                try await place.tell { try $0.snapshot().keys.sorted() } == ["file.txt"]
            }
            #expect(try await place.tell { try $0.count(.create) } == 1)
        }
    }

    private static let takers: [(StartedCloud.Model, Bool?)] = [(.replica, nil), (.replica, true), (.documents, true)]

    @Test(arguments: takers)
    func aLinkKeepsItsTargetAtTheServiceAndInTheNextMount(_ model: StartedCloud.Model, _ key: Bool?) async throws {
        try await ServiceFixture.run(model: model, keys: .init(importsLinks: key)) { place in
            #expect(await place.names() == [])
            let outcome = try await link(place)
            #expect(outcome.status == 0, "\(outcome.errors)")
            try await place.eventually("the service has the link") {
                try await place.tell { try $0.snapshot()["link"]?.linkTarget } == Self.target
            }
            try await place.eventually("it is confirmed") {
                let state = try await place.item("link")["state"] as? String ?? "none"
                return !["edited", "uploading", "error", "none"].contains(state)
            }
            try await expectLink(place)
            try await place.restartWithoutExtension()
            try await place.succeed("status")
            try await place.eventually("it is mounted again") { await place.names() == ["link"] }
            try await expectLink(place)
            // A new domain contains only the items that the provider reports.
            try await place.succeed("domains", "remove", "Cloud")
            try await place.addDomain()
            #expect(await place.names() == ["link"])
            try await expectLink(place)
            #expect(try await place.tell { try $0.count(.create) } == 1)
        }
    }

    /// `importDocument` receives links only if the provider has the key.
    @Test func aLinkWaitsForTheUserWhereDocumentsHaveNoKey() async throws {
        try await ServiceFixture.run(keys: .init(importsLinks: nil)) { place in
            #expect(await place.names() == [])
            #expect(try await link(place).status == 0)
            try await place.eventually("the status names the reason") {
                try await place.succeed("status").text.contains("the provider keeps no symbolic links")
            }
            try await expectLink(place)
            #expect(try await place.tell { try $0.count(.create) } == 0)
        }
    }
}
