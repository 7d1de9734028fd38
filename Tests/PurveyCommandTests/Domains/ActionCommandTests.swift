import Foundation
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// Tests of the provider's own actions, across a daemon, a confined provider, a service and a mount.
@Suite(.timeLimit(.minutes(20))) struct ActionCommandTests {
    private func names(_ place: ServiceFixture, _ path: String) async throws -> [String] {
        let outcome = try await place.succeed("actions", "--json", path)
        let list = try JSONSerialization.jsonObject(with: outcome.output) as? [[String: Any]]
        return try #require(list).compactMap { $0["name"] as? String }
    }

    /// Returns the actions that the service was asked to perform.
    private func acts(_ place: ServiceFixture) async throws -> [String] {
        try await place.tell { control in
            try control.requests().compactMap { request in
                if case .act(let action, let items) = request { "\(action) \(items.count)" } else { nil }
            }
        }
    }

    @Test func fittingActionsAreListedFromTheIndexAndRunByTheProvider() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { control in
                try control.put("draft.txt", "a")
                try control.put("letter.txt", "b")
                try control.put("locked/inner/draft.txt", "c")
            }
            for folder in ["Cloud:", "Cloud:locked", "Cloud:locked/inner"] { try await place.succeed("ls", folder) }
            #expect(try await names(place, "Cloud:draft.txt") == ["Publish", "Touch", "Crash", "Work"])
            #expect(try await names(place, place.mount + "/letter.txt") == ["Touch", "Crash", "Work"])
            // A rule that holds for a directory holds for the items in it.
            #expect(try await names(place, "Cloud:locked/inner/draft.txt") == ["Touch", "Crash", "Work"])
            let listed = try await place.succeed("actions", "Cloud:draft.txt")
            #expect(listed.text.hasPrefix("org.example.publish  Publish\norg.example.touch  Touch\n"))
            #expect(listed.errors.isEmpty)

            try await place.succeed("actions", "Cloud:draft.txt", "org.example.publish")
            try await place.succeed("actions", place.mount + "/letter.txt", "Touch")
            #expect(try await acts(place) == ["org.example.publish 1", "org.example.touch 1"])

            // The fitting actions are known even without the service and the extension. The provider of a paused domain
            // is not asked for changes when the daemon starts.
            try await place.succeed("pause")
            try await place.restartWithoutExtension()
            #expect(try await names(place, "Cloud:draft.txt") == ["Publish", "Touch", "Crash", "Work"])
            #expect(try await names(place, "Cloud:locked/inner/draft.txt") == ["Touch", "Crash", "Work"])
            #expect(place.extensionProcesses.isEmpty)
        }
    }

    @Test func failedActionsPrintOneLine() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { control in
                try control.put("letter.txt", "a")
                try control.put("draft.txt", "b")
            }
            try await place.succeed("ls", "Cloud:")
            for (arguments, status, words) in [
                (["actions"], Int32(2), "a path is missing"), (["actions", "a", "b", "c", "d"], 2, "unexpected"),
                (["actions", "--json", "a", "b"], 2, "--json"), (["actions", "/nowhere"], 1, "is in no domain"),
                (["actions", "Cloud:nothing"], 1, "Cloud:nothing: there is no such file or folder"),
                (["actions", "Cloud:letter.txt", "unknown"], 1, "the action unknown is none of the provider's"),
                (
                    ["actions", "Cloud:letter.txt", "org.example.publish"], 1,
                    "the action org.example.publish does not fit Cloud:letter.txt; 'purvey actions' lists those that fit"
                ), (["actions", "Cloud:letter.txt", "Crash"], 1, "the extension crashed"),
            ] {
                let outcome = try await place.place.purvey(arguments)
                #expect(outcome.status == status && outcome.errors.contains(words), "\(arguments) \(outcome.errors)")
                #expect(outcome.errors.hasSuffix("\n") && outcome.errors.count { $0 == "\n" } == 1, "\(outcome.errors)")
            }
            // The service fails, and then an item is gone at the service, which the failed action reveals.
            try await place.tell { try $0.add(CloudRule(.fail(.overQuota), on: .act, times: 1)) }
            let full = try await place.place.purvey("actions", "Cloud:letter.txt", "Touch")
            #expect(
                full.status == 1
                    && full.errors
                        == "purvey: actions: Touch: The service has no room left. Remove files there, or buy more room.\n"
            )
            try await place.tell { control in
                // The daemon does not learn of the removal.
                try control.add(CloudRule(.hold, on: .changes))
                try control.remove("letter.txt")
            }
            let gone = try await place.place.purvey("actions", "Cloud:letter.txt", "Touch")
            #expect(gone.status == 1 && gone.errors.hasPrefix("purvey: actions: Touch: "), "\(gone.errors)")
            try await place.tell { try $0.removeRules() }
            try await place.eventually("it is gone here too") {
                try await place.place.purvey("stat", "Cloud:letter.txt").status == 1
            }
            // A failure for lack of a sign-in makes the daemon ask for one.
            try await place.tell { try $0.add(CloudRule(.fail(.notSignedIn), on: .act, times: 1)) }
            let stranger = try await place.place.purvey("actions", "Cloud:draft.txt", "Publish")
            #expect(stranger.status == 1 && stranger.errors.contains("Nobody is signed in."), "\(stranger.errors)")
            #expect(try await place.status()["needsSignIn"] as? Bool == true)
        }
    }

    @Test func aUserWhoCancelsStopsTheProvider() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("letter.txt", "a") }
            try await place.succeed("ls", "Cloud:")
            let person = try PersonAtTerminal(place.place, "actions", "Cloud:letter.txt", "Work")
            try await place.eventually("the provider is at work") { try await acts(place) == ["begun 0"] }
            try await person.types("\u{03}")
            #expect(try await person.end().ending == .signalled(2))
            try await place.eventually("the provider is told to stop") {
                try await acts(place) == ["begun 0", "cancelled 0"]
            }
        }
    }

    @Test func theUserNeedNotWaitForAServiceThatNeverReplies() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("letter.txt", "a") }
            try await place.succeed("ls", "Cloud:")
            try await place.tell { try $0.add(CloudRule(.hold, on: .act)) }
            let person = try PersonAtTerminal(place.place, "actions", "Cloud:letter.txt", "Touch")
            try await place.eventually("the service is asked") { try await place.tell { try $0.held() } == 1 }
            try await person.types("\u{03}")
            #expect(try await person.end().ending == .signalled(2))
            // The service still holds the request; no client waits for it, not even the next action.
            #expect(try await place.tell { try $0.held() } == 1)
            try await place.succeed("stat", "Cloud:letter.txt")
            try await place.tell { try $0.removeRules() }
            try await place.succeed("actions", "Cloud:letter.txt", "Touch")
        }
    }

    @Test func aRuleThatCannotBeParsedKeepsNoOtherActionAway() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("letter.txt", "a") }
            try await place.succeed("ls", "Cloud:")
            let bundle = try await place.install(actions: [
                StartedCloud.action("org.example.bad", "Bad", rule: "ANY fileproviderItems.filename =="),
                StartedCloud.action("org.example.touch", "Touch", rule: "TRUEPREDICATE"),
            ])
            let listed = try await place.succeed("actions", "Cloud:letter.txt")
            #expect(listed.text == "org.example.touch  Touch\n")
            let fault = """
                purvey: actions: \(StartedCloud.providerIdentifier): the action "org.example.bad" is left out: \
                NSExtensionFileProviderActionActivationRule: a value is expected at character 34, where the end stands

                """
            #expect(listed.errors == fault)
            let checked = try await place.place.purvey("extensions", "check", bundle)
            #expect(checked.status == 1 && checked.text.hasPrefix("the action \"org.example.bad\" is left out: "))
            #expect(checked.errors.hasSuffix("has a fault\n"))
        }
    }

    @Test func aFileOnThisMachineIsDuplicated() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(try await place.purvey("ls", cloud.mount).status == 0)
            let listed = try await place.purvey("actions", cloud.mount + "/a.txt")
            #expect(listed.text == "org.purvey.LocalFolder.duplicate  Duplicate\n", "\(listed.errors)")
            #expect(try await place.purvey("actions", "Papers:inner").text.isEmpty)
            for _ in 0..<2 {
                let outcome = try await place.purvey("actions", "Papers:a.txt", "Duplicate")
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
            try await cloud.eventually("the copies are in the mount") {
                let first = await cloud.contents(cloud.mount + "/a copy.txt")
                let second = await cloud.contents(cloud.mount + "/a copy 2.txt")
                return first == "hello\n" && second == "hello\n"
            }
            #expect(try String(contentsOfFile: cloud.cloud + "/a copy.txt", encoding: .utf8) == "hello\n")
            // The provider cannot copy contents that it does not have yet.
            do {
                let file = try FileDescriptor.open(cloud.mount + "/a.txt", [.writeOnly])
                try Array("other".utf8).withUnsafeBytes { try file.writeAll($0, at: 0) }
                #expect(try await place.purvey("actions", "Papers:a.txt").text.isEmpty)
                let refused = try await place.purvey("actions", "Papers:a.txt", "Duplicate")
                #expect(refused.status != 0)
            }
            try await cloud.eventually("the edit is in the folder, and can be copied") {
                try await place.purvey("actions", "Papers:a.txt", "Duplicate").status == 0
            }
            #expect(try String(contentsOfFile: cloud.cloud + "/a copy 3.txt", encoding: .utf8) == "other\n")
        }
    }

    @Test func rulesKnowHowFarEditsAre() async throws {
        try await ServiceFixture.run { place in
            func rule(_ condition: String) -> String {
                "SUBQUERY(fileproviderItems, $item, $item.\(condition)).@count == 1"
            }
            try await place.install(actions: [
                StoredPlan.make("org.example.explain", "Explain", rule: rule("uploadingError != nil")),
                StoredPlan.make("org.example.stop", "Stop", rule: rule("isUploading == YES")),
                StoredPlan.make("org.example.touch", "Touch", rule: "TRUEPREDICATE"),
            ])
            try await place.tell { try $0.change { $0.quota = 10 } }
            try await place.write("more than there is room for", to: "large.txt")
            try await place.eventually("the fault is shown") {
                try await place.item("large.txt")["state"] as? String == "error"
            }
            #expect(try await names(place, "Cloud:large.txt") == ["Explain", "Touch"])
            try await place.tell { control in
                try control.change { $0.quota = nil }
                try control.add(CloudRule(.hold, on: .create))
            }
            try await place.succeed("retry", "Cloud")
            try await place.eventually("it is on its way") { try await place.tell { try $0.held() } == 1 }
            #expect(try await names(place, "Cloud:large.txt") == ["Stop", "Touch"])
            try await place.tell { try $0.removeRules() }
            try await place.eventually("it arrives") {
                try await place.item("large.txt")["isUploaded"] as? Bool == true
            }
            #expect(try await names(place, "Cloud:large.txt") == ["Touch"])
        }
    }

    @Test func rulesKnowWhatTheProviderSaysOfItsDomain() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("letter.txt", "a") }
            let rule = "domainUserInfo.plan == 'paid' AND TERNARY(fileproviderItems.@count == 1, YES, NO) == YES"
            try await place.install(actions: [
                StoredPlan.make("org.example.share", "Share", rule: rule),
                StoredPlan.make("org.example.touch", "Touch", rule: "TRUEPREDICATE"),
            ])
            try await place.succeed("ls", "Cloud:")
            #expect(try await names(place, "Cloud:letter.txt") == ["Touch"])
            for (plan, expected) in [
                ("paid", ["Share", "Touch"]), ("expired", ["Touch"]), ("paid", ["Share", "Touch"]),
            ] {
                let file = place.cloud.folder + "/plan"
                try await onThread { try Data(plan.utf8).write(to: URL(fileURLWithPath: file)) }
                try await place.succeed("signal", "Cloud")
                try await place.eventually("the actions are \(expected)") {
                    try await names(place, "Cloud:letter.txt") == expected
                }
            }
            try await place.succeed("pause")
            try await place.restartWithoutExtension()
            #expect(try await names(place, "Cloud:letter.txt") == ["Share", "Touch"])
            #expect(place.extensionProcesses.isEmpty)
        }
    }
}

private enum StoredPlan {
    static func make(_ identifier: String, _ name: String, rule: String) -> [String: String] {
        let prefix = "NSExtensionFileProviderAction"
        return [prefix + "Identifier": identifier, prefix + "Name": name, prefix + "ActivationRule": rule]
    }
}
