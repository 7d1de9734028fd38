import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// Tests of the alerts that a provider requires before operations, across a daemon, a confined provider and a mount.
@Suite(.timeLimit(.minutes(20))) struct AlertCommandTests {
    private func trashed(_ place: ServiceFixture) async throws -> [String] {
        try await place.succeed("trash").text.split(separator: "\n").map(String.init).sorted()
    }

    @Test(arguments: [StartedCloud.Model.documents, .replica])
    func anAlertIsAnsweredOnTheTerminalAndSuppressed(_ model: StartedCloud.Model) async throws {
        try await ServiceFixture.run(model: model) { place in
            try await place.tell { control in
                for name in ["asked a", "asked b", "asked c", "asked d", "asked e", "plain"] {
                    try control.put(name, "contents")
                }
            }
            try await place.succeed("ls", "Cloud:")
            // Without a terminal, nothing is changed.
            let refused = try await place.place.purvey("trash", "Cloud:asked a", "Cloud:plain")
            #expect(
                refused.status == 1
                    && refused.errors
                        == "purvey: trash: Cloud: Move “asked a” to the trash? Others see that. There is no terminal to "
                        + "ask on; --yes continues\n"
            )
            #expect(await place.names().count == 6)
            try await place.succeed("trash", "Cloud:plain")
            try await place.succeed("trash", "--yes", "Cloud:asked a", "Cloud:asked b")

            let cautious = try PersonAtTerminal(place.place, "trash", "Cloud:asked c", "Cloud:asked d")
            try await cautious.sees("Cloud: Move 2 items to the trash?")
            try await cautious.sees("Others see that.")
            try await cautious.sees("Do It? [y/N/always] ")
            try await cautious.types("\n")
            let left = try await cautious.end()
            #expect(left.ending == .exited(1) && left.text.contains("nothing was changed"), "\(left.text)")
            #expect(await place.names() == ["asked c", "asked d", "asked e"])

            let bold = try PersonAtTerminal(place.place, "trash", "Cloud:asked c")
            try await bold.sees("Do It? [y/N/always] ")
            try await bold.types("y\n")
            #expect(try await bold.end().ending == .exited(0))
            let bored = try PersonAtTerminal(place.place, "trash", "Cloud:asked d")
            try await bored.sees("Do It? [y/N/always] ")
            try await bored.types("always\n")
            #expect(try await bored.end().ending == .exited(0))
            // The provider has stored the suppression.
            #expect(FileManager.default.fileExists(atPath: place.cloud.folder + "/suppressed-org.example.trash"))
            try await place.succeed("trash", "Cloud:asked e")
            #expect(await place.names().isEmpty)

            #expect(try await place.succeed("alerts", "Cloud").text == "org.example.trash  suppressed\n")
            try await place.succeed("alerts", "Cloud", "show", StartedCloud.trashAlert)
            #expect(try await place.succeed("alerts", "Cloud").text == "org.example.trash  shown\n")
            try await place.succeed("alerts", "Cloud", "suppress", StartedCloud.trashAlert)
            let json = try await place.succeed("alerts", "--json", "Cloud")
            let list = try JSONSerialization.jsonObject(with: json.output) as? [[String: Any]]
            #expect(list?.first?["isSuppressed"] as? Bool == true)
            try await place.eventually("all are in the trash") { try await trashed(place).count == 6 }
            // Deletions have alerts of their own, which cannot be suppressed.
            let deletion = try await place.place.purvey("trash", "--empty", "Cloud:asked e")
            #expect(deletion.status == 1 && deletion.errors.contains("Delete of “asked e”? It cannot be undone."))
            try await place.succeed("trash", "--empty", "Cloud:plain")
            try await place.succeed("trash", "--yes", "--empty", "Cloud")
            #expect(try await trashed(place).isEmpty)
        }
    }

    @Test func aForbiddenChangeFailsInTheMountToo() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { control in
                try control.put("fixed.txt", "contents")
                try control.put("fixed/inner.txt", "contents")
                try control.put("folder/a.txt", "contents")
                try control.put("asked.txt", "contents")
            }
            try await place.succeed("ls", "Cloud:")
            let refused = try await place.place.purvey("trash", "--yes", "Cloud:fixed.txt")
            #expect(
                refused.status == 1
                    && refused.errors == "purvey: trash: Cloud: “fixed.txt” cannot be changed. It belongs to others.\n")
            let mount = place.mount
            func errno(_ call: @escaping @Sendable () -> Int32) async -> Int32 {
                await offPool { call() == 0 ? 0 : Glibc.errno }
            }
            #expect(await errno { unlink(mount + "/fixed.txt") } == EPERM)
            #expect(await errno { rename(mount + "/fixed.txt", mount + "/other.txt") } == EPERM)
            #expect(await errno { rename(mount + "/fixed.txt", mount + "/folder/fixed.txt") } == EPERM)
            #expect(await errno { rename(mount + "/fixed", mount + "/folder/fixed") } == EPERM)
            #expect(await place.names() == ["asked.txt", "fixed", "fixed.txt", "folder"])
            let notes = try await place.succeed("status", "Cloud").text
            #expect(notes.contains("its provider forbids the change: “fixed"), "\(notes)")
            // Contents may change, also by a new file that takes another's place before the service has it.
            try await place.write("new", to: "fixed.txt")
            try await place.succeed("pause", "Cloud")
            try await place.write("newer", to: "fixed.tmp")
            #expect(await errno { rename(mount + "/fixed.tmp", mount + "/fixed.txt") } == 0)
            try await place.succeed("resume", "Cloud")
            #expect(await errno { unlink(mount + "/fixed/inner.txt") } == 0)
            // No user can be asked in a system call.
            #expect(await errno { rename(mount + "/asked.txt", mount + "/renamed.txt") } == 0)
            try await place.eventually("the service has the changes") {
                try await place.tell { control in
                    let paths = Set(try control.snapshot().keys)
                    return paths.isSuperset(of: ["fixed.txt", "renamed.txt"]) && !paths.contains("fixed/inner.txt")
                }
            }
        }
    }

    @Test func invalidArgumentsPrintOneLine() async throws {
        try await ServiceFixture.run { place in
            for (arguments, status, words) in [
                (["alerts"], Int32(2), "the name of a domain is missing"),
                (["alerts", "Cloud", "show"], 2, "identifier"),
                (["alerts", "Cloud", "shwo", "a"], 2, "show"),
                (["alerts", "Cloud", "show", "a", "b"], 2, "unexpected"),
                (["alerts", "--json", "Cloud", "show", "a"], 2, "--json"), (["alerts", "None"], 1, "no domain"),
                (["alerts", "Cloud", "show", "none"], 1, "has no alert none; 'purvey alerts Cloud' lists them"),
            ] {
                let outcome = try await place.place.purvey(arguments)
                #expect(outcome.status == status && outcome.errors.contains(words), "\(arguments) \(outcome.errors)")
                #expect(outcome.errors.count { $0 == "\n" } == 1, "\(outcome.errors)")
            }
        }
    }
}
