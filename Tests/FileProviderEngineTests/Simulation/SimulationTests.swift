import Glibc
import LinuxSystem
import TestThreads
import Testing

/// The whole engine under random courses of things.
///
/// `PURVEY_SIMULATION_SEEDS` says how many there are, `PURVEY_SIMULATION_FIRST` with which they begin, `PURVEY_SIMULATION_SEED` that there
/// is one only, whose story is then printed. `PURVEY_SIMULATION_STORIES` names a folder for the stories of those that fail.
/// `PURVEY_SIMULATION_POWER=1` lets the power fail as well: in one course in some hundred something that was removed is then seen again.
@Suite(.ownThreads)
struct SimulationTests {
    @Test func nothingIsLostWhateverHappensWhen() async throws {
        try await Self.runAll(Self.number("PURVEY_SIMULATION_SEEDS") ?? 200, fillsDisk: false)
    }

    @Test func nothingIsLostWhenTheDiskIsFullNowAndThen() async throws {
        try await Self.runAll(Self.number("PURVEY_SIMULATION_SEEDS") ?? 60, fillsDisk: true)
    }

    private static func runAll(_ count: UInt64, fillsDisk: Bool) async throws {
        let first = Self.number("PURVEY_SIMULATION_FIRST") ?? 1
        let seeds = Self.number("PURVEY_SIMULATION_SEED").map { $0..<$0 + 1 } ?? first..<first + count
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (order, seed) in seeds.enumerated() {
                if order >= 4 { try await group.next() }
                group.addTask { try await Self.run(seed, fillsDisk, isTold: seeds.count == 1) }
            }
            try await group.waitForAll()
        }
    }

    private static func setting(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func number(_ name: String) -> UInt64? { setting(name).flatMap { UInt64($0) } }

    private static func run(_ seed: UInt64, _ fillsDisk: Bool, isTold: Bool) async throws {
        let simulation = try Simulation(
            seed: seed, losesPower: number("PURVEY_SIMULATION_POWER") == 1, fillsDisk: fillsDisk)
        try await simulation.run()
        let complaints = try await simulation.complaints()
        let story = simulation.story.text
        guard !complaints.isEmpty else {
            if isTold { print(story) }
            return
        }
        let all = complaints.joined(separator: "\n")
        // What matters comes first: a log may be cut.
        Issue.record("seed \(seed): \(complaints.prefix(3).joined(separator: "; "))\n\(all)\n\n\(story)")
        if let folder = setting("PURVEY_SIMULATION_STORIES") {
            let file = try FileDescriptor.open("\(folder)/\(seed)", [.writeOnly, .create, .truncate])
            try Array("\(all)\n\n\(story)\n".utf8).withUnsafeBytes { try file.writeAll($0, at: 0) }
        }
    }
}
