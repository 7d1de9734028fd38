import DaemonTesting
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import ScriptableService
import Synchronization

/// Does scenarios again and again, each time with something else going wrong, and tells what was lost.
package final class Harness: Sendable {
    private let options: Options
    private let say: @Sendable (String) -> Void

    private struct State {
        var waiting: [(number: Int, fault: Fault)] = []
        var outcomes: [Trial.Outcome] = []
    }

    /// - Parameter say: called with lines that tell how it goes, on any thread.
    package init(_ options: Options, say: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.say = say
    }

    /// Runs everything. Blocks.
    package func run() throws -> Summary {
        let bundles = (NSTemporaryDirectory() as NSString).standardizingPath + "/pvf-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: bundles, withIntermediateDirectories: true)
        let leftover = Leftover { try? FileManager.default.removeItem(atPath: bundles) }
        defer { leftover.remove() }
        let bundle = bundles + "/Scriptable.appex"
        try StartedCloud.makeBundle(
            at: bundle, program: BuiltProgram.path("ScriptableProvider"), model: options.model, answerTime: 5)
        var summary = Summary()
        for scenario in options.scenarios {
            let part = try run(scenario, bundle)
            say("\(scenario.rawValue): \(part)")
            summary.add(part)
        }
        return summary
    }

    private func run(_ scenario: Scenario, _ bundle: String) throws -> Summary {
        var summary = Summary()
        // Without any fault: everything has to be well, and tells which steps there are.
        let plain = Trial.run(scenario, seed: options.seed, nil, bundle: bundle, keepsFiles: options.keepsFiles)
        summary.add(plain)
        tell(plain, scenario, "without a fault")
        guard plain.losses.isEmpty else { return summary }
        let faults = options.faults.isEmpty ? plan(plain.steps) : options.faults
        for outcome in try runAll(faults, scenario, bundle) { summary.add(outcome) }
        return summary
    }

    /// Every fault at every step, or the sample of them.
    private func plan(_ steps: [String: Int]) -> [Fault] {
        var faults: [Fault] = []
        for place in Fault.Place.all {
            let count = steps[place.name] ?? 0
            for kind in place.kinds where options.kinds.contains(kind) && count > 0 {
                if kind == .fill, !FullDisk.isWanted { continue }
                faults += (1...count).map { Fault(kind, at: place, $0) }
            }
        }
        guard let sample = options.sample, sample < faults.count else { return faults }
        // The same ones also where one was come to once more or less.
        let ranked = faults.map { (rank: Self.rank($0, options.seed), fault: $0) }.sorted { $0.rank < $1.rank }
        return ranked.prefix(sample).map(\.fault)
    }

    private static func rank(_ fault: Fault, _ seed: UInt64) -> UInt64 {
        var generator = RandomNumbers(
            seed: fault.description.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        return generator.next()
    }

    private func runAll(_ faults: [Fault], _ scenario: Scenario, _ bundle: String) throws -> [Trial.Outcome] {
        let state = Lock(State(waiting: faults.enumerated().map { ($0, $1) }.reversed()))
        let latches = (0..<min(options.jobs, faults.count)).map { _ in Latch() }
        for latch in latches {
            try SystemThread.start("purvey-trials") { [self] in
                while let (number, fault) = state.withLock({ $0.waiting.popLast() }) {
                    let outcome = Trial.run(
                        scenario, seed: options.seed, fault, bundle: bundle, keepsFiles: options.keepsFiles)
                    if Trial.isOver.load(ordering: .relaxed) { break }
                    tell(outcome, scenario, "\(number + 1) of \(faults.count), \(fault)")
                    state.withLock { $0.outcomes.append(outcome) }
                }
                latch.open()
            }
        }
        for latch in latches { latch.wait() }
        return state.withLock { $0.outcomes }
    }

    private func tell(_ outcome: Trial.Outcome, _ scenario: Scenario, _ what: String) {
        let end =
            outcome.losses.isEmpty ? outcome.fault == nil || outcome.isReached ? "well" : "not come to" : "LOST"
        say("\(scenario.rawValue) \(what): \(end)")
        for loss in outcome.losses { say("    \(loss)") }
        guard !outcome.losses.isEmpty else { return }
        say("    what was done: \(Course(scenario, seed: options.seed).words.joined(separator: "; "))")
        let fault = outcome.fault.map { " --fault \($0)" } ?? ""
        let model = options.model == .documents ? "" : " --model \(options.model.rawValue)"
        say("    again: purvey-faults --scenario \(scenario.rawValue) --seed \(options.seed)\(model)\(fault)")
        if let home = outcome.home { say("    kept: \(home)") }
    }
}
