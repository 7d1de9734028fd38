import Foundation
import Glibc
import ProgramTesting
import Testing

/// Tests of installing and removing a provider that has domains.
@Suite(.timeLimit(.minutes(20))) struct ProviderInstallTests {
    @Test func aProviderThatDomainsUseIsRemovedByForceOnly() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            let refused = try await place.purvey("extensions", "remove", "org.purvey.LocalFolder")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("is used by the domain Papers"), "\(refused.errors)")
            #expect(try await place.purvey("extensions", "list").text.contains("org.purvey.LocalFolder"))
            #expect(try await place.purvey("extensions", "remove", "--force", "org.purvey.LocalFolder").status == 0)
            #expect(try await !place.purvey("extensions", "list").text.contains("org.purvey.LocalFolder"))
            #expect(try await place.purvey("domains", "remove", "Papers").status == 0)
        }
    }

    @Test func installingAnewEndsProcessesOfTheOldBuildAndTheNextAnswersAreOfTheNewOne() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
            let before = cloud.extensionProcesses
            #expect(before.count == 1)
            let install = try await place.purvey("extensions", "install", "--link", place.path("LocalFolder.appex"))
            #expect(install.status == 0, "\(install.errors)")
            try await cloud.eventually("the process of the old build ends") {
                Set(cloud.extensionProcesses).isDisjoint(with: before)
            }
            #expect(await cloud.contents(cloud.mount + "/inner/b.txt") == "deep\n")
            #expect(try await place.purvey("status").text.contains("Papers"))
        }
    }

    @Test func aSettingThatTheProviderDeclaresHasToBeGiven() async throws {
        try await CommandFixture.run { place in
            _ = try await CloudFixture(place)
            let refused = try await place.purvey("domains", "add", "org.purvey.LocalFolder", "Papers")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("needs path=DIR (the folder that is served)"), "\(refused.errors)")
            #expect(try await place.purvey("domains").text.isEmpty)
        }
    }

    @Test func theProviderOfLocalFoldersHasAShortName() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            let added = try await place.purvey("domains", "add", "local", "Papers", "path=" + cloud.cloud)
            #expect(added.status == 0 && added.text == cloud.mount + "\n", "\(added.errors)")
            #expect(await cloud.contents(cloud.mount + "/a.txt") == "hello\n")
        }
    }

    @Test func theLogHasTheWorkOfAProvider() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            let logs = try await place.purvey("extensions", "logs", "org.purvey.LocalFolder")
            #expect(logs.status == 0, "\(logs.errors)")
            #expect(logs.text.contains("started: "), "\(logs.text)")
        }
    }
}
