import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// Tests of a provider's user interface that shows a window: the confined example of a new note, with a simulated
/// user at an X display.
@Suite(.serialized, .timeLimit(.minutes(20))) struct WindowCommandTests {
    private func run(_ body: (CloudFixture, PersonAtDisplay) async throws -> Void) async throws {
        try await NewNoteExample.run { cloud in
            try await PersonAtDisplay.run(cloud.place) { try await body(cloud, $0) }
        }
    }

    private func newNote(_ cloud: CloudFixture, _ environment: [String: String]) throws -> RunningProgram {
        let variables = environment.mapValues { Optional($0) }
        return try NewNoteExample.start(cloud, variables.merging(["WAYLAND_DISPLAY": nil]) { $1 })
    }

    /// Repeats an action on the window until the command has ended, as a busy program may not be ready for the first
    /// click.
    private func untilEnd(
        of command: RunningProgram, _ person: PersonAtDisplay, _ act: (String) async throws -> Void
    ) async throws -> ProgramRun {
        let window = try await person.window("New note")
        for _ in 0..<1_500 where command.isRunning {
            try await act(window)
            try await Task.sleep(for: .milliseconds(200))
        }
        return try await command.end()
    }

    @Test func textInAWindowReachesTheExtension() async throws {
        try await run { cloud, person in
            let command = try newNote(cloud, person.environment)
            let window = try await person.window("New note")
            try await person.does("windowfocus", window)
            try await person.does("type", "Minutes")
            try await person.does("key", "Tab")
            try await person.does("type", "all agreed")
            let run = try await untilEnd(of: command, person) { try await person.clicks($0, left: 44, up: 35) }
            #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
            #expect(await NewNoteExample.note(cloud, "Minutes") == "all agreed\n")
            try await cloud.eventually("the note is in the mount") {
                await cloud.contents(cloud.mount + "/Minutes.txt") == "all agreed\n"
            }
            try await cloud.eventually("the window has gone") {
                try await person.windowThatIsShown("New note") == nil && NewNoteExample.processes(cloud).isEmpty
            }
        }
    }

    @Test func aWindowThatIsNotAnsweredLeavesNothingBehind() async throws {
        try await run { cloud, person in
            let cancelled = try await untilEnd(of: newNote(cloud, person.environment), person) {
                try await person.clicks($0, left: 104, up: 35)
            }
            #expect(cancelled.status == 1 && cancelled.errors == "purvey: actions: cancelled\n", "\(cancelled)")

            let closed = try await untilEnd(of: newNote(cloud, person.environment), person) { window in
                try await person.does("windowfocus", window)
                try await person.does("key", "Escape")
            }
            #expect(closed.status == 1 && closed.errors == "purvey: actions: cancelled\n", "\(closed)")

            let killed = try await untilEnd(of: newNote(cloud, person.environment), person) { _ in
                for process in NewNoteExample.processes(cloud) { kill(process, SIGKILL) }
            }
            #expect(killed.status == 1 && killed.errors.contains("the extension crashed: signal 9"), "\(killed)")

            // The X server closes the window's connection.
            let dropped = try await untilEnd(of: newNote(cloud, person.environment), person) { window in
                try await person.does("windowkill", window)
            }
            #expect(dropped.status == 1 && dropped.errors.contains("the extension ended with"), "\(dropped)")

            let command = try newNote(cloud, person.environment)
            _ = try await person.window("New note")
            command.send(SIGINT)
            let interrupted = try await command.end()
            #expect(interrupted.status == 1 && interrupted.errors == "purvey: actions: interrupted\n", "\(interrupted)")

            #expect(await NewNoteExample.note(cloud) == nil)
            try await cloud.eventually("no window is left") {
                try await person.windowThatIsShown("New note") == nil && NewNoteExample.processes(cloud).isEmpty
            }
        }
    }

    @Test func theTerminalAsksWithoutADisplay() async throws {
        try await run { cloud, person in
            let nowhere = try await newNote(cloud, ["DISPLAY": ""]).end()
            let words = "purvey: actions: There is neither a display nor a terminal to ask on.\n"
            #expect(nowhere.status == 1 && nowhere.errors == words, "\(nowhere)")
            // This display refuses clients without a cookie.
            let shut = try await newNote(cloud, person.environment.merging(["XAUTHORITY": "/dev/null"]) { $1 }).end()
            #expect(shut.status == 1 && shut.errors == words, "\(shut)")
            // This display does not exist.
            let gone = try await newNote(cloud, ["DISPLAY": ":65000"]).end()
            #expect(gone.status == 1 && gone.errors == words, "\(gone)")

            let asked = try PersonAtTerminal(
                cloud.place, environment: ["DISPLAY": nil, "WAYLAND_DISPLAY": nil], "actions", "Papers:", "New Note")
            try await asked.sees("Name [Note]: ")
            try await asked.types("\n")
            try await asked.sees("Text: ")
            try await asked.types("by hand\n")
            #expect(try await asked.end().ending == .exited(0))
            #expect(await NewNoteExample.note(cloud) == "by hand\n")
        }
    }

    @Test func aDisplayIsTheOnlyServerThatAnExtensionReaches() async throws {
        try await ServiceFixture.run { place in
            try await place.tell { try $0.put("letter.txt", "a") }
            try await place.succeed("ls", "Cloud:")
            try await PersonAtDisplay.run(place.place) { person in
                let variables = person.environment.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
                for showsWindows in [false, true] {
                    try await place.installInterface(timeLimit: 120, showsWindows: showsWindows)
                    let outcome = try await place.place.shell(
                        "env -u WAYLAND_DISPLAY \(variables) setsid -w \"$purvey\" actions Cloud:letter.txt Reach")
                    #expect(outcome.status == 0, "\(outcome)")
                }
            }
            let acts = try await place.tell { control in
                try control.requests().compactMap { if case .act(let words, _) = $0 { words } else { nil } }
            }
            let (refused, forbidden) = (Errno(rawValue: ECONNREFUSED), Errno(rawValue: EACCES))
            let none = Errno.notPermitted
            #expect(
                acts == [
                    "daemon: \(none), other kind: \(none), display: \(none), again: \(none)",
                    "daemon: \(refused), other kind: \(forbidden), display: reached, beside it: \(forbidden), "
                        + "again: \(refused)",
                ])
        }
    }
}
