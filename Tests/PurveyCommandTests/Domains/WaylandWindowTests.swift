import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// Tests of the same window as in ``WindowCommandTests``, on a Wayland display.
@Suite(.serialized, .timeLimit(.minutes(20))) struct WaylandWindowTests {
    private func run(_ body: (CloudFixture, PersonAtWayland) async throws -> Void) async throws {
        try await NewNoteExample.run { cloud in
            try await PersonAtWayland.run(cloud.place) { try await body(cloud, $0) }
        }
    }

    @Test func textInAWindowReachesTheExtension() async throws {
        try await run { cloud, person in
            let command = try NewNoteExample.start(cloud, person.environment)
            try await person.sees("New note")
            try await person.types("Minutes")
            try await person.presses(key: "Tab")
            try await person.types("all agreed – 100 €")
            try await person.presses(key: "Return")
            let run = try await command.end()
            #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
            #expect(await NewNoteExample.note(cloud, "Minutes") == "all agreed – 100 €\n")
            try await person.doesNotSee("New note")
            try await cloud.eventually("its process has gone") { NewNoteExample.processes(cloud).isEmpty }
        }
    }

    @Test func aWindowThatIsNotAnsweredLeavesNothingBehind() async throws {
        try await run { cloud, person in
            let cancelled = try NewNoteExample.start(cloud, person.environment)
            try await person.sees("New note")
            try await person.presses(key: "Escape")
            let end = try await cancelled.end()
            #expect(end.status == 1 && end.errors == "purvey: actions: cancelled\n", "\(end)")

            let closed = try NewNoteExample.start(cloud, person.environment)
            try await person.sees("New note")
            try await person.closes("New note")
            let closedEnd = try await closed.end()
            #expect(closedEnd.status == 1 && closedEnd.errors == "purvey: actions: cancelled\n", "\(closedEnd)")

            // The compositor dies while the window is shown.
            let dropped = try NewNoteExample.start(cloud, person.environment)
            try await person.sees("New note")
            try await person.losesTheDisplay()
            let droppedEnd = try await dropped.end()
            #expect(
                droppedEnd.status == 1 && droppedEnd.errors.contains("the extension ended with"), "\(droppedEnd)")

            // Without the compositor there is neither a display nor a terminal.
            let nowhere = try await NewNoteExample.start(cloud, person.environment).end()
            let words = "purvey: actions: There is neither a display nor a terminal to ask on.\n"
            #expect(nowhere.status == 1 && nowhere.errors == words, "\(nowhere)")

            #expect(await NewNoteExample.note(cloud) == nil)
            try await cloud.eventually("its processes have gone") { NewNoteExample.processes(cloud).isEmpty }
        }
    }
}
