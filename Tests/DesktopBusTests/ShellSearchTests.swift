import DaemonTesting
import Foundation
import ProgramTesting
import ScriptableService
import Testing

/// The search of GNOME's shell over the items of all domains.
@Suite(.timeLimit(.minutes(20))) struct ShellSearchTests {
    /// Calls a method of the search interface.
    private func search(_ place: BusFixture, _ method: String, _ arguments: String...) async throws -> ProgramRun {
        try await place.bus.gdbus(
            [
                "call", "--session", "-d", BusFixture.name, "-o", BusFixture.root, "-m",
                "org.gnome.Shell.SearchProvider2." + method,
            ] + arguments
        ).end()
    }

    /// Runs a test with listed files in the domain "Cloud".
    private func run(_ body: (BusFixture) async throws -> Void) async throws {
        try await BusFixture.run { place in
            try await place.tell {
                try $0.put("Plan of the year.txt", "bytes")
                try $0.put("Plans/Plan B.png", "more")
            }
            try await place.succeed("ls", "Cloud:")
            try await place.succeed("ls", "Cloud:Plans")
            try await body(place)
        }
    }

    @Test func wordsFindTheItemsWhoseNamesHaveThem() async throws {
        try await run { place in
            let all = try await search(place, "GetInitialResultSet", "['plan']").text
            for path in ["Plan of the year.txt", "Plans", "Plans/Plan B.png"] {
                #expect(all.contains("'Cloud:\(path)'"), "\(all)")
            }
            let narrower = try await search(place, "GetSubsearchResultSet", "['Cloud:Plans']", "['plan', 'year']")
            #expect(narrower.text == "(['Cloud:Plan of the year.txt'],)\n")
            #expect(try await search(place, "GetInitialResultSet", "['absent']").text == "(@as [],)\n")
            #expect(try await search(place, "GetInitialResultSet", "['', ' ']").text == "(@as [],)\n")
            #expect(try await place.tell { try $0.count(.contents) } == 0)
        }
    }

    @Test func aResultHasItsNameFolderAndIcon() async throws {
        try await run { place in
            let known = try await search(
                place, "GetResultMetas", "['Cloud:Plans/Plan B.png', 'Cloud:Plans', 'Cloud:gone.txt']"
            ).text
            #expect(known.contains("'name': <'Plan B.png'>, 'description': <'Cloud:Plans'>"), "\(known)")
            #expect(known.contains("image-png"))
            #expect(known.contains("'name': <'Plans'>, 'description': <'Cloud'>, 'gicon': <'folder'>"))
            #expect(!known.contains("gone.txt"))
            let refusal = try await search(place, "GetResultMetas", "['nothing']")
            #expect(refusal.status != 0 && refusal.errors.contains("org.purvey.Purvey1.Error.InvalidPath"))
        }
    }

    @Test func anActivatedResultIsShownInTheFileManager() async throws {
        try await run { place in
            let monitor = try RunningProgram(
                "/usr/bin/dbus-monitor", ["type='method_call',interface='org.freedesktop.FileManager1'"],
                environment: ["DBUS_SESSION_BUS_ADDRESS": place.bus.address])
            // The monitor sees every call once the bus has taken its name away.
            #expect(try await monitor.hasPrinted("NameLost"))
            let run = try await search(place, "ActivateResult", "'Cloud:Plans/Plan B.png'", "['plan']", "0")
            #expect(run.text == "()\n", "\(run)")
            #expect(try await monitor.hasPrinted("member=ShowItems"))
            #expect(try await monitor.hasPrinted("string \"file://\(place.mount)/Plans/Plan%20B.png\""))
            #expect(try await search(place, "LaunchSearch", "['plan']", "0").text == "()\n")
            #expect(try await monitor.hasPrinted("member=ShowFolders"))
            let refusal = try await search(place, "ActivateResult", "'Other:a'", "['plan']", "0")
            #expect(refusal.errors.contains("org.purvey.Purvey1.Error.NoSuchFile"), "\(refusal)")
        }
    }
}
