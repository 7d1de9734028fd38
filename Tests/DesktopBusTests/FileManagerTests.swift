import DaemonTesting
import DesktopTesting
import Foundation
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// The extension of file managers, in a stand-in for one: the files that the stand-in shows, and its menus.
@Suite(.timeLimit(.minutes(20))) struct FileManagerTests {
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func start(_ place: BusFixture, as manager: String = "nautilus") async throws -> RunningProgram {
        let file = try DesktopFiles.installExtension(for: manager, in: place.daemon.home + "/share")
        let peer = try RunningProgram(
            "/usr/bin/python3", [Self.repository.path + "/Tests/FileManagerPeer/peer.py", file, manager],
            environment: ["DBUS_SESSION_BUS_ADDRESS": place.bus.address, "PURVEY_HOME": place.daemon.home],
            input: .pipe)
        try #require(try await peer.hasPrinted(#"["columns", ["Cloud"]]"#))
        return peer
    }

    private func tell(_ peer: RunningProgram, _ words: String...) throws { try tell(peer, words) }

    private func tell(_ peer: RunningProgram, _ words: [String]) throws {
        let line = try JSONSerialization.data(withJSONObject: words, options: .withoutEscapingSlashes)
        try peer.write(String(decoding: line, as: UTF8.self) + "\n")
    }

    /// Returns the line that the stand-in prints for a shown file.
    private func shown(_ path: String, _ emblem: String?, _ words: String) -> String {
        let emblems = emblem.map { "\"purvey-\($0)\"" } ?? ""
        return "[\"shown\", \"\(path)\", [\(emblems)], {\"purvey_state\": \"\(words)\"}]"
    }

    @Test(arguments: ["nautilus", "nemo", "caja"])
    func emblemsAndMenusFollowTheStatesOfFiles(inManager manager: String) async throws {
        try await BusFixture.run { place in
            try await place.tell { try $0.put("a.txt", "bytes") }
            try await place.succeed("ls", "Cloud:")
            let peer = try await start(place, as: manager)
            let file = place.mount + "/a.txt"
            try tell(peer, "show", file, "/etc/passwd", place.mount + "x/a.txt")
            #expect(try await peer.hasPrinted(shown("/etc/passwd", nil, "")))
            #expect(try await peer.hasPrinted(shown(place.mount + "x/a.txt", nil, "")))
            #expect(try await peer.hasPrinted(shown(file, "cloud", "In the cloud")))
            try tell(peer, "menu", file)
            #expect(
                try await peer.hasPrinted(
                    #"["menu", {"Keep on This Computer": "Purvey::keep", "Download": "Purvey::download""#))
            #expect(try await place.tell { try $0.count(.contents) } == 0)
            try tell(peer, "choose", "Purvey::keep", file)
            #expect(try await peer.hasPrinted(shown(file, "kept", "On this computer, kept")))
            try tell(peer, "menu", file)
            #expect(
                try await peer.hasPrinted(
                    #"["menu", {"Do Not Keep on This Computer": "Purvey::unkeep", "Free Up Space": "Purvey::evict""#))
            try tell(peer, "choose", "Purvey::unkeep", file)
            #expect(try await peer.hasPrinted(shown(file, nil, "On this computer")))
            // There is no menu for files elsewhere, nor for a selection with one.
            try tell(peer, "menu", file, "/etc/passwd")
            #expect(try await peer.hasPrinted(#"["menu", {}]"#))
        }
    }

    @Test func theProvidersActionsAreInTheMenuOfOneFile() async throws {
        try await BusFixture.run { place in
            try await place.tell { try $0.put("a.txt", "bytes") }
            try await place.succeed("ls", "Cloud:")
            let peer = try await start(place)
            let file = place.mount + "/a.txt"
            try tell(peer, "show", file)
            #expect(try await peer.hasPrinted(shown(file, "cloud", "In the cloud")))
            try tell(peer, "menu", file)
            #expect(try await peer.hasPrinted(#""Touch": "Purvey::action-org.example.touch""#))
            try tell(peer, "choose", "Purvey::action-org.example.touch", file)
            try await place.eventually("the service has performed the action") {
                try await place.tell { try $0.count(.act) } == 1
            }
        }
    }

    @Test func theMenuOfAFileThatIsRenamedActsOnIt() async throws {
        try await BusFixture.run { place in
            try await place.tell { try $0.put("a.txt", "bytes") }
            try await place.succeed("ls", "Cloud:")
            let peer = try await start(place, as: "caja")
            let (file, renamed) = (place.mount + "/a.txt", place.mount + "/b.txt")
            try tell(peer, "show", file)
            #expect(try await peer.hasPrinted(shown(file, "cloud", "In the cloud")))
            try tell(peer, "rename", file, renamed, "Purvey::keep")
            #expect(try await peer.hasPrinted(shown(renamed, "kept", "On this computer, kept")))
            // The menu is made anew for the new name.
            #expect(try await peer.hasPrinted(#"["menu", {"Do Not Keep on This Computer": "Purvey::unkeep""#))
        }
    }

    @Test func theMenuOfAFolderThatIsNotShownHasAllItems() async throws {
        try await BusFixture.run { place in
            try await place.tell { try $0.put("Folder/a.txt", "bytes") }
            try await place.succeed("ls", "Cloud:")
            let peer = try await start(place)
            try tell(peer, "show", place.mount + "/x.txt")
            #expect(try await peer.hasPrinted("[\"shown\", \"\(place.mount)/x.txt\""))
            try tell(peer, "menu", place.mount + "/Folder")
            #expect(
                try await peer.hasPrinted(
                    #"["menu", {"Keep on This Computer": "Purvey::keep", "Download": "Purvey::download""#))
        }
    }

    @Test func aFailedUploadIsShownWithItsReason() async throws {
        try await BusFixture.run { place in
            let peer = try await start(place)
            try await place.tell { try $0.add(CloudRule(.fail(.overQuota), on: .create)) }
            try await place.write("new", to: "new.txt")
            try tell(peer, "show", place.mount + "/new.txt")
            #expect(try await peer.hasPrinted("[\"purvey-error\"], {\"purvey_state\": \"Failed: "))
            try await place.tell { try $0.removeRules() }
            try tell(peer, "choose", "Purvey::retry", place.mount + "/new.txt")
            #expect(try await peer.hasPrinted(shown(place.mount + "/new.txt", nil, "On this computer")))
        }
    }

    @Test func aFolderOfFilesIsRequestedInAFewCallsAndFetchesNothing() async throws {
        try await BusFixture.run { place in
            let names = (0..<1_000).map { "file \($0).txt" }
            try await place.tell { cloud in
                try cloud.put("a.txt", "bytes")
                for name in names { try cloud.put("Folder/" + name, "bytes") }
            }
            try await place.succeed("ls", "Cloud:")
            try await place.succeed("ls", "Cloud:Folder")
            let peer = try await start(place)
            try tell(peer, "show", place.mount + "/a.txt")
            #expect(try await peer.hasPrinted(shown(place.mount + "/a.txt", "cloud", "In the cloud")))
            let monitor = try RunningProgram(
                "/usr/bin/dbus-monitor", ["type='method_call',interface='org.purvey.Purvey1.Files'"],
                environment: ["DBUS_SESSION_BUS_ADDRESS": place.bus.address])
            #expect(try await monitor.hasPrinted("NameLost"))
            try tell(peer, ["show"] + names.map { place.mount + "/Folder/" + $0 })
            for name in names {
                #expect(try await peer.hasPrinted(shown(place.mount + "/Folder/" + name, "cloud", "In the cloud")))
            }
            peer.closeInput()
            #expect(try await peer.hasPrinted("[\"busy\", "))
            #expect(try await peer.end().status == 0)
            // The monitor may be later than the others.
            #expect(try await monitor.hasPrinted("member=GetStates"))
            monitor.send(SIGINT)
            // One call, or a few if reports of changes arrived meanwhile.
            let calls = try await monitor.end().text.components(separatedBy: "member=GetStates").count - 1
            #expect((1...8).contains(calls), "\(calls)")
            #expect(try await place.tell { try $0.count(.contents) } == 0)
        }
    }

    @Test func statesVanishWithTheBusProcessAndComeBack() async throws {
        try await BusFixture.run { place in
            try await place.tell { try $0.put("a.txt", "bytes") }
            try await place.succeed("ls", "Cloud:")
            let peer = try await start(place)
            let file = place.mount + "/a.txt"
            try tell(peer, "show", file)
            #expect(try await peer.hasPrinted(shown(file, "cloud", "In the cloud")))
            let without = shown(file, nil, "")
            let before = try await peer.lines(0).count { $0 == without }
            let process = try #require(place.processes.first)
            kill(process, SIGKILL)
            // The next process may bring the state back before this test sees that it has gone.
            try await place.eventually("the file has no state") {
                try await peer.lines(0).count { $0 == without } > before
            }
            try await place.succeed("download", "Cloud:a.txt")
            #expect(try await peer.hasPrinted(shown(file, nil, "On this computer")))
        }
    }
}
