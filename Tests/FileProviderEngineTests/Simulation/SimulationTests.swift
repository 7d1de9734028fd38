import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests of the whole engine under random courses of events.
///
/// `PURVEY_SIMULATION_SEEDS` sets the number of courses and `PURVEY_SIMULATION_FIRST` the first seed.
/// `PURVEY_SIMULATION_SEED` selects a single course, whose story is then printed. `PURVEY_SIMULATION_STORIES` names a
/// directory for the stories of courses that fail.
@Suite(.ownThreads)
struct SimulationTests {
    @Test func nothingIsLostWhateverHappensWhen() async throws {
        try await Self.runAll(80, of: 200) { _ in false }
    }

    /// A power failure loses what was not flushed, of the journal, of the index or of both.
    @Test func nothingIsLostWhenThePowerFails() async throws {
        try await Self.runAll(20, of: 60, losesPower: true)
    }

    @Test func nothingIsLostWhenTheDiskIsFullNowAndThen() async throws {
        try await Self.runAll(20, of: 60, fillsDisk: true)
    }

    /// A moved item gets a new identifier, and so does everything in it. Another client, or the engine itself, may use
    /// a path again for another item.
    @Test func nothingIsLostWhereIdentifiersArePaths() async throws {
        try await Self.runAll(40, of: 100) { _ in true }
    }

    /// Names may differ only in their Unicode normal form, and so may identifiers, if they are paths.
    @Test func nothingIsLostWhereNamesDifferInTheirNormalForm() async throws {
        try await Self.runAll(40, of: 100, mixesForms: true) { $0 % 2 == 0 }
    }

    /// - Parameter identifiersArePaths: Returns for a seed whether the provider's identifiers are paths; every fourth
    ///   seed by default.
    private static func runAll(
        _ sample: Int, of whole: Int, losesPower: Bool = false, fillsDisk: Bool = false,
        mixesForms: Bool = false, identifiersArePaths: (UInt64) -> Bool = { $0 % 4 == 0 }
    ) async throws {
        let count = Self.number("PURVEY_SIMULATION_SEEDS") ?? UInt64(TestSample.count(sample, of: whole))
        let first = Self.number("PURVEY_SIMULATION_FIRST") ?? 1
        let seeds = Self.number("PURVEY_SIMULATION_SEED").map { $0..<$0 + 1 } ?? first..<first + count
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (order, seed) in seeds.enumerated() {
                if order >= 4 { try await group.next() }
                let arePaths = identifiersArePaths(seed)
                group.addTask {
                    let simulation = try Simulation(
                        seed: seed, losesPower: losesPower, fillsDisk: fillsDisk, identifiersArePaths: arePaths,
                        mixesForms: mixesForms)
                    try await Self.run(simulation, seed, isTold: seeds.count == 1)
                }
            }
            try await group.waitForAll()
        }
    }

    private static func setting(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func number(_ name: String) -> UInt64? { setting(name).flatMap { UInt64($0) } }

    private static func run(_ simulation: Simulation, _ seed: UInt64, isTold: Bool) async throws {
        try await simulation.run()
        let complaints = try await simulation.complaints()
        let story = simulation.story.text
        guard !complaints.isEmpty else {
            if isTold { print(story) }
            return
        }
        let all = complaints.joined(separator: "\n")
        // The most important part comes first, as a log may be cut.
        Issue.record("seed \(seed): \(complaints.prefix(3).joined(separator: "; "))\n\(all)\n\n\(story)")
        if let folder = setting("PURVEY_SIMULATION_STORIES") {
            let file = try FileDescriptor.open("\(folder)/\(seed)", [.writeOnly, .create, .truncate])
            try Array("\(all)\n\n\(story)\n".utf8).withUnsafeBytes { try file.writeAll($0, at: 0) }
        }
    }
}
