import DaemonTesting
import FileProviderEngine
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import ScriptableService
import Synchronization

/// A program that runs scenarios with one fault at a time, and reports what was lost.
package final class Harness: Sendable {
    private let options: Options
    private let say: @Sendable (String) -> Void

    /// A trial that is planned.
    private struct Planned {
        var scenario: Scenario
        /// The fault; `nil` for the trial without a fault, which precedes the scenario's other trials.
        var fault: Fault?
        /// The trial's position among the scenario's trials, in words.
        var words: String
        /// The scenario's duration without a fault.
        var usual: Duration?
    }

    /// The queue of trials. All scenarios share it, so that a long trial of one scenario does not delay the next
    /// scenario.
    private struct State {
        var waiting: [Planned] = []
        /// The index of the next trial.
        var next = 0
        /// The number of scenarios whose faults are not planned yet.
        var unplanned = 0
        var summaries: [Scenario: Summary] = [:]
        /// The steps that were reached without a fault.
        var reached: Set<String> = []
    }

    // Leaf lock.
    private let state = Lock(State())

    /// - Parameter say: A closure that receives lines about the progress, on any thread.
    package init(_ options: Options, say: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.say = say
    }

    /// Runs all trials. Blocks.
    package func run() throws -> Summary {
        let bundles = (NSTemporaryDirectory() as NSString).standardizingPath + "/pvf-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: bundles, withIntermediateDirectories: true)
        let leftover = ExitCleanup { try? FileManager.default.removeItem(atPath: bundles) }
        defer { leftover.remove() }
        var bundle = bundles + "/Scriptable.appex"
        if let model = options.model.scripted {
            try StartedCloud.makeBundle(at: bundle, program: BuiltProgram.path("ScriptableProvider"), model: model)
        } else {
            bundle = try ProviderBundle.make(ServerService.provider(options.model), in: bundles)
        }
        state.withLock { state in
            state.waiting = options.scenarios.map { Planned(scenario: $0, words: "without a fault") }
            state.unplanned = state.waiting.count
        }
        let made = bundle
        let latches = (0..<options.jobs).map { _ in Latch() }
        for latch in latches {
            try SystemThread.start("purvey-trials") { [self] in
                runTrials(made)
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

    /// The losses for the steps of the engine that no scenario reaches without a fault, if all scenarios were run.
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
                planned.scenario, planned.fault, bundle: bundle, usual: planned.usual, options)
            if Trial.isOver.load(ordering: .relaxed) { return }
            tell(outcome, planned.scenario, planned.words)
            // The trial without a fault must succeed, and shows which steps exist.
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

    /// Returns the faults at all steps, or a sample of them.
    private func plan(_ steps: [String: Int]) -> [Fault] {
        var faults: [Fault] = []
        for place in Fault.Place.all {
            var count = steps[place.name] ?? 0
            if count == 0, let cause = place.cause, steps["service." + cause.rawValue] != nil { count = 1 }
            for kind in place.kinds(options.model) where options.kinds.contains(kind) && count > 0 {
                if options.hasKeeper, !Fault(kind, at: place, 1).isOfKeepers { continue }
                if kind == .fill, !FullDisk.isWanted { continue }
                faults += (1...count).map { Fault(kind, at: place, $0) }
            }
        }
        guard let sample = options.sample, sample < faults.count else { return faults }
        // The choice stays the same if a step is reached once more or less.
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
        say("    what was done: \(Course(scenario, seed: options.seed, options.model).words.joined(separator: "; "))")
        let fault = outcome.fault.map { " --fault \($0)" } ?? ""
        var model = options.model == .documents ? "" : " --model \(options.model.rawValue)"
        if options.model == .webdav { model += " --server \(options.server)" }
        let keeper = options.hasKeeper ? " --keeper" : ""
        say("    again: purvey-faults --scenario \(scenario.rawValue) --seed \(options.seed)\(model)\(keeper)\(fault)")
        if let home = outcome.home { say("    kept: \(home)") }
    }
}
