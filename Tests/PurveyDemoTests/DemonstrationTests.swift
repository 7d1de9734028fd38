import Foundation
import Testing

/// What a newcomer meets first: the demonstration and the README's program.
@Suite(.timeLimit(.minutes(10))) struct DemonstrationTests {
    @Test func everyExampleArrivesInEveryWay() async throws {
        try await withHome { home in
            let ending = try await BuiltProgram("purvey-demo", ["Examples"], home: home).finish()
            #expect(ending.status == 0, "\(ending.output)")
            #expect(ending.output.contains("public.png in place                 in place, Examples/Ridge.png"))
            #expect(ending.output.contains("Load handlers ran 0 times before the first load"))
            #expect(ending.output.contains("A thumbnail of 256 by 160 pixels"))
            #expect(ending.output.contains("Filed: About Purvey.txt, Ridge.jpeg"))
        }
    }

    @Test func aFolderWithoutTheExamplesIsRefused() async throws {
        try await withHome { home in
            let ending = try await BuiltProgram("purvey-demo", [home.path], home: home).finish()
            #expect(ending.status == 1)
            #expect(ending.output.isEmpty)
        }
    }

    @Test func aGreetingOfTheReadmesProgramReachesAnotherProcess() async throws {
        try await withHome { home in
            let daemon = try BuiltProgram("purveyd", ["--foreground", "--log", "warning"], home: home)
            do {
                try await greet(at: daemon, home)
            } catch {
                await daemon.end()
                throw error
            }
            await daemon.end()
        }
    }

    private func greet(at daemon: BuiltProgram, _ home: URL) async throws {
        // A program that comes before the daemon listens would start another one.
        let socket = home.appendingPathComponent("run/daemon.socket").path
        while daemon.process.isRunning, !FileManager.default.fileExists(atPath: socket) {
            try await Task.sleep(for: .milliseconds(10))
        }
        let provider = try BuiltProgram("hand-off", ["offer"], home: home)
        // Nothing is found, and nothing is wrong, before the greeting is offered.
        var consumer: BuiltProgram.Ending
        repeat {
            consumer = try await BuiltProgram("hand-off", ["load"], home: home).finish()
            #expect(consumer.status == 0)
        } while consumer.output.isEmpty && consumer.status == 0 && provider.process.isRunning
        #expect(consumer.output == "Hello from process \(provider.process.processIdentifier)!\n")
        #expect(try await provider.finish().status == 0)
        // The two met at this daemon, and not at one that they started because it had ended.
        #expect(daemon.process.isRunning)
    }

    @Test func theReadmeShowsItsProgramAsItIs() throws {
        let repository = BuiltProgram.repository
        let readme = try String(contentsOf: repository.appendingPathComponent("README.md"), encoding: .utf8)
        let program = try String(
            contentsOf: repository.appendingPathComponent("Examples/HandOff/main.swift"), encoding: .utf8)
        #expect(readme.contains("```swift\n" + program + "```\n"))
    }

    /// Gives the body a folder for everything that Purvey keeps, and removes it afterwards.
    private func withHome(_ body: (URL) async throws -> Void) async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("demo-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer {
            // A removal that meets with what goes at the same time leaves the rest.
            for _ in 0..<1_000 where FileManager.default.fileExists(atPath: home.path) {
                try? FileManager.default.removeItem(at: home)
            }
        }
        try await body(home)
    }
}
