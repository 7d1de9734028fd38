import DaemonTesting
import Foundation
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// Tests of invalid input from services and users, across a daemon, a confined provider, a service and a mount.
/// Thumbnails are covered by `ThumbnailTests`, payloads of services by `ServiceTests`, and the search index on a full
/// disk by `SearchTests`.
@Suite(.timeLimit(.minutes(20))) struct BadInputTests {
    @Test func aPushForAnUnknownDomainIsRefusedWithoutARequest() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("a.txt", "hello") }
            #expect(await place.read("a.txt") == "hello")
            try await place.tell { try $0.forgetRequests() }
            for _ in 0..<5 { try await Self.pushForUnknownDomains(place) }
            // Late requests after the first listing count, too: for the changes of the root and of the working set,
            // each at most twice, and for the trash. These are far fewer than one request per push.
            #expect(try await place.tell { try $0.count(.changes) } <= 4)
            #expect(try await place.tell { try $0.count(.page) } <= 2)
        }
    }

    private static func pushForUnknownDomains(_ place: ServiceFixture) async throws {
        let root = "NSFileProviderRootContainerItemIdentifier"
        for (payload, words) in [
            ("{\"container-identifier\": \"\(root)\", \"domain\": \"Nowhere\"}", "there is no domain \"Nowhere\""),
            (
                "{\"container-identifier\": \"\(root)\", \"topic\": \"org.example.other.pushkit.fileprovider\"}",
                "there is no domain that the push is about"
            ),
        ] {
            let outcome = try await place.place.purvey("push", input: Data(payload.utf8))
            #expect(outcome.status == 1 && outcome.errors.contains(words), "\(outcome.errors)")
        }
    }

    @Test func aHundredThousandSignalsAreAFewQuestionsAndOthersAreAnsweredMeanwhile() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("a.txt", "hello") }
            #expect(await place.read("a.txt") == "hello")
            let status = try await place.succeed("status", "--json")
            let object = try JSONSerialization.jsonObject(with: status.output) as? [String: Any]
            let daemon = try #require(object?["daemon"] as? Int)
            let before = try Self.memory(of: daemon, "VmRSS")
            // Requests that run one after the other are limited to two a second.
            try await place.tell {
                try $0.add(CloudRule(.delay(0.5), on: .changes))
                try $0.forgetRequests()
            }
            try Data().write(to: URL(fileURLWithPath: place.cloud.folder + "/signals-often"))
            try await place.succeed("signal", "Cloud")
            try await place.eventually("all are sent") {
                let isSent = FileManager.default.fileExists(atPath: place.cloud.folder + "/signals-sent")
                let item = try await place.item("a.txt")
                #expect(item["name"] as? String == "a.txt")
                #expect(await place.read("a.txt") == "hello")
                return isSent
            }
            try await place.tell { try $0.put("b.txt", "new") }
            try await place.tell { try $0.removeRules() }
            // The replies to the provider's own signals may all precede the new file.
            try await place.succeed("signal", "Cloud")
            try await place.eventually("the change is seen") { await place.read("b.txt") == "new" }
            let questions = try await place.tell { try $0.count(.changes) }
            #expect(questions < 1000)
            let grown = try Self.memory(of: daemon, "VmHWM") - before
            #expect(grown < 128 << 20, "\(grown >> 20) MiB more")
        }
    }

    /// Returns a size of /proc/PID/status in bytes.
    private static func memory(of process: Int, _ key: String) throws -> Int {
        let lines = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix(key + ":") })
        return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) << 10
    }

    @Test func aSignInThatFailsThreeTimesKeepsEditsAndALaterOneIsAsGood() async throws {
        try await ServiceFixture.run { place in
            try await Self.failToSignIn(place)
        }
    }

    @Test(.enabled(if: FullDisk.isWanted))
    func aFullDiskHindersNoSignIn() async throws {
        try await Self.withSmallDisk { place, disk in
            try await Self.failToSignIn(place) {
                try await onThread { try disk.fill() }
            } relieve: {
                try await onThread { try disk.makeRoom() }
            }
        }
    }

    @Test(.enabled(if: FullDisk.isWanted))
    func aFullDiskLosesNoTagThatWasTaken() async throws {
        try await Self.withSmallDisk { place, disk in
            try await place.tell { try $0.fill("folder", count: 60) }
            #expect(try await place.succeed("ls", "Cloud:folder").text.split(separator: "\n").count == 60)
            try await onThread { try disk.fill() }
            // Tag until a command is refused, or until all have found room in the reserve.
            var taken: [Int] = []
            for number in 0..<60 {
                let tagged = try await place.place.purvey(
                    "tag", "Cloud:folder/file \(number)", "Kept", String(repeating: "x", count: 250))
                guard tagged.status == 0 else {
                    #expect(tagged.status == 1 && tagged.errors.contains("cannot be tagged: No space"))
                    break
                }
                taken.append(number)
            }
            #expect(try await place.place.purvey("search", "file 59").text.contains("file 59"))
            #expect(try await place.place.purvey("recents").status == 0)
            try await onThread { try disk.makeRoom() }
            for number in taken {
                let tags = try await place.succeed("tag", "Cloud:folder/file \(number)").text
                #expect(tags.hasPrefix("Kept\n"), "\(number): \(tags)")
            }
            #expect(try await place.succeed("tag", "Cloud:folder/file 59", "Later").text.contains("Later\n"))
        }
    }

    /// Runs a test in which the daemon's data of domains are on a disk of a few megabytes.
    private static func withSmallDisk(_ body: (ServiceFixture, FullDisk) async throws -> Void) async throws {
        var mounted: FullDisk?
        try await ServiceFixture.run { place in
            mounted = try FullDisk(megabytes: 16, at: place.home + "/data/domains")
        } _: { place in
            let disk = try #require(mounted)
            // The directory is removed with the rest.
            defer { disk.unmount() }
            try await body(place, disk)
        }
    }

    /// - Parameters:
    ///   - hinder: A closure that is called before the sign-in.
    ///   - relieve: A closure that is called after the sign-in.
    private static func failToSignIn(
        _ place: ServiceFixture, hinder: () async throws -> Void = {}, relieve: () async throws -> Void = {}
    ) async throws {
        try await place.tell { try $0.put("a.txt", "old") }
        #expect(await place.read("a.txt") == "old")
        try await place.tell { try $0.change { $0.password = "secret" } }
        try await place.write("new", to: "a.txt")
        try await place.eventually("a sign-in is asked for") {
            try await place.status()["needsSignIn"] as? Bool == true
        }
        let (wrong, right) = (
            try place.place.write("wrong\n", to: "wrong"), try place.place.write("secret\n", to: "right")
        )
        try await hinder()
        for _ in 0..<3 {
            let refused = try await place.place.purvey("sign-in", "--password-file", wrong, "Cloud")
            #expect(refused.status == 1 && refused.errors == "purvey: sign-in: The password is wrong.\n")
        }
        let told = try await place.status()["errors"] as? [String] ?? []
        #expect(told.first?.hasPrefix("signing in failed 3 times") == true, "\(told)")
        #expect(await place.read("a.txt") == "new")
        try await place.succeed("sign-in", "--password-file", right, "Cloud")
        #expect(try await place.status()["needsSignIn"] as? Bool == false)
        try await relieve()
        try await place.eventually("the edit arrives") { try await place.tell { try $0.text("a.txt") } == "new" }
    }

    @Test func tagsThatAreNotUTF8AreRefusedAndOthersStay() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("a.txt", "hello") }
            #expect(try await place.succeed("tag", "Cloud:a.txt", "Work").text == "Work\n")
            try await Self.tagWithoutUTF8(place)
        }
    }

    private static func tagWithoutUTF8(_ place: ServiceFixture) async throws {
        let refused = try await place.place.shell("\"$purvey\" tag Cloud:a.txt Good $'\\xff\\xfe'")
        #expect(refused.status == 2 && refused.errors.contains("not UTF-8"), "\(refused.errors)")
        #expect(try await place.succeed("tag", "Cloud:a.txt").text == "Work\n")
    }

    /// Sends invalid pushes, tags, rules, thumbnails and signals, one after the other.
    @Test(.enabled(if: FullDisk.isWanted))
    func aFullDiskMakesNothingOfThatWorse() async throws {
        try await Self.withSmallDisk { place, disk in
            try await place.tell { control in
                for name in ["a.txt", "text.jpg", "empty.jpg", "huge.jpg"] { try control.put(name, "hello") }
                try control.setThumbnail(Array("no picture".utf8), of: "text.jpg")
                try control.setThumbnail([], of: "empty.jpg")
                try control.add(CloudRule(.bloat(size: 500 << 20), on: .thumbnail, of: "huge.jpg"))
            }
            try await place.install(actions: [
                StartedCloud.action("org.example.bad", "Bad", rule: "ANY fileproviderItems.filename =="),
                StartedCloud.action("org.example.touch", "Touch", rule: "TRUEPREDICATE"),
            ])
            #expect(try await place.succeed("tag", "Cloud:a.txt", "Work").text == "Work\n")
            try await onThread { try disk.fill() }

            try await Self.pushForUnknownDomains(place)
            try await Self.tagWithoutUTF8(place)
            let actions = try await place.succeed("actions", "Cloud:a.txt")
            #expect(actions.text == "org.example.touch  Touch\n" && actions.errors.contains("is left out"))
            let (mount, failures) = (place.mount, place.place.home + "/thumbnails/fail/purvey")
            try await place.eventually("it is noted of which there is no picture") {
                try await onThread {
                    _ = try FileManager.default.contentsOfDirectory(atPath: mount)
                    return (try? FileManager.default.contentsOfDirectory(atPath: failures))?.count == 3
                }
            }
            try Data("2000".utf8).write(to: URL(fileURLWithPath: place.cloud.folder + "/signals-often"))
            try await place.tell { try $0.put("b.txt", "new") }
            try await place.succeed("signal", "Cloud")
            try await place.eventually("all are sent") {
                FileManager.default.fileExists(atPath: place.cloud.folder + "/signals-sent")
            }
            // The change is not signalled again.
            try await onThread { try disk.makeRoom() }
            try await place.eventually("the change is seen") { await place.read("b.txt") == "new" }
            #expect(await place.read("a.txt") == "hello")
            #expect(try await place.succeed("tag", "Cloud:a.txt").text == "Work\n")
        }
    }
}
