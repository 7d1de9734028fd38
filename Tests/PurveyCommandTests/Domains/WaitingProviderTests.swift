import Foundation
import ProgramTesting
import ScriptableService
import Testing

/// Tests of providers that wait for changes (`waitForChanges(below:)`, `waitForStabilization`) while they perform one.
@Suite(.timeLimit(.minutes(20))) struct WaitingProviderTests {
    private static let models = [StartedCloud.Model.documents, .replica]

    private func run(_ model: StartedCloud.Model, _ body: (ServiceFixture) async throws -> Void) async throws {
        try await ServiceFixture.run(model: model, keys: .init(waits: true)) { place in
            #expect(await place.names() == [])
            try await body(place)
        }
    }

    /// Specifies how the provider waits within the next changes.
    private func prepare(_ lines: String..., on place: ServiceFixture) throws {
        try Data(lines.joined(separator: "\n").utf8)
            .write(to: URL(fileURLWithPath: place.cloud.folder + "/waits"))
        try Data().write(to: URL(fileURLWithPath: place.cloud.folder + "/waited"))
    }

    private func waited(_ place: ServiceFixture) throws -> [String] {
        try String(contentsOfFile: place.cloud.folder + "/waited", encoding: .utf8).split(separator: "\n")
            .map(String.init)
    }

    private func expect(_ texts: [String: String], _ place: ServiceFixture) async throws {
        try await place.eventually("the service has \(texts)") {
            try await place.tell { control in
                let files = try control.snapshot().filter { $0.value.kind == .file }.keys
                return try files.reduce(into: [:]) { $0[$1] = try control.text($1) } == texts
            }
        }
    }

    @Test(arguments: models, ["handler", "task", "queue", "operations"])
    func aChangeDoesNotWaitForItself(_ model: StartedCloud.Model, _ code: String) async throws {
        try await run(model) { place in
            // A provider of documents does not know the identifier of a new item.
            let targets = model == .replica ? ["item", "root", "all"] : ["root", "all"]
            for (number, target) in targets.enumerated() {
                let name = "new-\(number).txt"
                try prepare("\(name) \(code) \(target) 0", on: place)
                try await place.write("new", to: name)
                try await place.eventually("the service has the new file") {
                    try await place.tell { try $0.snapshot()[name]?.size } == 3
                }
                #expect(try Set(waited(place)) == ["\(name) begins", "\(name) waited"])
            }
            for target in ["item", "root", "all"] {
                try prepare("new-0.txt \(code) \(target) 0", on: place)
                try await place.write("edit for \(target)", to: "new-0.txt")
                try await place.eventually("the service has the change") {
                    try await place.tell { try $0.text("new-0.txt") } == "edit for \(target)"
                }
                #expect(try Set(waited(place)) == ["new-0.txt begins", "new-0.txt waited"])
            }
        }
    }

    /// The provider of documents has accepted the contents, and then waits before it uploads them.
    @Test(arguments: ["handler", "task", "queue"])
    func anUploadThatGoesOnAfterItWasAcceptedDoesNotWaitForItself(_ code: String) async throws {
        try await run(.documents) { place in
            try await place.write("new", to: "a.txt")
            try await expect(["a.txt": "new"], place)
            #expect(FileManager.default.createFile(atPath: place.cloud.folder + "/sends-behind", contents: nil))
            for target in ["item", "all"] {
                try prepare("a.txt \(code) \(target) 0", on: place)
                try await place.write("edit for \(target)", to: "a.txt")
                try await expect(["a.txt": "edit for \(target)"], place)
                #expect(try Set(waited(place)) == ["a.txt begins", "a.txt waited"])
            }
        }
    }

    @Test(arguments: models, ["handler", "task", "queue"])
    func aChangeWaitsForWhatElseIsUnderWay(_ model: StartedCloud.Model, _ code: String) async throws {
        try await run(model) { place in
            try await place.write("old", to: "a.txt")
            try await place.write("old", to: "b.txt")
            try await expect(["a.txt": "old", "b.txt": "old"], place)
            try prepare("a.txt \(code) all 0", on: place)
            try await place.tell { control in
                try control.forgetRequests()
                try control.add(CloudRule(.hold, on: .replace))
            }
            try await place.write("new", to: "b.txt")
            try await place.eventually("a change is held") { try await place.tell { try $0.held() } == 1 }
            try await place.write("new", to: "a.txt")
            try await place.eventually("the wait has begun") { try waited(place) == ["a.txt begins"] }
            let held = try await place.tell { control in
                let count = try control.count(.replace)
                try control.removeRules()
                return count
            }
            #expect(held == 1)
            try await expect(["a.txt": "new", "b.txt": "new"], place)
            #expect(try waited(place) == ["a.txt begins", "a.txt waited"])
        }
    }

    @Test(arguments: models, ["handler", "queue"])
    func changesThatWaitForEachOtherAreToldSo(_ model: StartedCloud.Model, _ code: String) async throws {
        try await run(model) { place in
            try await place.write("old", to: "a.txt")
            try await place.write("old", to: "b.txt")
            try await expect(["a.txt": "old", "b.txt": "old"], place)
            try prepare("a.txt \(code) all 2", "b.txt \(code) all 2", on: place)
            try await place.write("new", to: "a.txt")
            try await place.write("new", to: "b.txt")
            try await expect(["a.txt": "new", "b.txt": "new"], place)
            let ends = try waited(place).filter { !$0.hasSuffix("begins") }
            // The code of `cannotSynchronize`.
            #expect(ends.count == 2 && ends.contains { $0.hasSuffix(" -2005") }, "\(ends)")
        }
    }
}
