import Foundation
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// Tests of a provider's user interface. A confined process sends requests to the user, who replies at a terminal.
@Suite(.timeLimit(.minutes(20))) struct InterfaceCommandTests {
    /// Runs a test with the provider, its user interface and one file.
    private func run(timeLimit: Int = 120, _ body: (ServiceFixture) async throws -> Void) async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("letter.txt", "a") }
            try await place.succeed("ls", "Cloud:")
            try await place.installInterface(timeLimit: timeLimit)
            try await body(place)
        }
    }

    /// Returns the actions that the service was asked to perform.
    private func acts(_ place: ServiceFixture) async throws -> [String] {
        try await place.tell { control in
            try control.requests().compactMap { request in
                if case .act(let action, let items) = request { "\(action): \(items.count)" } else { nil }
            }
        }
    }

    @Test func theUserIsAskedAndTheExtensionGetsTheAnswer() async throws {
        try await run { place in
            let listed = try await place.succeed("actions", "Cloud:letter.txt").text
            #expect(
                listed.contains("org.example.touch  Touch\n") && listed.contains("org.example.ui.share  Share...\n"))
            let person = try PersonAtTerminal(place.place, "actions", "Cloud:letter.txt", "Share")
            try await person.sees("Share it\r\n")
            try await person.sees("With [everybody]: ")
            try await person.types("ann\n")
            try await person.sees("Password: ")
            try await person.types("secret\n")
            let (ending, text) = try await person.end()
            #expect(ending == .exited(0), "\(text)")
            // The terminal does not show the password.
            #expect(!text.contains("secret"))
            #expect(try await acts(place) == ["shared with ann by secret, domain known: 1"])

            // Return accepts a default value. Control characters in texts of the provider cannot move the cursor.
            let hasty = try PersonAtTerminal(place.place, "actions", "Cloud:letter.txt", "org.example.ui.share")
            try await hasty.sees("With [everybody]: ")
            try await hasty.types("\n")
            try await hasty.sees("Password: ")
            try await hasty.types("\n")
            #expect(try await hasty.end().ending == .exited(0))
            let agreeing = try PersonAtTerminal(place.place, "actions", "Cloud:letter.txt", "Agree")
            try await agreeing.sees("Publish\u{FFFD}[2J?\r\nEverybody will see it.\r\nFor ever.\r\nGo on? [y/N] ")
            try await agreeing.types("y\n")
            #expect(try await agreeing.end().ending == .exited(0))
            #expect(try await acts(place).dropFirst() == ["shared with everybody by , domain known: 1", "agreed: 1"])
        }
    }

    @Test func aUserWhoRefusesIsHeeded() async throws {
        try await run { place in
            let refusing = try PersonAtTerminal(place.place, "actions", "Cloud:letter.txt", "Agree")
            try await refusing.sees("Go on? [y/N] ")
            try await refusing.types("\n")
            let refused = try await refusing.end()
            #expect(
                refused.ending == .exited(1) && refused.text.hasSuffix("purvey: actions: cancelled\r\n"), "\(refused)")
            for keys in ["\u{03}", "\u{04}"] {
                let leaving = try PersonAtTerminal(place.place, "actions", "Cloud:letter.txt", "Share")
                try await leaving.sees("With [everybody]: ")
                try await leaving.types(keys)
                let left = try await leaving.end()
                #expect(left.ending == .exited(1) && left.text.contains("purvey: actions: "), "\(left)")
            }
            #expect(try await acts(place).isEmpty)
            try await expectNoExtensionLeft(place)
        }
    }

    @Test func aMisbehavingExtensionIsEndedAndReportedInOneLine() async throws {
        try await run { place in
            for (action, words) in [
                ("org.example.ui.crash", "the extension crashed: signal 6"), ("Refuse", "purvey: actions: Not today."),
                ("Share", "There is no terminal to ask on."),
            ] {
                try await expectFailure(of: action, words, place)
            }
            try await expectNoExtensionLeft(place)
        }
    }

    @Test func anExtensionThatNeverEndsIsEnded() async throws {
        try await run(timeLimit: 20) { place in
            async let hanging: Void = expectFailure(of: "Hang", "neither asked nor answered for 20 s", place)
            let person = try PersonAtTerminal(place.place, "actions", "Cloud:letter.txt", "Never")
            try await person.sees("Go on? [y/N] ")
            try await person.types("y\n")
            let (ending, text) = try await person.end()
            #expect(ending == .exited(1) && text.contains("neither asked nor answered for 20 s"), "\(text)")
            try await hanging
            try await expectNoExtensionLeft(place)
        }
    }

    /// Runs an action without a terminal, which must fail.
    private func expectFailure(of action: String, _ words: String, _ place: ServiceFixture) async throws {
        let outcome = try await place.place.shell("setsid -w \"$purvey\" actions Cloud:letter.txt \(action)")
        #expect(outcome.status == 1 && outcome.errors.contains(words), "\(action): \(outcome.errors)")
        #expect(outcome.errors.count { $0 == "\n" } == 1, "\(outcome.errors)")
    }

    private func expectNoExtensionLeft(_ place: ServiceFixture) async throws {
        try await place.eventually("no extension is left") {
            place.place.processes(of: place.interfaceBundle).isEmpty
        }
    }

    @Test func aSignInThatIsNeededIsAskedForByTheProvidersOwnInterface() async throws {
        try await run { place in
            try await place.tell { try $0.change { $0.password = "secret" } }
            try await place.write("new", to: "new.txt")
            try await place.eventually("a sign-in is asked for") {
                try await place.status()["needsSignIn"] as? Bool == true
            }
            // A user who gives up does not count as a failed sign-in.
            let leaving = try PersonAtTerminal(place.place, "sign-in", "Cloud")
            try await leaving.sees("Password: ")
            try await leaving.types("\u{04}")
            #expect(try await leaving.end().ending == .exited(1))
            // Neither does a command that cannot ask.
            for _ in 0..<3 {
                let outcome = try await place.place.shell("setsid -w \"$purvey\" sign-in Cloud")
                #expect(outcome.status == 1 && outcome.errors.contains("There is no terminal to ask on."))
            }
            for attempt in 1...3 {
                let wrong = try PersonAtTerminal(place.place, "sign-in", "Cloud")
                try await wrong.sees("Sign in\r\n")
                try await wrong.sees("Password: ")
                try await wrong.types("wrong\n")
                let refused = try await wrong.end()
                #expect(refused.ending == .exited(1), "\(refused)")
                #expect(refused.text.contains("purvey: sign-in: The password is wrong."), "\(refused)")
                let status = try await place.status()
                #expect(status["needsSignIn"] as? Bool == true)
                let says = "\(status["errors"] ?? "")"
                #expect(says.contains("signing in failed 3 times") == (attempt == 3), "\(says)")
            }

            let right = try PersonAtTerminal(place.place, "sign-in", "Cloud")
            try await right.sees("Password: ")
            try await right.types("secret\n")
            let done = try await right.end()
            #expect(done.ending == .exited(0), "\(done)")
            // All pending edits are sent without another command.
            try await place.eventually("the edit arrives") { try await place.tell { try? $0.text("new.txt") } == "new" }
            try await place.eventually("nobody is asked any more") {
                try await place.status()["needsSignIn"] as? Bool == false
            }
        }
    }

    @Test func aPasswordIsAskedForOnTheTerminalWhereThereIsNoInterface() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.change { $0.password = "secret" } }
            let person = try PersonAtTerminal(place.place, "sign-in", "Cloud")
            try await person.sees("Password for Cloud: ")
            try await person.types("wrong\n")
            try await person.sees("The password is wrong.")
            try await person.sees("Password for Cloud: ")
            try await person.types("secret\n")
            let (ending, text) = try await person.end()
            #expect(ending == .exited(0) && !text.contains("secret"), "\(text)")
        }
    }

    @Test func anotherProvidersInterfaceIsNone() async throws {
        try await run { place in
            try await place.succeed("extensions", "remove", StartedCloud.providerIdentifier + "-ui")
            let listed = try await place.succeed("actions", "Cloud:letter.txt").text
            #expect(!listed.contains("org.example.ui"))
            let outcome = try await place.place.purvey("actions", "Cloud:letter.txt", "org.example.ui.share")
            #expect(outcome.status == 1 && outcome.errors.contains("is none of the provider's"))
        }
    }
}
