import Foundation
import LinuxSystem
import ProgramTesting
import Testing

/// The example of a provider's user interface that shows a window, installed beside a served directory.
enum NewNoteExample {
    /// Runs a test with a directory that is served, and the example installed.
    static func run(_ body: (CloudFixture) async throws -> Void) async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            let bundle = place.path("NewNote.appex")
            try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            let source = FileManager.default.currentDirectoryPath + "/Examples/NewNote/Info.plist"
            try FileManager.default.copyItem(atPath: source, toPath: bundle + "/Info.plist")
            try FileManager.default.linkItem(atPath: BuiltProgram.path("NewNote"), toPath: bundle + "/NewNote")
            let outcome = try await place.purvey("extensions", "install", "--link", bundle)
            #expect(outcome.status == 0, "\(outcome.errors)")
            try await body(cloud)
        }
    }

    /// Starts `purvey actions Papers: 'New Note'` in a session of its own, and so without a terminal.
    static func start(_ cloud: CloudFixture, _ environment: [String: String?]) throws -> RunningProgram {
        try RunningProgram(
            "/usr/bin/setsid", [BuiltProgram.path("purvey"), "actions", "Papers:", "New Note"],
            environment: environment.merging(["PURVEY_HOME": cloud.place.home]) { $1 })
    }

    static func note(_ cloud: CloudFixture, _ name: String = "Note") async -> String? {
        await cloud.contents(cloud.cloud + "/\(name).txt")
    }

    static func processes(_ cloud: CloudFixture) -> [pid_t] {
        cloud.place.processes(of: cloud.place.path("NewNote.appex/NewNote"))
    }
}
