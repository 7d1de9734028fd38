import DaemonTesting
import FileProviderEngine
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

    /// A trial that is to be done.
    private struct Planned {
        var scenario: Scenario
        /// `nil` for the one without any, which comes before those with some.
        var fault: Fault?
        /// Which of the scenario's it is.
        var words: String
        /// How long the scenario takes without a fault.
        var usual: Duration?
    }

    /// Trials of all scenarios wait in one queue, so that no long one of a scenario holds up the next scenario.
    private struct State {
        var waiting: [Planned] = []
        /// Which of them is next.
        var next = 0
        /// Scenarios whose faults are not planned yet.
        var unplanned = 0
        var summaries: [Scenario: Summary] = [:]
        /// Steps that were come to without a fault.
        var reached: Set<String> = []
    }

    // Innermost.
    private let state = Lock(State())

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
            at: bundle, program: BuiltProgram.path("ScriptableProvider"), model: options.model)
        state.withLock { state in
            state.waiting = options.scenarios.map { Planned(scenario: $0, words: "without a fault") }
            state.unplanned = state.waiting.count
        }
        let latches = (0..<options.jobs).map { _ in Latch() }
        for latch in latches {
            try SystemThread.start("purvey-trials") { [self] in
                runTrials(bundle)
                latch.open()
            }
        }
        for latch in latches { latch.wait() }
        var whole = Summary()
        for scenario in options.scenarios {
            let summary = state.withLock { $0.summaries[scenario] } ?? Summary()
            say("\(scenario.rawValue): \(summary)")
            if !summary.missed.isEmpty {
                say(
                    "\(scenario.rawValue) did not come to: \(summary.missed.map(\.description).joined(separator: ", "))"
                )
            }
            whole.add(summary)
        }
        let unreached = unreached
        for loss in unreached { say("\(loss)") }
        whole.add(unreached)
        return whole
    }

    /// Steps of the engine that no scenario comes to without a fault, where all of them were done.
    private var unreached: [Loss] {
        let reached = state.withLock { $0.reached }
        guard options.model == .documents, Set(options.scenarios) == Set(Scenario.allCases) else { return [] }
        return EngineStep.allCases.filter { !reached.contains($0.rawValue) && $0.cause == nil }.map { step in
            Loss(.notReached, "", "no scenario comes to \(step.rawValue) with the seed \(options.seed)")
        }
    }

    private func runTrials(_ bundle: String) {
        while true {
            let (planned, isOver) = state.withLock { state -> (Planned?, Bool) in
                guard state.next < state.waiting.count else { return (nil, state.unplanned == 0) }
                state.next += 1
                return (state.waiting[state.next - 1], false)
            }
            guard let planned else {
                if isOver { return }
                usleep(20_000)
                continue
            }
            let outcome = Trial.run(
                planned.scenario, seed: options.seed, planned.fault, bundle: bundle, usual: planned.usual,
                hasKeeper: options.hasKeeper, model: options.model,
                keepsFiles: options.keepsFiles)
            if Trial.isOver.load(ordering: .relaxed) { return }
            tell(outcome, planned.scenario, planned.words)
            // Without any fault, everything has to be well, and tells which steps there are.
            let faults =
                planned.fault != nil || !outcome.losses.isEmpty
                ? [] : options.faults.isEmpty ? plan(outcome.steps) : options.faults
            state.withLock { state in
                state.summaries[planned.scenario, default: Summary()].add(outcome)
                if planned.fault == nil {
                    state.unplanned -= 1
                    state.reached.formUnion(outcome.steps.keys)
                }
                for (number, fault) in faults.enumerated() {
                    state.waiting.append(
                        Planned(
                            scenario: planned.scenario, fault: fault,
                            words: "\(number + 1) of \(faults.count), \(fault)", usual: outcome.duration))
                }
            }
        }
    }

    /// Every fault at every step, or the sample of them.
    private func plan(_ steps: [String: Int]) -> [Fault] {
        var faults: [Fault] = []
        for place in Fault.Place.all {
            var count = steps[place.name] ?? 0
            if count == 0, let cause = place.cause, steps["service." + cause.rawValue] != nil { count = 1 }
            for kind in place.kinds where options.kinds.contains(kind) && count > 0 {
                if options.hasKeeper, !Fault(kind, at: place, 1).isOfKeepers { continue }
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

    private func tell(_ outcome: Trial.Outcome, _ scenario: Scenario, _ what: String) {
        let end =
            outcome.losses.isEmpty ? outcome.fault == nil || outcome.isReached ? "well" : "not come to" : "LOST"
        say("\(scenario.rawValue) \(what): \(end)")
        for loss in outcome.losses { say("    \(loss)") }
        guard !outcome.losses.isEmpty else { return }
        say("    what was done: \(Course(scenario, seed: options.seed).words.joined(separator: "; "))")
        let fault = outcome.fault.map { " --fault \($0)" } ?? ""
        let model = options.model == .documents ? "" : " --model \(options.model.rawValue)"
        let keeper = options.hasKeeper ? " --keeper" : ""
        say("    again: purvey-faults --scenario \(scenario.rawValue) --seed \(options.seed)\(model)\(keeper)\(fault)")
        if let home = outcome.home { say("    kept: \(home)") }
    }
}
