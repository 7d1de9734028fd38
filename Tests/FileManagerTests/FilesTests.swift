import BrowserTesting
import DaemonTesting
import DesktopTesting
import Foundation
import ProgramTesting
import ScriptableService
import Testing

/// Tests of the files of a mount in windows of file managers.
@Suite(
    .serialized, .timeLimit(.minutes(20)),
    .enabled(if: !Manager.wanted.isEmpty, "only a step of make test-full runs them"))
struct FilesTests {
    @Test(arguments: Manager.wanted)
    func browsingFetchesNoFile(in manager: Manager) async throws {
        try await ManagerFixture.run(manager, ["Notes/Plan.txt": "to do"]) { window in
            try await window.open(window.place.mount)
            try await window.find("Notes")
            try await window.focusWindow("Cloud")
            try await window.selectAll()
            try await window.openSelection()
            try await window.find("Plan.txt")
            #expect(try await window.place.tell { try $0.count(.contents) } == 0)
        }
    }

    @Test(arguments: Manager.wanted)
    func aFileIsRenamedTrashedAndRestored(in manager: Manager) async throws {
        try await ManagerFixture.run(manager, ["Plan.txt": "to do"]) { window in
            let place = window.place
            try await window.open(place.mount)
            try await window.find("Plan.txt")
            try await window.focusWindow("Cloud")
            try await window.rename(to: "Idea.txt")
            try await window.find("Idea.txt")
            try await eventually("the service has the name") { try await place.paths() == ["Idea.txt"] }

            try await window.focusWindow("Cloud")
            try await window.trash()
            try await window.awaitNo("Idea.txt")
            try await eventually("the service has the file in its trash") {
                try await place.paths() == [CloudItem.trashPath + "/Idea.txt"]
            }

            try await window.open("trash:///")
            try await window.find("Idea.txt")
            try await window.focusWindow("Trash")
            try await window.restore()
            try await window.awaitNo("Idea.txt")
            try await eventually("the service has the file back") { try await place.paths() == ["Idea.txt"] }
            try await window.open(place.mount)
            try await window.find("Idea.txt")
            #expect(try await place.tell { try $0.text("Idea.txt") } == "to do")
        }
    }

    /// The kernel does not notify programs that watch a directory of changes at the service.
    @Test(arguments: Manager.wanted)
    func changesAtTheServiceAreShownAfterAReload(in manager: Manager) async throws {
        try await ManagerFixture.run(manager, ["Old.txt": "done"]) { window in
            try await window.open(window.place.mount)
            try await window.find("Old.txt")
            try await window.place.tell {
                try $0.remove("Old.txt")
                try $0.put("Idea.txt", "new")
            }
            try await onThread { [daemon = window.place.daemon] in _ = try daemon.purvey(["signal", "Cloud"]) }
            try await window.focusWindow("Cloud")
            try await eventually("the folder as it is at the service") {
                try await window.keys("F5")
                let hasOld = try await window.shows("Old.txt")
                return try await window.shows("Idea.txt") && !hasOld
            }
        }
    }

    /// `purvey-bus` sends this request to show a file that the desktop's search has found.
    @Test(arguments: Manager.wanted)
    func aFileIsShownOnARequestOfAnotherProgram(in manager: Manager) async throws {
        try await ManagerFixture.run(manager, ["Notes/Plan.txt": "to do"]) { window in
            try await window.open(window.desk.folder + "/home")
            let name = "org.freedesktop.FileManager1"
            let url = URL(fileURLWithPath: window.place.mount + "/Notes/Plan.txt").absoluteString
            try await eventually("a reply of the file manager") {
                try await window.desk.run(
                    "/usr/bin/gdbus",
                    [
                        "call", "--session", "-d", name, "-o", "/org/freedesktop/FileManager1",
                        "-m", name + ".ShowItems", "['\(url)']", "",
                    ]
                ).status == 0
            }
            try await window.find("Plan.txt")
        }
    }
}
