import DaemonTesting
import FileProviderEngine
import FileTesting
import LinuxSystem
import TestThreads
import Testing

/// Tests in which the daemon is killed with SIGKILL at each step of each edit, with a real provider in its own
/// process and a real mount.
///
/// Most of the suite's time is waits: at each moment two daemons start, each mounts, and the edit is uploaded before
/// the next moment.
@Suite(.ownThreads, .timeLimit(.minutes(TestSample.minutes(20)))) struct DaemonKillTests {
    /// Steps that the fault harness covers. It has scenarios for user metadata, the trash and uncertain items, and each
    /// of its scenarios contains listings and changes.
    private static let scenarios: [EngineStep] = [
        .markJournalled, .markIndexed, .markAsked, .markAnswered, .markConfirmed, .trashedIndexed, .untrashAsked,
        .untrashAnswered, .removedFromTrash, .trashListed, .revalidationAnswered, .revalidationApplied, .pageApplied,
        .listingEnded, .changesApplied,
    ]

    /// Other tests cover the steps of the recovery and of failures.
    @Test func everyStepHasAnEditThatTheDaemonIsKilledAt() {
        let tested = Set(Edit.allCases.flatMap { $0.moments.map(\.step) })
        let others: [EngineStep] = SecondDeathTests.recovery + PartKillTests.steps + Self.scenarios + [.failed]
        #expect(tested.union(others) == Set(EngineStep.allCases))
    }

    /// Returns the moments at which an edit is interrupted. `make test` only tests each moment with the first edit that
    /// reaches it, and with all edits the moment after the provider's reply.
    private static func moments(of edit: Edit) -> [Edit.Moment] {
        let earlier = Edit.allCases.prefix { $0 != edit }.flatMap { $0.moments.map(\.description) }
        return edit.moments.filter { moment in
            TestSample.isWhole || moment.step == .answered || !earlier.contains(moment.description)
        }
    }

    /// An edit, and some of the moments at which it is interrupted.
    struct Interruptions: CustomTestStringConvertible {
        let edit: Edit
        let names: [String]
        var testDescription: String { "\(edit), \(names.joined(separator: ", "))" }

        /// All moments of all edits. The cases run at the same time, so each has at most two moments.
        static let all: [Interruptions] = Edit.allCases.flatMap { edit in
            let names = moments(of: edit).map(\.description)
            return stride(from: 0, to: names.count, by: 2).map { start in
                Interruptions(edit: edit, names: Array(names[start...].prefix(2)))
            }
        }
    }

    @Test(arguments: Interruptions.all)
    func anEditDuringWhichTheDaemonIsKilledIsAtTheProviderOnce(_ interruptions: Interruptions) async throws {
        let (edit, names) = (interruptions.edit, interruptions.names)
        try await DaemonFixture.run { place in
            for name in names { try Tree.make(Edit.before, in: place.cloud + "/" + name) }
        } _: { place in
            try place.start()
            try await place.add()
            place.stop()
            for name in names {
                let folder = place.mount + "/" + name
                try place.start(dyingAt: name)
                try await place.mounted()
                let inode = try Files.inode(folder + "/one.txt")
                // If the server dies during a directory's notification in the kernel, programs there wait for the
                // next server.
                async let attempt = Self.attempt(edit, in: folder)
                place.expectDeath(at: name)
                try place.start()
                try await place.mounted()
                if await !attempt { try edit.repeated(in: folder) }
                try await place.settled()
                try await place.holds(edit.after, at: name)
                if edit.after["one.txt"] != nil, edit != .saving {
                    #expect(try Files.inode(folder + "/one.txt") == inode, "\(name)")
                }
                place.stop()
            }
            #expect(try Set(Tree.read(place.cloud).keys.filter { !$0.contains("/") }) == Set(names))
            try place.expectNothingLeft()
        }
    }

    private static func attempt(_ edit: Edit, in folder: String) async -> Bool { (try? edit.make(in: folder)) != nil }
}
