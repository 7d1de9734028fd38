import DaemonTesting
import DomainMessages
import FileProvider
import FileProviderEngine
import FileTesting
import Glibc
import LinuxSystem
import LocalFolder
import TestThreads
import Testing

/// Tests in which the provider's process is killed at each step of each edit, or hangs there.
@Suite(.ownThreads, .timeLimit(.minutes(TestSample.minutes(20)))) struct ProviderKillTests {
    /// The steps of the runtime and of the provider that ships, each with an edit that reaches it.
    static let steps: [Edit: [String]] = {
        var steps: [Edit: [String]] = [:]
        for step in ProviderStep.allCases {
            let edit: Edit =
                switch step {
                case .replacementBegun, .replacementCopied, .replacementRenamed, .replacementTold: .changing
                case .creationCopied, .creationImported: .making
                case .folderMade: .makingFolder
                case .moved: .renaming
                case .deleted: .removing
                }
            steps[edit, default: []].append(step.rawValue)
        }
        for step in FolderStep.allCases {
            let edit: Edit? =
                switch step {
                case .staged, .replaced, .editNoted, .editTaken: .changing
                case .additionStaged, .added: .making
                case .linkMade: .makingLink
                case .folderMade: .makingFolder
                case .moved: .renaming
                case .removed: .removing
                case .trashMade, .copyNoted, .copyPlaced: nil
                }
            if let edit { steps[edit, default: []].append(step.rawValue) }
        }
        return steps
    }()

    /// Returns the steps at which both sides die: all in a full test, and the last one of each edit in `make test`.
    private static func stepsOfBothSides(of edit: Edit) -> [String] {
        let steps = steps[edit] ?? []
        return TestSample.isWhole ? steps : steps.suffix(1)
    }

    /// The steps before a change, in which the file is fetched.
    private static let fetching = [FolderStep.copyNoted, .copyPlaced].map(\.rawValue)

    private static func onAPlace(with steps: [String], _ body: (DaemonFixture) async throws -> Void) async throws {
        try await DaemonFixture.run { place in
            for step in steps { try Tree.make(Edit.before, in: place.cloud + "/" + step) }
        } _: { place in
            try place.start()
            try await place.add()
            place.stop()
            try await body(place)
            #expect(try Set(Tree.read(place.cloud).keys.filter { !$0.contains("/") }) == Set(steps))
            try place.expectNothingLeft()
        }
    }

    /// Waits until the provider's first process runs, which the test kills.
    private static func provider(of place: DaemonFixture) async throws -> pid_t {
        _ = try await place.call(SignalDomainCall(name: DaemonFixture.domain, container: nil))
        try await eventually("the provider runs") { !place.providers.isEmpty }
        return try #require(place.providers.first)
    }

    private static func expect(_ edit: Edit, _ step: String, in place: DaemonFixture) async throws {
        try await place.holds(edit.after, at: step)
    }

    @Test(arguments: steps.keys.sorted { $0.rawValue < $1.rawValue })
    func anEditDuringWhichTheProviderIsKilledIsThereOnce(_ edit: Edit) async throws {
        let steps = (Self.steps[edit] ?? []) + (edit == .changing ? Self.fetching : [])
        try await Self.onAPlace(with: steps) { place in
            for step in steps {
                try place.start(providerDyingAt: step)
                try await place.mounted()
                let provider = try await Self.provider(of: place)
                // The editing program does not notice the death.
                try edit.make(in: place.mount + "/" + step)
                try await place.settled()
                #expect(!place.providers.contains(provider), "\(step) was not come to")
                try await Self.expect(edit, step, in: place)
                place.stop()
            }
        }
    }

    @Test(arguments: steps.keys.sorted { $0.rawValue < $1.rawValue })
    func theDaemonMayBeKilledAsSoonAsItHearsOfTheProvidersDeath(_ edit: Edit) async throws {
        let steps = Self.stepsOfBothSides(of: edit)
        try await Self.onAPlace(with: steps) { place in
            for step in steps {
                try place.start(dyingAt: EngineStep.failed.rawValue, providerDyingAt: step)
                try await place.mounted()
                _ = try await Self.provider(of: place)
                try edit.make(in: place.mount + "/" + step)
                place.expectDeath(at: EngineStep.failed.rawValue)
                try place.start()
                try await place.mounted()
                try await place.settled()
                try await Self.expect(edit, step, in: place)
                place.stop()
            }
        }
    }

    /// The request is in progress, and neither side receives the other's messages any more.
    @Test(arguments: steps.keys.sorted { $0.rawValue < $1.rawValue })
    func theDaemonMayBeKilledInTheMiddleOfARequestAndTheProviderEndsWithIt(_ edit: Edit) async throws {
        let steps = Self.stepsOfBothSides(of: edit)
        try await Self.onAPlace(with: steps) { place in
            for step in steps {
                try place.start(providerDyingAt: step + ":1:stop")
                try await place.mounted()
                let provider = try await Self.provider(of: place)
                try edit.make(in: place.mount + "/" + step)
                try await eventually("the provider stands still") { ProcessState.isStopped(provider) }
                place.kill()
                try await eventually("the provider has ended") { !ProcessState.isAlive(provider) }
                try place.start()
                try await place.mounted()
                try await place.settled()
                try await Self.expect(edit, step, in: place)
                place.stop()
            }
        }
    }

    @Test func aProviderThatHangsDuringAnUploadDelaysNoOtherRequestAndIsRestarted() async throws {
        try await Self.onAPlace(with: ["hanging", "other"]) { place in
            try place.start(
                providerDyingAt: ProviderStep.replacementCopied.rawValue + ":1:stop",
                // On a busy machine, the following edits take seconds.
                ["PURVEY_PROVIDER_TRANSFER_TIME=20"])
            try await place.mounted()
            _ = try Tree.read(place.mount)
            let provider = try await Self.provider(of: place)
            try Edit.changing.make(in: place.mount + "/hanging")
            try await eventually("the provider stands still") { ProcessState.isStopped(provider) }
            // Local files stay usable, and are used.
            #expect(try Files.read(place.mount + "/hanging/one.txt") == "changed")
            for edit in [Edit.emptying, .making, .renamingFolder, .makingLink] {
                try edit.make(in: place.mount + "/other")
            }
            #expect(try Files.read(place.mount + "/other/outer/three.txt") == "three")
            #expect(try await place.activity().uploadsInFlight > 0)
            try await eventually("the provider was ended") { !ProcessState.isAlive(provider) }
            try await place.settled()
            try await Self.expect(.changing, "hanging", in: place)
            #expect(
                try Tree.read(place.cloud + "/other") == [
                    "one.txt": "new", "made.txt": "made", "link": "-> one.txt", "two.txt": "two", "outer": "folder",
                    "outer/three.txt": "three", "empty": "folder",
                ])
            place.stop()
        }
    }
}
