import DaemonTesting
import Foundation
import ProgramTesting
import ScriptableService
import Testing

/// The domains as accounts of a cloud provider, which file managers show among their places.
@Suite(.timeLimit(.minutes(20))) struct CloudAccountTests {
    private static let provider = "org.freedesktop.CloudProviders.Provider"
    private static let account = "org.freedesktop.CloudProviders.Account"

    @Test func aMountedDomainIsAnAccountOfTheNamedProvider() async throws {
        try await BusFixture.run { place in
            let get = "org.freedesktop.DBus.Properties.Get"
            #expect(try await place.call(get, Self.provider, "Name").text == "(<'Purvey'>,)\n")
            let objects = try await place.objects()
            #expect(objects.contains("'\(BusFixture.root)': {'\(Self.provider)': {'Name': <'Purvey'>}}"))
            #expect(objects.contains("'\(Self.account)': {'Name': <'Cloud'>, 'Path': <'\(place.mount)'>"))
            #expect(objects.contains("'Status': <1>, 'StatusDetails': <''>"))
            let path = try #require(objects.split(separator: "'").first { $0.hasPrefix(BusFixture.root + "/domains/") })
            #expect(try await place.call(get, Self.account, "Path", on: String(path)).text == "(<'\(place.mount)'>,)\n")
            let all = try await place.call(
                "org.freedesktop.DBus.Properties.GetAll", Self.account, on: String(path)
            ).text
            #expect(all.contains("'Icon': <'. GThemedIcon ") && all.contains("'Name': <'Cloud'>"))
        }
    }

    @Test func theStatusFollowsTransfersAndSignIn() async throws {
        try await BusFixture.run { place in
            let monitor = try await place.listen()
            try await place.tell { try $0.add(CloudRule(.hold, on: .create)) }
            try await place.write("new", to: "new.txt")
            #expect(
                try await monitor.hasPrinted(
                    "('\(Self.account)', {'Status': <2>, 'StatusDetails': <'1 file to upload'>}"))
            try await place.tell { try $0.removeRules() }
            #expect(try await monitor.hasPrinted("('\(Self.account)', {'Status': <1>, 'StatusDetails': <''>}"))
            try await place.tell { try $0.add(CloudRule(.signOut(password: "open"), on: .create, times: 1)) }
            try await place.write("other", to: "other.txt")
            #expect(try await monitor.hasPrinted("'StatusDetails': <'Sign in: purvey sign-in Cloud'>"))
            #expect(try await place.objects().contains("'Status': <3>"))
        }
    }

    /// The domain is unmounted before it is removed, so that one or two signals may report this.
    @Test func allInterfacesOfARemovedDomainAreReportedAsRemoved() async throws {
        try await BusFixture.run { place in
            let monitor = try await place.listen()
            try await place.succeed(
                "domains", "add", StartedCloud.providerIdentifier, "More", "path=" + place.cloud.folder)
            #expect(try await monitor.hasPrinted("'\(Self.account)': {'Name': <'More'>"))
            let objects = try await place.objects()
            let before = objects[..<(try #require(objects.range(of: "{'Name': <'More'>")).lowerBound)]
            let path = try #require(
                before.split(separator: "'").last { $0.hasPrefix(BusFixture.root + "/domains/") })
            try await place.succeed("domains", "remove", "More")
            #expect(try await monitor.hasPrinted("'\(path)', ['org.purvey.Purvey1.Domain'"))
            let removals = try await monitor.lines(0).filter {
                $0.contains("InterfacesRemoved") && $0.contains("'\(path)'")
            }
            #expect(removals.contains { $0.contains("'\(Self.account)'") }, "\(removals)")
        }
    }

    @Test func theMenuOfAnAccountPausesAndResumesItsTransfers() async throws {
        try await BusFixture.run { place in
            let objects = try await place.objects()
            let path = String(
                try #require(objects.split(separator: "'").first { $0.hasPrefix(BusFixture.root + "/domains/") }))
            let menu = try await place.call("org.gtk.Menus.Start", "[uint32 0]", on: path).text
            #expect(menu.contains("'_Pause Transfers'") && menu.contains("'cloudprovider.pause'"), "\(menu)")
            func activate(_ action: String, to details: String) async throws {
                let run = try await place.call("org.gtk.Actions.Activate", action, "[]", "{}", on: path)
                #expect(run.status == 0, "\(run)")
                try await place.eventually(details) {
                    try await place.objects().contains("'StatusDetails': <'\(details)'>")
                }
            }
            try await activate("pause", to: "Paused")
            #expect(try await place.call("org.gtk.Actions.Describe", "pause", on: path).text.hasPrefix("((false,"))
            try await activate("resume", to: "")
            #expect(try await place.call("org.gtk.Actions.Describe", "pause", on: path).text.hasPrefix("((true,"))
        }
    }

    @Test func theInstalledFilesNameTheObjectsOnTheBus() throws {
        for (file, group) in [
            ("org.purvey.Purvey1.ini", "[Cloud Providers]"),
            ("org.purvey.Files.search-provider.ini", "[Shell Search Provider]"),
        ] {
            let lines = try String(contentsOfFile: "Desktop/" + file, encoding: .utf8).split(separator: "\n")
            #expect(lines.first == group[...])
            #expect(lines.contains("BusName=" + BusFixture.name) && lines.contains("ObjectPath=" + BusFixture.root))
        }
    }
}
