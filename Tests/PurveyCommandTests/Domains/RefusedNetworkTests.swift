import Foundation
import ProgramTesting
import ScriptableService
import Testing

/// Tests of a provider whose connections fail because its property list lacks `PurveyAllowsNetwork`.
@Suite(.timeLimit(.minutes(20))) struct RefusedNetworkTests {
    private static let models = [StartedCloud.Model.documents, .replica]
    private static let sentence = "The extension is refused the network: PurveyAllowsNetwork is not set"

    /// Makes the provider send a request to a port at which no server listens.
    private func askNoServer(_ place: ServiceFixture) throws {
        try Data("http://127.0.0.1:1/".utf8).write(to: URL(fileURLWithPath: place.cloud.folder + "/asks-web"))
    }

    /// Installs the provider again, without access to the network. The domain exists already, because this provider
    /// could not add it.
    private func refuseNetwork(_ place: ServiceFixture) async throws {
        try await place.install(keys: .init(allowsNetwork: false))
        try await place.restartWithoutExtension()
    }

    private func log(_ place: ServiceFixture) async throws -> String {
        try await place.succeed("extensions", "logs", StartedCloud.providerIdentifier).text
    }

    @Test(arguments: models)
    func theKeyIsNamedInTheErrorTheLogAndTheStatus(_ model: StartedCloud.Model) async throws {
        try await ServiceFixture.run(model: model) { place in
            try askNoServer(place)
            try await refuseNetwork(place)
            let list = try await place.place.purvey("ls", "Cloud:")
            #expect(list.status == 1 && list.errors.contains(Self.sentence), "\(list.errors)")
            #expect(try await log(place).contains(Self.sentence))
            try await place.eventually("the status has it") {
                try await place.succeed("status").text.contains(Self.sentence)
            }
        }
    }

    @Test(arguments: models)
    func aServerThatIsAwayIsNoRefusal(_ model: StartedCloud.Model) async throws {
        try await ServiceFixture.run(model: model) { place in
            try askNoServer(place)
            let list = try await place.place.purvey("ls", "Cloud:")
            #expect(list.status == 1 && !list.errors.contains("PurveyAllowsNetwork"), "\(list.errors)")
            #expect(try await !log(place).contains(Self.sentence))
            #expect(try await !place.succeed("status").text.contains("PurveyAllowsNetwork"))
        }
    }

    /// The provider serves a folder that the user has handed over, so its error may be about that folder.
    @Test(arguments: models)
    func aProviderOfAFolderThatReachesNothingHasOnlyItsOwnError(_ model: StartedCloud.Model) async throws {
        try await ServiceFixture.run(model: model) { place in
            try await refuseNetwork(place)
            let list = try await place.place.purvey("ls", "Cloud:")
            #expect(list.status == 1 && !list.errors.contains("PurveyAllowsNetwork"), "\(list.errors)")
            #expect(try await !log(place).contains(Self.sentence))
        }
    }
}
