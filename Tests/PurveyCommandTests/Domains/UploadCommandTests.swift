import Foundation
import ProgramTesting
import ScriptableService
import Testing

/// Tests of edits that a service refuses, across a daemon, a confined provider, a service and a mount.
@Suite(.timeLimit(.minutes(20))) struct UploadCommandTests {
    @Test func editsThatFailedForAMomentAreSentByThemselves() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("a.txt", "old") }
            #expect(await place.read("a.txt") == "old")
            try await place.tell { try $0.add(CloudRule(.drop, on: .replace, times: 1)) }
            try await place.tell { try $0.add(CloudRule(.dropAfterwards, on: .replace, times: 1)) }
            try await place.write("new", to: "a.txt")
            try await place.eventually("the edit arrives") { try await place.tell { try $0.text("a.txt") } == "new" }
            try await place.eventually("it is known to") {
                try await place.item("a.txt")["isUploaded"] as? Bool == true
            }
            #expect(try await place.item("a.txt")["state"] as? String == "current")
            let names = try await place.tell { try $0.snapshot().keys.sorted() }
            #expect(names == ["a.txt"])
        }
    }

    @Test func aFullServiceIsToldWithWhatToDoAndRetried() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.change { $0.quota = 10 } }
            try await place.write("more than there is room for", to: "large.txt")
            try await place.eventually("the fault is shown") {
                try await place.item("large.txt")["state"] as? String == "error"
            }
            let item = try await place.item("large.txt")
            #expect(item["error"] as? String == "The service has no room left.")
            #expect(item["errorKind"] as? String == "persistent")
            #expect(item["suggestion"] as? String == "Remove files there, or buy more room.")
            #expect(item["isUploaded"] as? Bool == false && item["isUploading"] as? Bool == false)
            #expect(await place.attribute("user.purvey.state", of: "large.txt") == "error")
            #expect(await place.attribute("user.purvey.error", of: "large.txt") == "The service has no room left.")
            #expect(
                await place.attribute("user.purvey.suggestion", of: "large.txt")
                    == "Remove files there, or buy more room.")
            #expect(await place.attribute("user.purvey.uploaded", of: "large.txt") == "0")
            let listed = try await place.succeed("ls", "Cloud:").text
            #expect(listed.hasPrefix("error "))
            let status = try await place.succeed("status").text
            #expect(status.contains("large.txt: The service has no room left. Remove files there, or buy more room."))

            // The waiting upload does not delay a small edit.
            try await place.write("small", to: "small.txt")
            try await place.eventually("the small one arrives") {
                try await place.tell { try? $0.text("small.txt") } == "small"
            }
            try await place.tell { try $0.change { $0.quota = nil } }
            try await place.succeed("retry", "Cloud")
            try await place.eventually("the large one arrives") {
                try await place.item("large.txt")["isUploaded"] as? Bool == true
            }
            #expect(try await place.tell { try $0.text("large.txt") } == "more than there is room for")
            #expect(await place.attribute("user.purvey.error", of: "large.txt") == nil)
            #expect(await place.attribute("user.purvey.uploaded", of: "large.txt") == "1")
        }
    }

    @Test func editorsOfAnItemThatAnotherEditedLearnWhereItIs() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("a.txt", "old") }
            #expect(await place.read("a.txt") == "old")
            #expect(try await place.status()["notes"] as? [String] == [])
            // The engine does not learn of the other client's contents before the edit is made.
            try await place.tell { control in
                for request in [CloudRule.Request.changes, .page] { try control.add(CloudRule(.drop, on: request)) }
                try control.put("a.txt", "theirs")
            }
            try await place.write("mine", to: "a.txt")
            try await place.eventually("both are with the service") {
                let names = try await place.tell { try $0.snapshot().keys.sorted() }
                return names.count == 2 && names.contains("a.txt")
            }
            try await place.eventually("it is told") {
                let notes = try await place.status()["notes"] as? [String] ?? []
                return notes.count == 1 && notes[0].hasPrefix("a.txt was also changed elsewhere: the version from ")
                    && notes[0].contains("a (conflicted copy ")
            }
            #expect(try await place.succeed("status").text.contains("   note: a.txt was also changed elsewhere"))
            #expect(try await place.tell { try $0.text("a.txt") } == "theirs")
        }
    }

    @Test func aSignInIsAskedForOnceAndGoesOnByItself() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("a.txt", "old") }
            #expect(await place.read("a.txt") == "old")
            try await place.tell { try $0.change { $0.password = "secret" } }
            for number in 0..<20 { try await place.write("\(number)", to: "\(number).txt") }
            try await place.eventually("a sign-in is asked for") {
                try await place.status()["needsSignIn"] as? Bool == true
            }
            let status = try await place.status()
            #expect(status["errors"] as? [String] == ["Nobody is signed in. 'purvey sign-in Cloud' signs in"])
            #expect((status["uploads"] as? [String: Int])?["waiting"] == 20)

            // After three wrong passwords everything is as before, and the status says so.
            let (wrong, right) = (
                try place.place.write("wrong\n", to: "wrong"), try place.place.write("secret\n", to: "right")
            )
            for _ in 0..<3 {
                let refused = try await place.place.purvey("sign-in", "--password-file", wrong, "Cloud")
                #expect(refused.status == 1 && refused.errors == "purvey: sign-in: The password is wrong.\n")
            }
            let failed = try await place.status()
            #expect(
                failed["errors"] as? [String] == [
                    "signing in failed 3 times (The password is wrong.); edits are kept, and 'purvey sign-in Cloud' tries again"
                ])
            #expect((failed["uploads"] as? [String: Int])?["waiting"] == 20)
            // Only a few of the twenty edits were tried, without frequent retries.
            #expect(try await place.tell { try $0.count(.create) } <= 8)

            try await place.succeed("sign-in", "--password-file", right, "Cloud")
            try await place.eventually("all of them arrive") {
                try await place.tell { try $0.snapshot().count } == 21
            }
            try await place.eventually("nothing is waiting") {
                let status = try await place.status()
                return status["uploads"] as? [String: Int] == ["waiting": 0, "inFlight": 0]
            }
            #expect(try await place.status()["needsSignIn"] as? Bool == false)
        }
    }

    @Test func aServiceThatWantsAPasswordIsAddedWithOne() async throws {
        try await ServiceFixture.run { place in
            try await place.tell {
                try $0.put("a.txt", "hello")
                try $0.change { $0.password = "secret" }
            }
            func add(_ options: String...) async throws -> CommandFixture.Outcome {
                try await place.place.purvey(
                    ["domains", "add"] + options
                        + [StartedCloud.providerIdentifier, "Other", "path=" + place.cloud.folder])
            }
            let (wrong, right) = (
                try place.place.write("wrong", to: "wrong"), try place.place.write("secret\n", to: "right")
            )
            let refused = try await add("--password-file", wrong)
            #expect(refused.status == 1 && refused.errors.hasSuffix("Other cannot be added: The password is wrong.\n"))
            let added = try await add("--password-file", right)
            #expect(added.status == 0, "\(added.errors)")
            #expect(try await place.succeed("ls", "Other:").text.hasSuffix("  a.txt\n"))
        }
    }

    @Test func anUploadInTheBackgroundIsShownUntilTheServiceHasIt() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("a.txt", "old") }
            #expect(await place.read("a.txt") == "old")
            try Data().write(to: URL(fileURLWithPath: place.cloud.folder + "/sends-behind"))
            try await place.tell { try $0.add(CloudRule(.hold, on: .replace)) }
            try await place.write("new contents", to: "a.txt")
            try await place.eventually("all of it was sent") { try await place.item("a.txt")["sent"] as? Int == 12 }
            let item = try await place.item("a.txt")
            #expect(item["isUploading"] as? Bool == true && item["isUploaded"] as? Bool == false)
            #expect(item["total"] as? Int == 12 && item["state"] as? String == "uploading")
            #expect(await place.attribute("user.purvey.state", of: "a.txt") == "uploading")
            #expect(await place.attribute("user.purvey.uploading", of: "a.txt") == "1")
            #expect(await place.attribute("user.purvey.progress", of: "a.txt") == "12/12")
            #expect(try await place.succeed("status").text.contains("   up: a.txt 100 %\n"))
            try await place.tell { try $0.removeRules() }
            try await place.eventually("it is uploaded") {
                try await place.item("a.txt")["isUploaded"] as? Bool == true
            }
            #expect(await place.attribute("user.purvey.uploading", of: "a.txt") == "0")
            #expect(try await place.tell { try $0.text("a.txt") } == "new contents")

            // A provider may use any numbers for its progress.
            try Data().write(to: URL(fileURLWithPath: place.cloud.folder + "/counts-high"))
            try await place.tell { try $0.add(CloudRule(.hold, on: .replace)) }
            try await place.write("newer", to: "a.txt")
            try await place.eventually("all of it was sent, in large numbers") {
                try await place.succeed("status").text.contains("   up: a.txt 100 %\n")
            }
            #expect(try await place.item("a.txt")["sent"] as? Int == 5 << 58)
            try await place.tell { try $0.removeRules() }
        }
    }
}
