import CloudTesting
import LinuxSystem
import ProgramManuals

extension Harness {
    /// The options of a run.
    package struct Options: Sendable {
        package var scenarios = Scenario.allCases
        package var seed: UInt64 = 1
        /// The kind of provider in the trials.
        package var model = TrialModel.documents
        /// The server of the model ``TrialModel/webdav``.
        package var server = "nginx"
        package var kinds = Fault.Kind.allCases
        /// The faults to test; empty for every fault at every step.
        package var faults: [Fault] = []
        /// The maximum number of faults of each scenario, which are chosen by the seed; `nil` for all faults.
        package var sample: Int?
        /// The number of concurrent trials.
        package var jobs = 4
        /// Whether the files of a trial with losses remain for inspection.
        package var keepsFiles = false
        /// Whether each daemon has a keeper, so that programs do not notice the daemon's death.
        package var hasKeeper = false

        package init() {}

        package struct WrongUsage: Error, CustomStringConvertible {
            package let description: String
        }

        /// - Parameter arguments: The program's arguments.
        package init(arguments: [String]) throws(WrongUsage) {
            var words = arguments[...]
            var (scenarios, kinds): ([Scenario], [Fault.Kind]) = ([], [])
            while let word = words.popFirst() {
                func value<Value>(of known: [String] = [], _ make: (String) -> Value?) throws(WrongUsage) -> Value {
                    guard let text = words.popFirst() else { throw WrongUsage(description: "\(word) takes a value") }
                    if let value = make(text) { return value }
                    throw WrongUsage(
                        description: SpellingSuggestion.sentence(
                            "\(word) cannot be '\(text)'", about: text, known: known, listing: true))
                }
                func choice<Value: RawRepresentable<String> & CaseIterable>() throws(WrongUsage) -> Value {
                    try value(of: Value.allCases.map(\.rawValue)) { Value(rawValue: $0) }
                }
                switch word {
                case "--scenario": scenarios.append(try choice())
                case "--seed": seed = try value { UInt64($0) }
                case "--model": model = try choice()
                case "--server": server = try value(of: CloudServer.names) { CloudServer.names.contains($0) ? $0 : nil }
                case "--kind": kinds.append(try choice())
                case "--fault":
                    guard let text = words.popFirst() else { throw WrongUsage(description: "--fault takes a value") }
                    guard let fault = Fault(text) else {
                        throw WrongUsage(description: "--fault cannot be '\(text)': \(Fault.complaint(about: text))")
                    }
                    faults.append(fault)
                case "--sample": sample = try value { Int($0).flatMap { $0 < 0 ? nil : $0 } }
                case "--jobs": jobs = try value { Int($0).flatMap { $0 < 1 ? nil : $0 } }
                case "--keep": keepsFiles = true
                case "--keeper": hasKeeper = true
                default: throw WrongUsage(description: Self.manual.complaint(about: word))
                }
            }
            if hasKeeper {
                guard Keepers.haveMounts else { throw WrongUsage(description: "this kernel hands no mount over") }
                guard faults.allSatisfy(\.isOfKeepers) else {
                    throw WrongUsage(description: "with a keeper, the engine is killed at its steps, and nothing else")
                }
            }
            self.scenarios = scenarios.isEmpty ? model.scenarios : scenarios
            guard Set(self.scenarios).isSubset(of: model.scenarios) else {
                throw WrongUsage(
                    description: "not all of these scenarios are possible with the model \(model.rawValue)")
            }
            if !kinds.isEmpty { self.kinds = kinds }
        }

        package static let manual = ProgramManual(
            name: "purvey-faults",
            summary: "test Purvey with a fault at every step",
            usage: [
                """
                [--scenario NAME]… [--seed NUMBER] [--model NAME] [--server NAME] [--kind NAME]…
                    [--sample NUMBER] [--fault KIND:STEP[:COUNT]]… [--jobs NUMBER] [--keep] [--keeper]
                """
            ],
            text: """
                Kills, stops, disconnects and fills the disk at every step of what is done in a mounted domain, and tells what was
                lost. The exit status is 0 when nothing was, and 1 when something was.
                """,
            options: [
                .init(
                    name: "scenario", value: words(Scenario.allCases.map(\.rawValue)),
                    summary: "do only this work in the mount; may be repeated"),
                .init(name: "seed", value: "NUMBER", summary: "the number that chooses the scenarios and the sample"),
                .init(
                    name: "model", value: words(TrialModel.allCases.map(\.rawValue)),
                    summary: "the kind of the provider"),
                .init(name: "server", value: "NAME", summary: "the server of a model of WebDAV or Nextcloud"),
                .init(
                    name: "kind", value: words(Fault.Kind.allCases.map(\.rawValue)),
                    summary: "cause only faults of this kind; may be repeated"),
                .init(
                    name: "fault", value: "KIND:STEP[:COUNT]",
                    summary: "cause only this fault at this step; may be repeated"),
                .init(name: "sample", value: "NUMBER", summary: "cause at most so many faults in each scenario"),
                .init(name: "jobs", value: "NUMBER", summary: "make so many trials at once"),
                .init(name: "keep", value: nil, summary: "keep the files of trials in which something was lost"),
                .init(name: "keeper", value: nil, summary: "start a keeper, which starts the daemon again"),
            ])

        private static func words(_ names: [String]) -> String { names.joined(separator: "|") }
    }
}
