import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// Tests of set-ups by `purvey domains` and `purvey sign-in`.
@Suite(.timeLimit(.minutes(20))) struct SetUpCommandTests {
    private func settings(_ place: CommandFixture) async throws -> [[String: String]] {
        let outcome = try await place.purvey("domains", "--json")
        let domains = try JSONSerialization.jsonObject(with: outcome.output) as? [[String: Any]]
        return domains?.compactMap { $0["settings"] as? [String: String] } ?? []
    }

    @Test func aSetUpIsReportedAndItsSettingsReachTheProvider() async throws {
        try await SetUpFixture.run { test in
            let added = try await test.place.purvey(
                "domains", "add", "first", "Cloud", "does=succeeds", "temporary=yes")
            #expect(added.status == 0 && added.errors == "looked at the service for adding\n", "\(added.errors)")
            #expect(try await settings(test.place) == [["does": "succeeds", "greeting": "hello"]])
            #expect(try await test.finding("settings", of: "Cloud") == "does=succeeds greeting=hello")
            // The settings outlive the daemon.
            try await test.place.endDaemon()
            #expect(try await test.finding("settings", of: "Cloud") == "does=succeeds greeting=hello")
        }
    }

    @Test func nothingIsLeftOfASetUpThatFails() async throws {
        try await SetUpFixture.run { test in
            let failed = try await test.place.purvey("domains", "add", "first", "Cloud", "does=fails")
            #expect(failed.status == 1)
            #expect(
                failed.errors == "purvey: domains: Cloud cannot be added: The service does not know the folder: "
                    + "check the address.\n", "\(failed.errors)")
            #expect(try await test.place.purvey("domains").text.isEmpty)
            let ended = try await test.place.purvey("domains", "add", "first", "Cloud", "does=ends")
            #expect(ended.status == 1 && ended.errors.contains("Cloud cannot be added: "), "\(ended.errors)")
            // The directory of the provider's domain was removed, and so was the password that the provider had stored.
            let container = test.place.home + "/data/containers/" + SetUpFixture.first
            for folder in ["File Provider Storage", "File Provider State"] {
                let left = (try? FileManager.default.contentsOfDirectory(atPath: container + "/" + folder)) ?? []
                #expect(left.isEmpty, "\(left)")
            }
            #expect(try await test.place.purvey("domains", "add", "first", "Cloud", "does=succeeds").status == 0)
            #expect(try await test.finding("passwords", of: "Cloud") == "")
        }
    }

    @Test func aPasswordIsAskedForOnTheTerminalAndStoredEncrypted() async throws {
        try await SetUpFixture.run { test in
            let refused = try PersonAtTerminal(test.place, "domains", "add", "first", "Cloud", "does=asks")
            try await refused.sees("User name for cloud.example: ")
            try await refused.types("ada\n")
            try await refused.sees("Password for ada at cloud.example: ")
            try await refused.types("wrong\n")
            let (refusal, reason) = try await refused.end()
            #expect(refusal == .exited(1) && reason.contains("refused the password of ada"), "\(reason)")
            #expect(!reason.contains("wrong"))
            #expect(try await test.place.purvey("domains").text.isEmpty)

            let person = try PersonAtTerminal(test.place, "domains", "add", "first", "Cloud", "does=asks", "user=ada")
            try await person.sees("Password for ada at cloud.example: ")
            try await person.types("open sesame\n")
            let (ending, text) = try await person.end()
            #expect(ending == .exited(0) && !text.contains("sesame"), "\(text)")
            #expect(try await test.finding("passwords", of: "Cloud") == "ada:open sesame")
            // The password is in no container, record or log, and in no argument or environment of the daemon.
            #expect(try await test.files(with: "sesame") == [])
            let daemon = try await test.place.daemon()
            for file in ["cmdline", "environ"] {
                let bytes = FileManager.default.contents(atPath: "/proc/\(daemon)/\(file)") ?? Data()
                #expect(!bytes.isEmpty && bytes.range(of: Data("sesame".utf8)) == nil)
            }
            // The password outlives the daemon, and goes with the domain.
            try await test.place.endDaemon()
            #expect(try await test.finding("passwords", of: "Cloud") == "ada:open sesame")
            #expect(try await test.place.purvey("domains", "remove", "Cloud").status == 0)
            #expect(try await test.place.purvey("domains", "add", "first", "Cloud", "does=succeeds").status == 0)
            #expect(try await test.finding("passwords", of: "Cloud") == "")
        }
    }

    @Test func aPasswordComesFromAFile() async throws {
        try await SetUpFixture.run { test in
            let file = try test.passwordFile("open sesame")
            let add = ["domains", "add", "--password-file", file, "first", "Cloud", "does=asks"]
            let nameless = try await test.place.purvey(add)
            #expect(nameless.status == 1 && nameless.errors.contains("give user="), "\(nameless.errors)")
            let added = try await test.place.purvey(add + ["user=ada"])
            #expect(added.status == 0, "\(added.errors)")
            #expect(try await test.finding("passwords", of: "Cloud") == "ada:open sesame")
            let long = try test.passwordFile(String(repeating: "x", count: 4_097))
            let refused = try await test.place.purvey("sign-in", "--password-file", long, "Cloud")
            #expect(refused.status == 1 && refused.errors.contains("longer than 4096 bytes"), "\(refused.errors)")
            // Without a terminal or a file, the sentence says what to do.
            let unasked = try await test.place.purvey("domains", "add", "first", "Other", "does=asks")
            #expect(unasked.status == 1 && unasked.errors.contains("give user= and --password-file"))
        }
    }

    @Test func aUserInTheBrowserHasLongerThanATransfer() async throws {
        try await SetUpFixture.run { test in
            // The next daemon gets the time limits.
            try await test.place.endDaemon()
            let added = try await test.place.shell(
                """
                export PURVEY_PROVIDER_TRANSFER_TIME=1 PURVEY_PROVIDER_PATIENCE=1 DISPLAY= WAYLAND_DISPLAY=
                "$purvey" domains add first Cloud does=browses
                """)
            #expect(added.status == 0 && added.errors.contains("https://cloud.example/login"), "\(added.errors)")
        }
    }

    @Test func aSetUpThatIsInterruptedLeavesNothing() async throws {
        try await SetUpFixture.run { test in
            let person = try PersonAtTerminal(test.place, "domains", "add", "first", "Cloud", "does=waits")
            try await person.sees("waiting for the service")
            try await person.types("\u{3}")
            let (ending, text) = try await person.end()
            #expect(ending == .exited(1) && text.contains("interrupted"), "\(text)")
            let added = try await test.place.purvey("domains", "add", "first", "Cloud", "does=succeeds")
            #expect(added.status == 0, "\(added.errors)")
        }
    }

    @Test func theProcessOfAProviderThatWatchesItsServiceRunsUnlessItsDomainIsPaused() async throws {
        try await SetUpFixture.run { test in
            try await test.install(SetUpFixture.second, shortName: "second", watches: true)
            try await test.place.endDaemon()
            let added = try await test.place.shell(
                """
                export PURVEY_PROVIDER_IDLE_TIME=0.5
                "$purvey" domains add first First does=succeeds && "$purvey" domains add second Second does=succeeds
                """)
            #expect(added.status == 0, "\(added.errors)")
            try await test.waits(for: 0, of: SetUpFixture.first)
            try await test.waits(for: 1, of: SetUpFixture.second)
            #expect(try await test.place.purvey("pause", "Second").status == 0)
            try await test.waits(for: 0, of: SetUpFixture.second)
            #expect(try await test.place.purvey("resume", "Second").status == 0)
            try await test.waits(for: 1, of: SetUpFixture.second)
        }
    }

    @Test func settingsThatDoNotWorkAreRefused() async throws {
        try await SetUpFixture.run { test in
            let file = try test.passwordFile("open sesame")
            #expect(
                try await test.place.purvey(
                    "domains", "add", "--password-file", file, "first", "Cloud", "does=asks", "user=ada"
                ).status == 0)
            let failed = try await test.place.purvey("domains", "set", "Cloud", "does=other")
            #expect(failed.status == 1 && failed.errors.contains("There is no set-up other."), "\(failed.errors)")
            #expect(try await test.finding("settings", of: "Cloud") == "does=asks user=ada")
            let set = try await test.place.purvey("domains", "set", "Cloud", "does=succeeds", "temporary=yes")
            #expect(set.status == 0 && set.errors == "looked at the service for changing\n", "\(set.errors)")
            #expect(
                try await test.finding("settings", of: "Cloud") == "does=succeeds greeting=hello user=ada")
            let unknown = try await test.place.purvey("domains", "set", "Cloud", "dose=succeeds")
            #expect(unknown.status == 1 && unknown.errors.contains("does"), "\(unknown.errors)")
            let signedIn = try await test.place.purvey("sign-in", "Cloud")
            #expect(
                signedIn.status == 0 && signedIn.errors == "looked at the service for signingIn\n",
                "\(signedIn.errors)")
            // The password of the domain is still there.
            #expect(try await test.finding("passwords", of: "Cloud") == "ada:open sesame")
        }
    }

    @Test func providersReachTheirOwnPasswordsAndAnAppThoseOfASharedGroup() async throws {
        try await SetUpFixture.run { test in
            let file = try test.passwordFile("open sesame")
            // The second provider asks for the own group of the first, which it does not get.
            try await test.install(
                SetUpFixture.second, shortName: "second", groups: [SetUpFixture.shared, SetUpFixture.first])
            for (provider, user) in [("first", "ada"), ("second", "bob")] {
                let added = try await test.place.purvey(
                    "domains", "add", "--password-file", file, provider, provider, "does=asks", "user=\(user)")
                #expect(added.status == 0, "\(added.errors)")
            }
            #expect(try await test.finding("passwords", of: "first") == "ada:open sesame")
            #expect(try await test.finding("passwords", of: "second") == "bob:open sesame")
            let app = try await test.register(app: "org.example.setup.app", groups: [SetUpFixture.shared])
            #expect(try await test.place.shell("'\(app)' passwords").text == "bob:open sesame\n")
            let stranger = try await test.register(app: "org.example.stranger")
            #expect(try await test.place.shell("'\(stranger)' passwords").text == "\n")
            // A program of no bundle is in no group (errSecMissingEntitlement).
            let program = try BuiltProgram.path("SetUpProvider")
            #expect(try await test.place.shell("'\(program)' passwords").text == "failed(-34018)\n")
        }
    }

    @Test func aMistypedShortNameIsSuggested() async throws {
        try await SetUpFixture.run { test in
            let mistyped = try await test.place.purvey("domains", "add", "frist", "Cloud", "does=succeeds")
            #expect(mistyped.status == 1 && mistyped.errors.contains("first"), "\(mistyped.errors)")
            let byIdentifier = try await test.place.purvey(
                "domains", "add", SetUpFixture.first, "Cloud", "does=succeeds")
            #expect(byIdentifier.status == 0, "\(byIdentifier.errors)")
        }
    }
}
