import Exchange
import Foundation
import Glibc
import LinuxSystem
import ProgramManuals

/// `purvey-demo EXAMPLES`: transfers the examples from one process to another in every possible way, and prints a
/// table of promises, requests, results and times.
///
/// The exit status is 0 if all results are as expected, else 1; 2 for wrong usage.
@main
enum Demonstration {
    private static let manual = ProgramManual(
        name: "purvey-demo",
        summary: "hand files from one process to another in every way", usage: ["EXAMPLES"],
        text: """
            Hands the files of the folder Examples from one process to another in every way there is, and prints a table of what was
            promised, what was asked, how it arrived and how long it took. A daemon of its own serves, and is gone afterwards.
            """)

    /// The board on which the two sides meet.
    static let board = Board("demonstration")

    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        StandardDescriptors.fillMissing()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let status = manual.answer(arguments) { exit(status) }
        do {
            if arguments.count == 1, !arguments[0].hasPrefix("-") {
                exit(try play(examples: arguments[0]) ? 0 : 1)
            } else if arguments.count == 2, arguments[0].hasPrefix("--"),
                let role = Role.Name(rawValue: String(arguments[0].dropFirst(2)))
            {
                await Role.play(role, examples: URL(fileURLWithPath: arguments[1], isDirectory: true))
            } else if let unknown = arguments.first(where: { $0.hasPrefix("-") }) ?? arguments.dropFirst().first {
                exit(manual.refuse(unknown))
            } else {
                exit(manual.misuse("the folder Examples is missing"))
            }
        } catch let failure as Table.Failure where failure.reason == .brokenPipe {
            // The reader of the table has closed the pipe.
            exit(1)
        } catch {
            exit(manual.complain("\(error)"))
        }
    }

    /// Prepares the stage, runs both sides and prints their reports. Returns whether everything was as expected.
    private static func play(examples path: String) throws -> Bool {
        let examples = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
        for case .file(let name) in Promise.all.flatMap(\.representations).map(\.source) {
            guard FileManager.default.fileExists(atPath: examples.appendingPathComponent(name).path) else {
                throw Stage.Failure(description: "\(path) does not hold \(name); give the folder Examples of Purvey")
            }
        }
        let stage = try Stage()
        defer { stage.clear() }
        let interrupts = stage.clearOnInterrupt()
        defer { interrupts.forEach { $0.cancel() } }
        try stage.startDaemon()

        let provider = try Role(.provider, examples: examples, environment: stage.environment)
        guard case .promised(let runsBefore) = try provider.expect() else { throw Role.Failure(.provider) }
        let consumer = try Role(.consumer, examples: examples, environment: stage.environment)
        let table = try Table()
        try table.say("Process \(provider.identifier) promises, process \(consumer.identifier) loads.\n")
        let isGood = try show(Load.all, from: consumer, in: table)

        provider.dismiss()
        guard case .withdrawn(let runs) = try provider.expect() else { throw Role.Failure(.provider) }
        let count = Load.all.count
        try table.say(
            "\nLoad handlers ran \(runsBefore) times before the first load, and \(runs) times for \(count) loads.")
        let areSharedWell = try Sharing(stage, examples: examples).show(in: table)
        let endedWell = provider.wait() == .exited(0) && consumer.wait() == .exited(0) && stage.hasDaemon
        return isGood && areSharedWell && endedWell && runsBefore == 0 && runs == count
    }

    /// Prints the table row by row as the consumer's loads finish. Returns whether all were as expected.
    private static func show(_ loads: [Load], from consumer: Role, in table: Table) throws -> Bool {
        try table.begin()
        var isGood = true
        var promise: String?
        for load in loads {
            if load.promise.name != promise {
                promise = load.promise.name
                try table.begin(load.promise)
            }
            var report = try consumer.expect()
            while case .progress(let fraction) = report {
                table.show(fraction)
                report = try consumer.expect()
            }
            guard case .arrived(let arrival) = report else { throw Role.Failure(.consumer) }
            try table.add(load, arrival)
            isGood = isGood && arrival.isGood
        }
        return isGood
    }
}
