import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import Glibc
import ItemValues
import LinuxSystem
import Sandbox
import TestThreads
import Testing

@Suite(.ownThreads) struct ProcessTests {
    @Test func theProcessIsStartedByTheFirstQuestionAndServesAllOfThem() async throws {
        try await ProviderFixture.with { stage in
            #expect(await stage.provider.processID == nil)
            async let first = stage.provider.item("pid").filename
            async let second = stage.provider.item("pid").filename
            let answers = try await [first, second]
            let process = await stage.provider.processID
            #expect(answers.allSatisfy { $0 == process.map { String($0) } })
            #expect(stage.starts == 1)
        }
    }

    @Test func aProcessWithoutAnythingToDoEndsAndTheNextQuestionStartsAnother() async throws {
        let options = ProviderProcessOptions(idleTime: .milliseconds(200), answerTime: .seconds(300))
        try await ProviderFixture.with(options: options) { stage in
            let first = try await stage.provider.item("pid").filename
            #expect(await stage.eventually { await stage.provider.processID == nil })
            let second = try await stage.provider.item("pid").filename
            #expect(first != second && stage.starts == 2)
        }
    }

    @Test func theProcessOfAProviderThatWatchesItsServiceIsKeptRunning() async throws {
        let options = ProviderProcessOptions(idleTime: .milliseconds(100), answerTime: .seconds(300))
        try await ProviderFixture.with(options: options, watches: true) { stage in
            await stage.provider.setWatching(true)
            #expect(await stage.eventually { await stage.provider.processID != nil })
            let first = try #require(await stage.provider.processID)
            try await Task.sleep(for: .seconds(1))
            #expect(await stage.provider.processID == first && stage.starts == 1)
            // It comes back without a request.
            kill(first, SIGKILL)
            #expect(await stage.eventually { await stage.provider.processID.map { $0 != first } ?? false })
            await stage.provider.renew()
            #expect(await stage.eventually { stage.starts == 3 })
            #expect(await stage.eventually { await stage.provider.processID != nil })
            await stage.provider.setWatching(false)
            #expect(await stage.eventually { await stage.provider.processID == nil })
        }
    }

    @Test func aProviderThatWatchesNothingStartsWithItsFirstQuestion() async throws {
        try await ProviderFixture.with { stage in
            await stage.provider.setWatching(true)
            try await Task.sleep(for: .milliseconds(500))
            #expect(stage.starts == 0)
        }
    }

    @Test func aFolderThatItCanListIsWatchedForTheProcess() async throws {
        try await ProviderFixture.with { stage in
            try FileManager.default.createDirectory(
                atPath: stage.folder + "/watched", withIntermediateDirectories: false)
            #expect(try await stage.provider.item("watch").filename == "done")
            #expect(try await stage.provider.item("news").filename == "none")
            try Data().write(to: URL(fileURLWithPath: stage.folder + "/watched/new"))
            #expect(try await stage.provider.item("news").filename == "some")
            // A path-only descriptor can be had without access rights, so it grants none.
            let outside = try await stage.provider.item("watch-handle").filename
            #expect([Errno.permissionDenied.description, Errno.noSuchFile.description].contains(outside), "\(outside)")
        }
    }

    @Test func changesInWatchedFoldersAreReportedWhileTheProcessIsNotRunning() async throws {
        let options = ProviderProcessOptions(idleTime: .milliseconds(200), answerTime: .seconds(300))
        try await ProviderFixture.with(options: options) { stage in
            try FileManager.default.createDirectory(
                atPath: stage.folder + "/watched", withIntermediateDirectories: false)
            #expect(try await stage.provider.item("watch").filename == "done")
            #expect(await stage.eventually { await stage.provider.processID == nil })
            let before = stage.notices.count
            try Data().write(to: URL(fileURLWithPath: stage.folder + "/watched/new"))
            #expect(await stage.eventually { stage.notices.count > before })
            #expect(stage.notices.last == .changes(container: ProviderItem.workingSetIdentifier))
        }
    }

    @Test func aQuestionDuringWhichTheProcessCrashesIsAskedOnceMore() async throws {
        try await ProviderFixture.with { stage in
            let item = try await stage.provider.item("crash-once").identifier
            #expect(item == "crash-once")
            #expect(stage.starts == 2)
        }
    }

    @Test func aProviderThatCrashesThreeTimesInARowIsNotStartedUntilItIsRequested() async throws {
        try await ProviderFixture.with { stage in
            let first = await stage.failure { _ = try await stage.provider.item("crash") }
            #expect(first?.kind == .processEnded)
            #expect(first?.message.contains("signal 6") == true)
            let second = await stage.failure { _ = try await stage.provider.item("crash") }
            #expect(second?.kind == .disabled || second?.kind == .processEnded)
            let third = await stage.failure { _ = try await stage.provider.item("pid") }
            #expect(third?.kind == .disabled && stage.starts == 3)
            await stage.provider.reset()
            _ = try await stage.provider.item("pid")
            #expect(stage.starts == 4)
        }
    }

    @Test func aProviderThatDiesOfBeingAskedForItsTrashIsServedAllTheSame() async throws {
        try await ProviderFixture.with { stage in
            for _ in 0..<4 {
                let failure = await stage.failure {
                    _ = try await stage.provider.page(
                        of: ProviderItem.trashIdentifier, after: nil, suggestedSize: 100)
                }
                #expect(failure?.kind == .processEnded)
            }
            // A request is not repeated after a crash either.
            #expect(stage.starts == 4)
            _ = try await stage.provider.item("pid")
            #expect(await stage.provider.disabling == nil)
        }
    }

    @Test func aProviderThatCrashesWhileItIsMadeIsDisabledToo() async throws {
        try await ProviderFixture.with { stage in
            _ = FileManager.default.createFile(atPath: stage.folder + "/crash-at-begin", contents: nil)
            for _ in 0..<4 { _ = await stage.failure { _ = try await stage.provider.item("pid") } }
            #expect(stage.starts == 3)
            try FileManager.default.removeItem(atPath: stage.folder + "/crash-at-begin")
            await stage.provider.reset()
            _ = try await stage.provider.item("pid")
        }
    }

    @Test func crashesWithAnswersInBetweenDisableNothing() async throws {
        try await ProviderFixture.with { stage in
            for _ in 0..<4 {
                _ = try await stage.provider.item("pid")
                let process = try #require(await stage.provider.processID)
                kill(process, SIGKILL)
                #expect(await stage.eventually { await stage.provider.processID == nil })
            }
            _ = try await stage.provider.item("pid")
        }
    }

    @Test func aProcessThatIsKilledInTheMiddleOfATransferIsStartedAgainAndAStepThatIsRepeatedDoesNoHarm() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("killed-when-changed", "old")
            let replaced = await stage.failure {
                _ = try await stage.provider.replaceContents(
                    of: "killed-when-changed", with: try .memory("new"), base: [49], modified: 0)
            }
            #expect(replaced?.kind == .processEnded)
            _ = try await stage.provider.item("pid")
            let contents = try await stage.provider.contents(of: "killed-when-changed") { _, _ in }.descriptor.text()
            #expect(contents == "new")
            let new = NewItem(parent: "killed-after-import", filename: "x", kind: .file, modified: 0)
            let made = await stage.failure { _ = try await stage.provider.create(new, contents: try .memory("x")) }
            #expect(made?.kind == .processEnded)
            let again = await stage.failure { _ = try await stage.provider.create(new, contents: try .memory("x")) }
            #expect(again?.kind == .filenameCollision)
            _ = try await stage.provider.item("pid")
            try stage.put("killed-while-provided")
            let provided = await stage.failure {
                _ = try await stage.provider.contents(of: "killed-while-provided") { _, _ in }
            }
            #expect(provided?.kind == .processEnded)
        }
    }

    @Test func aProcessThatIsSilentIsEndedAndAllThatWaitForItAreNotified() async throws {
        var options = ProviderProcessOptions(answerTime: .seconds(10))
        options.patience = .seconds(5)
        try await ProviderFixture.with(options: options) { stage in
            _ = try await stage.provider.item("pid")
            async let stopped = stage.failure { _ = try await stage.provider.item("stop") }
            let failure = await stopped
            #expect(failure?.kind == .processEnded)
            #expect(failure?.code == ExtensionEnding.Reason.timedOut.rawValue)
            _ = try await stage.provider.item("pid")
            #expect(stage.starts == 2)
        }
    }

    @Test func aProcessThatSpeaksAnotherLanguageIsEnded() async throws {
        try await ProviderFixture.with { stage in
            let failure = await stage.failure { _ = try await stage.provider.item("garbage") }
            #expect(failure?.kind == .processEnded)
            _ = try await stage.provider.item("pid")
        }
    }

    /// Runs in a process of its own, because other tests open and close descriptors in this one.
    @Test func aProcessThatWasStartedAndEndedLeavesNoDescriptors() async {
        await #expect(processExitsWith: .success) {
            func count() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1 }
            func start() async throws {
                try await ProviderFixture.with { stage in
                    try stage.put("one", "hello")
                    _ = try await stage.provider.contents(of: "one") { _, _ in }
                }
            }
            try await start()
            let before = count()
            for _ in 0..<5 { try await start() }
            // The connections' thread closes sockets asynchronously.
            for _ in 0..<30_000 where count() > before { try? await Task.sleep(for: .milliseconds(10)) }
            #expect(count() <= before)
        }
    }

    @Test func aProcessWhoseClientCodeIsStuckTooOftenIsStartedAgain() async throws {
        try await ProviderFixture.with(options: ProviderProcessOptions(answerTime: .seconds(10))) { stage in
            _ = try await stage.provider.item("pid")
            await withTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask { _ = await stage.failure { _ = try await stage.provider.item("block") } }
                }
            }
            _ = try await stage.provider.item("pid")
            #expect(stage.starts >= 2)
        }
    }

    @Test func aProviderThatTakesMemoryWithoutEndIsEnded() async throws {
        try await ProviderFixture.with(memory: 128) { stage in
            let failure = await stage.failure {
                _ = try await stage.provider.page(of: "list-eats", after: nil, suggestedSize: 1)
            }
            #expect(failure?.kind == .processEnded)
            _ = try await stage.provider.item("pid")
        }
    }

    @Test func aProviderReachesTheFolderThatItWasHandedAndNothingElseOfItsUsers() async throws {
        try await ProviderFixture.with { stage in
            guard landlockIsThere() else { return }
            let secret = stage.root + "/secret"
            try Data("x".utf8).write(to: URL(fileURLWithPath: secret))
            // Absent, or refused where the system permits no namespaces.
            let refused = [Errno.permissionDenied.description, Errno.noSuchFile.description]
            let handed = try await stage.provider.item("read \(stage.folder)/notes").filename
            #expect(handed == "done")
            let neighbour = try await stage.provider.item("read \(secret)").filename
            #expect(refused.contains(neighbour), "\(neighbour)")
            let home = try await stage.provider.item("read \(NSHomeDirectory())").filename
            #expect(refused.contains(home), "\(home)")
            let data = try await stage.provider.item("read \(stage.data)").filename
            #expect(refused.contains(data), "\(data)")
        }
    }

    @Test func aFolderThatHoldsThisProgramsDataIsNotHandedOver() async throws {
        try await ProviderFixture.with { stage in
            try FileManager.default.createDirectory(atPath: stage.data + "/x", withIntermediateDirectories: true)
            for path in [stage.root, "/", stage.data, stage.data + "/x", stage.root + "/missing", "relative"] {
                let domain = ProviderDomain(identifier: "d", displayName: "D", path: path)
                #expect(throws: HandedFolderError.self) { try domain.handedFolder(apartFrom: [stage.data]) }
            }
            let link = stage.root + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: stage.folder)
            let linked = ProviderDomain(identifier: "d", displayName: "D", path: link)
            #expect(try linked.handedFolder(apartFrom: [stage.data])?.path == stage.folder)
        }
    }

    /// Runs in a process of its own, because the fault point is read only once.
    @Test(arguments: [
        "provider.replace.begun", "provider.replace.copied", "provider.replace.renamed", "provider.replace.told",
    ])
    func newContentsReachTheProviderWholeWhateverStepItsProcessIsKilledAt(_ step: String) async {
        await #expect(processExitsWith: .success) { [step] in
            setenv("PURVEY_PROVIDER_FAULT_POINT", step, 1)
            try await ProviderFixture.with { stage in
                try stage.put("one", "old")
                let failure = await stage.failure {
                    _ = try await stage.provider.replaceContents(
                        of: "one", with: try .memory("new"), base: [49], modified: 0)
                }
                #expect(failure?.kind == .processEnded)
                let base = try await stage.provider.item("one").contentVersion
                let item = try await stage.provider.replaceContents(
                    of: "one", with: try .memory("new"), base: base, modified: 0)
                #expect(item.size == 3)
                let contents = try await stage.provider.contents(of: "one") { _, _ in }.descriptor.text()
                #expect(contents == "new" && stage.starts == 2)
            }
        }
    }

    @Test func anExtensionOfAnotherKindIsNotStarted() async throws {
        try await ProviderFixture.with(point: "com.apple.ui-services") { stage in
            let failure = await stage.failure { _ = try await stage.provider.item("pid") }
            #expect(failure?.kind == .processEnded && failure?.message.contains("is not a file provider") == true)
            #expect(stage.starts == 0)
        }
    }

    @Test func documentsAreKeptInTheContainerBeneathAFolderOfTheDomain() async throws {
        try await ProviderFixture.with { stage in
            let place = try await stage.provider.item("storage")
            #expect(
                place.filename == stage.data + "/containers/" + ProviderFixture.identifier + "/File Provider Storage")
            #expect(place.parent == "test")
        }
    }

    @Test func aQuestionToADomainThatWasClosedFailsAndItsProcessIsGone() async throws {
        try await ProviderFixture.with { stage in
            _ = try await stage.provider.item("pid")
            let process = try #require(await stage.provider.processID)
            await stage.provider.close()
            #expect(kill(process, 0) < 0)
            let failure = await stage.failure { _ = try await stage.provider.item("pid") }
            #expect(failure?.kind == .cancelled)
        }
    }

    /// Whether the kernel has Landlock. Without it there is nothing to test, which is a failure on a CI machine.
    private func landlockIsThere() -> Bool {
        guard let missing = Layers.missing.first(where: { $0.contains("no Landlock") }) else { return true }
        if getenv("CI") != nil { Issue.record("\(missing)") }
        return false
    }
}
