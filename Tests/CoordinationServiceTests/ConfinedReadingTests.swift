import CoordinationService
import FileCoordination
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Coordinated reading of other processes' files by a confined process: only files passed to it by descriptor, each
/// in turn.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ConfinedReadingTests {
    private typealias Talk = ConfinedTalk

    private let folder: TestFolder
    private let file: String

    init() throws {
        folder = try TestFolder()
        file = try #require(folder.descriptor.path) + "/a.txt"
        try Data("text".utf8).write(to: URL(fileURLWithPath: file))
    }

    private func granted(_ claim: UInt64, hasWaited: Bool) -> CoordinationEffect {
        .granted(claim: claim, paths: [], keys: [], hasWaited: hasWaited)
    }

    @Test func aFileThatItWasHandedIsReadInTurnWhereverItIs() async throws {
        let handed = try FileDescriptor.open(file, [.readOnly])
        let moved = file + ".moved"
        try retrying { rename(file, moved) }
        try await Talk.run { talk in
            var (hears, others) = (talk.confined.effects.makeAsyncIterator(), talk.user.effects.makeAsyncIterator())
            try talk.user.claim(1, moved)
            #expect(await others.next() == granted(1, hasWaited: false))
            // The path that the confined process gives does not matter.
            try talk.confined.claim(1, "/nowhere/a.txt", [], handed: handed)
            try talk.confined.claim(2, Talk.container)
            #expect(await hears.next() == granted(2, hasWaited: false))
            #expect(talk.service.claimCount == 3)
            try talk.user.say(.release(claim: 1, outcomes: []))
            #expect(await hears.next() == granted(1, hasWaited: true))
        }
    }

    @Test func itDoesNotLearnWhetherItHadToWait() async throws {
        let handed = try FileDescriptor.open(file, [.readOnly])
        try await Talk.run { talk in
            var hears = talk.confined.effects.makeAsyncIterator()
            try talk.confined.claim(1, file, [], handed: handed)
            #expect(await hears.next() == granted(1, hasWaited: true))
            #expect(talk.service.claimCount == 1)
        }
    }

    @Test func itIsReadByItselfAndNothingAroundItIs() async throws {
        let handed = try FileDescriptor.open(file, [.readOnly])
        try await Talk.run { talk in
            var (hears, others) = (talk.confined.effects.makeAsyncIterator(), talk.user.effects.makeAsyncIterator())
            try talk.confined.claim(1, file, key: "/", [], handed: handed)
            #expect(await hears.next() == granted(1, hasWaited: true))
            try talk.user.claim(1, file + ".other")
            #expect(await others.next() == granted(1, hasWaited: false))
            // A claim on two items with one descriptor is granted, but it is not registered as a claim.
            let accesses = [file, file + ".other"].map { Access(path: ExactPath($0), key: ExactPath($0), traits: []) }
            try talk.confined.say(.claim(ClaimRequest(number: 2, accesses: accesses, purpose: "p", handed: handed)))
            #expect(await hears.next() == granted(2, hasWaited: true))
            #expect(talk.service.claimCount == 2)
        }
    }

    @Test func itsPresentersAreAskedToSaveAndToMakeWayForAReader() async throws {
        let handed = try FileDescriptor.open(file, [.readOnly])
        try await Talk.run { talk in
            var others = talk.user.effects.makeAsyncIterator()
            try talk.user.present(9, file)
            try talk.user.claim(1, file + ".other")
            #expect(await others.next() == granted(1, hasWaited: false))
            let access = Access(path: "/x", key: "/x", traits: .saves)
            try talk.confined.say(
                .claim(
                    ClaimRequest(
                        number: 1, accesses: [access], purpose: "p", presenterTimeLimit: .max, handed: handed)))
            guard case .prepare(let preparation) = await others.next() else {
                Issue.record("it was not asked")
                return
            }
            #expect(preparation.relinquishing == .toReader && preparation.saves && preparation.timeLimit <= 30_000)
        }
    }

    @Test func noCallerWaitsForItForLong() async throws {
        let handed = try FileDescriptor.open(file, [.readOnly])
        try await Talk.run(patience: .milliseconds(1)) { talk in
            var (hears, others) = (talk.confined.effects.makeAsyncIterator(), talk.user.effects.makeAsyncIterator())
            try talk.confined.claim(1, file, [], handed: handed)
            #expect(await hears.next() == granted(1, hasWaited: true))
            try talk.user.claim(1, file)
            guard case .granted(1, _, _, _) = await others.next() else {
                Issue.record("it was not granted")
                return
            }
            // The next claim is granted as well. The outcome that the process reports for the first claim has no
            // effect.
            try talk.confined.claim(2, file, [], handed: handed)
            try talk.confined.say(.release(claim: 1, outcomes: [ClaimOutcome(access: 0, change: .deleted)]))
            try talk.user.say(.release(claim: 1, outcomes: []))
            #expect(await hears.next() == granted(2, hasWaited: true))
            await eventually { talk.service.claimCount == 0 }
        }
    }

    @Test func oneThatItMayUseItKeepsForAsLongAsItLikes() async throws {
        let handed = try FileDescriptor.open(file, [.readOnly])
        try await Talk.run(patience: .milliseconds(1)) { talk in
            var hears = talk.confined.effects.makeAsyncIterator()
            try talk.confined.claim(1, Talk.placed, .isQuiet)
            #expect(await hears.next() == granted(1, hasWaited: false))
            for number in 2...3 as ClosedRange<UInt64> {
                try talk.confined.claim(number, file, [], handed: handed)
                #expect(await hears.next() == granted(number, hasWaited: true))
                await eventually { talk.service.claimCount == 1 }
            }
        }
    }

    enum Shown: CaseIterable, Sendable { case nothing, path, writing, folder, gone }

    @Test(arguments: Shown.allCases)
    func itLearnsNothingOfOtherFilesAndBlocksNoProcess(_ shown: Shown) async throws {
        let handed: FileDescriptor? =
            switch shown {
            case .nothing: nil
            case .path: try .open(file, [.pathOnly])
            case .writing: try .open(file, [.writeOnly])
            case .folder: try .open(folder.path, [.readOnly, .directory])
            case .gone: try .open(file, [.readOnly])
            }
        if shown == .gone { try retrying { unlink(file) } }
        try await Talk.run { talk in
            var (hears, others) = (talk.confined.effects.makeAsyncIterator(), talk.user.effects.makeAsyncIterator())
            try talk.user.claim(1, folder.path)
            try talk.user.claim(2, file + "/beneath/none")
            #expect(await others.next() == granted(1, hasWaited: false))
            for (number, path) in ["/", "/home", folder.path, file, "/nowhere"].enumerated() {
                let claim = UInt64(number + 1)
                try talk.confined.claim(claim, path, .saves, handed: handed)
                #expect(await hears.next() == granted(claim, hasWaited: true))
            }
            #expect(talk.service.claimCount == 2)
            try talk.confined.say(.cancel(claim: 1))
            try talk.confined.say(.release(claim: 2, outcomes: [ClaimOutcome(access: 0, change: .changed)]))
            try talk.user.say(.release(claim: 1, outcomes: []))
            #expect(await others.next() == granted(2, hasWaited: true))
        }
    }

    @Test func itsOwnFilesAreClaimedBesideOthers() async throws {
        try await Talk.run { talk in
            var (hears, others) = (talk.confined.effects.makeAsyncIterator(), talk.user.effects.makeAsyncIterator())
            try talk.user.present(9, Talk.container + "/a")
            // The reply shows that the presenter is registered.
            try talk.user.claim(1, "/home/other")
            #expect(await others.next() == granted(1, hasWaited: false))
            let accesses = [("/usr/share/b", []), (Talk.container + "/a", [.writes, .isQuiet])].map {
                (path: String, traits: Access.Traits) in
                Access(path: ExactPath(path), key: ExactPath(path), traits: traits)
            }
            try talk.confined.say(.claim(ClaimRequest(number: 1, accesses: accesses, purpose: "p")))
            #expect(await hears.next() == granted(1, hasWaited: false))
            #expect(talk.service.claimCount == 2)
            try talk.confined.say(.release(claim: 1, outcomes: [ClaimOutcome(access: 1, change: .changed)]))
            #expect(await others.next() == .notify(presenter: 9, .changed))
        }
    }
}
