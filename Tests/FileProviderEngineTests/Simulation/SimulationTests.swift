import Glibc
import TestThreads
import Testing

/// The whole engine under random courses of things. `PURVEY_SIMULATION_SEEDS` says how many there are, `PURVEY_SIMULATION_SEED` that
/// there is one only, whose story is then printed. `PURVEY_SIMULATION_POWER=1` lets the power fail as well: one course in some
/// thousands then still ends with a word too few or does not come to rest.
@Suite(.ownThreads)
struct SimulationTests {
    @Test func nothingIsLostWhateverHappensWhen() async throws {
        let seeds =
            Self.number("PURVEY_SIMULATION_SEED").map { [$0] }
            ?? Array(1...(Self.number("PURVEY_SIMULATION_SEEDS") ?? 200))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (order, seed) in seeds.enumerated() {
                if order >= 4 { try await group.next() }
                group.addTask { try await Self.run(seed, isTold: seeds.count == 1) }
            }
            try await group.waitForAll()
        }
    }

    private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

    private static func run(_ seed: UInt64, isTold: Bool) async throws {
        let simulation = try Simulation(seed: seed, losesPower: number("PURVEY_SIMULATION_POWER") == 1)
        try await simulation.run()
        let complaints = try await simulation.complaints()
        if !complaints.isEmpty || isTold {
            let story = simulation.story.joined(separator: "\n")
            if complaints.isEmpty {
                print(story)
            } else {
                Issue.record("seed \(seed):\n\(complaints.joined(separator: "\n"))\n\n\(story)")
            }
        }
    }
}
