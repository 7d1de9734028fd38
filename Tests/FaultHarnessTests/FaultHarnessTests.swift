import DaemonTesting
import FaultHarness
import FileTesting
import Glibc
import LinuxSystem
import ProgramTesting
import TestThreads
import Testing

/// Tests of a sample of the steps that `make faults` tries, each with a real daemon, provider and mount, and of the
/// harness itself.
@Suite(.ownThreads, .timeLimit(.minutes(TestSample.minutes(20)))) struct FaultHarnessTests {
    /// All scenarios run together, because only together do they reach every step.
    @Test func nothingIsLostWhateverGoesWrongAtWhicheverStep() throws {
        let kinds = ["kill", "stop", "disconnect", "fill"].flatMap { ["--kind", $0] }
        try runFaults(["--seed", "3", "--sample", Self.sample(2, of: 3)] + kinds)
    }

    /// Faults of each kind, at places that the scenarios always reach.
    @Test(arguments: [
        (Scenario.uploads, ["quota:service.create:2", "lie:service.create:1", "sign-out:service.request:20"]),
        (.downloads, ["halve:service.contents:2", "truncate:service.contents:1", "slow:service.contents:1"]),
        (.listings, ["lie:service.page:2"]), (.tags, ["sign-out:service.set:1", "disconnect:service.set:2"]),
        (.trash, ["sign-out:service.trash:1", "disconnect:service.trash:1", "kill:engine.doubt.answered:1"]),
        (.parts, ["halve:service.part:1", "kill:engine.parts.moved:1"]),
    ]) func nothingIsLostWhateverTheServiceDoes(_ scenario: Scenario, _ faults: [String]) throws {
        try runFaults(["--scenario", scenario.rawValue, "--seed", "3"] + faults.flatMap { ["--fault", $0] })
    }

    /// The same with a replicated provider, whose files the system stores.
    @Test(arguments: Scenario.allCases)
    func nothingIsLostWithAReplica(_ scenario: Scenario) throws {
        let kinds = ["kill", "disconnect"].flatMap { ["--kind", $0] }
        try runFaults(
            ["--model", "replica", "--scenario", scenario.rawValue, "--seed", "3", "--sample", Self.sample(1, of: 2)]
                + kinds)
    }

    /// The same with providers that change an item's identifier when the item is moved.
    @Test(arguments: [Scenario.renames, .uploads, .removals, .trash], ["document-paths", "replica-paths"])
    func nothingIsLostWhereIdentifiersArePaths(_ scenario: Scenario, _ model: String) throws {
        let kinds = ["kill", "disconnect"].flatMap { ["--kind", $0] }
        try runFaults(
            ["--model", model, "--scenario", scenario.rawValue, "--seed", "3", "--sample", Self.sample(1, of: 2)]
                + kinds)
    }

    /// The same with the real providers for WebDAV and Nextcloud, and servers behind a proxy that causes faults.
    @Test(arguments: [
        (
            model: "webdav", scenario: Scenario.uploads,
            faults: ["disconnect:service.answer:9", "locked:service.create:1"]
        ),
        ("nextcloud", .renames, ["kill:service.request:6", "busy:service.move:1"]),
    ]) func nothingIsLostWithAServer(_ model: String, _ scenario: Scenario, _ faults: [String]) throws {
        let model = ["--model", model, "--seed", "3"]
        try runFaults(model + ["--scenario", scenario.rawValue] + faults.flatMap { ["--fault", $0] })
        if TestSample.isWhole { try runFaults(model + ["--sample", "6"]) }
    }

    /// Programs do not notice a death as long as a keeper runs.
    @Test(.enabled(if: Keepers.haveMounts)) func noProgramHearsOfADaemonThatIsKilledAndHasAKeeper() throws {
        let scenarios = ["uploads", "renames", "removals", "attributes"].flatMap { ["--scenario", $0] }
        try runFaults(["--keeper", "--seed", "3", "--sample", "2"] + scenarios)
    }

    private static func sample(_ sample: Int, of whole: Int) -> String { "\(TestSample.count(sample, of: whole))" }

    private func runFaults(_ arguments: [String]) throws {
        let run = try RunningProgram(BuiltProgram.path("purvey-faults"), arguments + ["--jobs", "2"]).waitForEnd()
        #expect(run.status == 0, "\(run)")
        let summary = try #require(run.text.split(separator: "\n").last)
        #expect(summary.hasPrefix("steps tried: ") && summary.hasSuffix("losses: 0"), "\(run)")
        #expect(!summary.hasPrefix("steps tried: 0"), "\(run)")
    }

    @Test(arguments: Scenario.allCases) func aSeedMakesOneCourse(_ scenario: Scenario) {
        let courses = [7, 7, 8].map { Course(scenario, seed: $0) }
        #expect(courses[0].words == courses[1].words)
        #expect(courses[0].after == courses[1].after)
        #expect(courses[0].words != courses[2].words)
        #expect(courses[0].words.count >= 8)
    }

    @Test func everythingThatIsNotAsItHasToBeIsTold() {
        let expected = ["a": "folder", "a/new": "new text", "a/old": "old text", "here": "text"]
        let texts: Set = ["new text", "before", "old text", "text"]
        #expect(Loss.between(expected, expected, texts: texts, .mount).isEmpty)
        var found = expected
        found["a/new"] = "before"
        found["a/old"] = "old te"
        found["here"] = nil
        found["here 2"] = "text"
        let losses = Loss.between(expected, found, texts: texts, .mount)
        #expect(losses.map(\.kind) == [.lostEdit, .torn, .unreachable, .duplicate])
        #expect(losses.map(\.path) == ["a/new", "a/old", "here", "here 2"])
        #expect(Loss.between(expected, found, texts: texts, .service).map(\.kind)[2] == .lostEdit)
    }

    @Test func duplicateAndMissingEntriesAreReported() throws {
        let folder = try TestFolder()
        try Tree.make(["a": "folder", "a/file": "text", "plain": "more"], in: folder.path)
        try Files.makeLink(folder.path + "/link", to: "a/file")
        let mounted = try MountedTree(folder.path)
        #expect(mounted.tree == ["a": "folder", "a/file": "text", "plain": "more", "link": "-> a/file"])
        #expect(mounted.losses.isEmpty)
        #expect(MountedTree.repeated(["a", "b", "c", "b", "b"]) == ["b", "b"])
        let file = try FileDescriptor.open(folder.path + "/plain", .readWrite)
        try file.setAttribute("user.color", "red")
        try retrying { chmod(folder.path + "/plain", 0o640) }
        var set = SetAttributes(mode: 0o640, modified: nil, extended: ["user.color": "red"])
        #expect(try mounted.differences(["plain": set]).isEmpty)
        set = SetAttributes(mode: 0o600, modified: 5, extended: [:])
        #expect(try mounted.differences(["plain": set]).map(\.kind) == [.lostEdit, .lostEdit, .lostEdit])
    }

    @Test func aFaultIsWhatItIsWritten() {
        for text in [
            "kill:engine.sending.copied:2", "stop:provider.replace.begun:1", "fill:engine.emptying.done:3",
            "disconnect:service.answer:12", "halve:service.contents:2", "quota:service.create:1",
            "sign-out:service.request:4", "lie:service.page:1", "fill:provider.moved:1", "halve:service.part:3",
        ] {
            #expect(Fault(text)?.description == text)
        }
        for text in ["busy:service.request:3", "locked:service.move:1", "page:service.page:2", "longer:service.page:1"]
        {
            #expect(Fault(text)?.description == text)
        }
        for text in [
            "", "kill", "kill:", "kill:nowhere:1", "kill:engine.sending.copied:0", "fill:service.answer:1",
            "drop:a:1:2", "halve:service.create:1", "lie:service.contents:1", "quota:service.delete:1",
        ] {
            #expect(Fault(text) == nil, "\(text)")
        }
    }

    @Test func wrongUsageIsRefusedWithAReason() throws {
        let options = try Harness.Options(arguments: [
            "--scenario", "renames", "--fault", "kill:provider.moved", "--jobs", "2", "--model", "replica",
        ])
        #expect(options.scenarios == [.renames] && options.jobs == 2 && "\(options.model)" == "replica")
        #expect(options.faults.map(\.description) == ["kill:provider.moved:1"])
        for arguments in [
            ["--model", "webdav", "--scenario", "trash"], ["--server", "x"], ["--scenario", "nothing"], ["--seed"],
            ["--jobs", "0"], ["--fault", "kill:x"], ["--model", "x"],
            ["renames"], ["--keeper", "--fault", "stop:engine.sending.asked"],
        ] {
            #expect(throws: Harness.Options.WrongUsage.self) { try Harness.Options(arguments: arguments) }
        }
        let error = #expect(throws: Harness.Options.WrongUsage.self) {
            try Harness.Options(arguments: ["--scenario", "rename"])
        }
        #expect(error?.description == "--scenario cannot be 'rename' (did you mean 'renames'?)")
    }
}
