import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct TransferTests {
    @Test func contentsArriveAsAFileThatStaysReadableWhenTheProviderRemovesItsOwn() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("one", "hello")
            let contents = try await stage.provider.contents(of: "one") { _, _ in }
            #expect(contents.item.identifier == "one" && contents.item.size == 5)
            await stage.provider.stopProviding("one")
            #expect(stage.notes.suffix(1) == ["stop one"])
            #expect(try contents.descriptor.text() == "hello")
            // The engine gets no write access to the provider's file.
            #expect(throws: Errno.self) { try Array("x".utf8).withUnsafeBytes { try contents.descriptor.writeAll($0) } }
        }
    }

    @Test func aPlaceholderIsAskedForBeforeTheFileAndNeedNotBeWritten() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("one", "hello")
            _ = try await stage.provider.contents(of: "one") { _, _ in }
            #expect(
                stage.notes.filter { $0 == "placeholder one" || $0 == "start one" } == ["placeholder one", "start one"])
        }
    }

    @Test func aFileThatIsRemovedRightAfterItCameIsAskedForOnceMore() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("removed-once", "hello")
            let contents = try await stage.provider.contents(of: "removed-once") { _, _ in }
            #expect(try contents.descriptor.text() == "hello")
            #expect(stage.notes.filter { $0 == "start removed-once" }.count == 2)
        }
    }

    @Test func aPlaceWithoutAFileOrWithAPipeIsABadAnswer() async throws {
        try await ProviderFixture.with { stage in
            for identifier in ["not-written", "pipe"] {
                try stage.put(identifier)
                let failure = await stage.failure { _ = try await stage.provider.contents(of: identifier) { _, _ in } }
                #expect(failure?.kind == .badAnswer)
            }
            try stage.put("provided-twice")
            let first = await stage.failure { _ = try await stage.provider.contents(of: "provided-twice") { _, _ in } }
            #expect(first?.kind == .serverUnreachable)
        }
    }

    /// The file appears at its place when it is complete, so its growth shows no progress.
    @Test(arguments: ["Peer", "ReplicaPeer"])
    func aRegisteredDownloadTaskReportsProgress(principal: String) async throws {
        try await ProviderFixture.with(network: true, principal: principal) { stage in
            try stage.put("downloaded")
            let reports = Lock<[[Int64]]>([])
            let fetch = Task {
                try await stage.provider.contents(of: "downloaded") { done, total in
                    reports.withLock { $0.append([done, total]) }
                }
            }
            let hasReport = await stage.eventually {
                reports.withLock { $0.contains { 0 < $0[0] && $0[0] <= 200_000 && $0[1] == 400_000 } }
            }
            #expect(hasReport, "\(reports.withLock { $0 })")
            _ = FileManager.default.createFile(atPath: stage.folder + "/send-rest", contents: nil)
            #expect(try await fetch.value.descriptor.status().size == 400_000)
        }
    }

    @Test func aFileThatNeverComesIsGivenUpAndTheProviderIsToldToStop() async throws {
        let options = ProviderProcessOptions(answerTime: .seconds(300), transferTime: .seconds(1))
        try await ProviderFixture.with(options: options) { stage in
            try stage.put("never-provided")
            let failure = await stage.failure {
                _ = try await stage.provider.contents(of: "never-provided") { _, _ in }
            }
            #expect(failure?.kind == .transient)
            #expect(await stage.eventually { stage.notes.contains("stop never-provided") })
            #expect(stage.starts == 1)
        }
    }

    @Test func aCancelledTaskGivesTheFileUpAtOnce() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("never-provided")
            let task = Task {
                await stage.failure { _ = try await stage.provider.contents(of: "never-provided") { _, _ in } }
            }
            #expect(await stage.eventually { stage.notes.contains("start never-provided") })
            task.cancel()
            #expect(await task.value?.kind == .cancelled)
            #expect(await stage.eventually { stage.notes.contains("stop never-provided") })
        }
    }

    @Test func newContentsReachTheProviderWholeAndAreToldAsChanged() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("one", "old")
            let item = try await stage.provider.replaceContents(
                of: "one", with: try .memory("new contents"), base: [49], modified: 0)
            #expect(item.contentVersion == [50] && item.size == 12)
            let contents = try await stage.provider.contents(of: "one") { _, _ in }.descriptor.text()
            #expect(contents == "new contents")
        }
    }

    @Test(arguments: [[48], []] as [[UInt8]])
    func contentsThatBeganWithAnotherVersionThanTheProvidersAreNotTaken(_ base: [UInt8]) async throws {
        try await ProviderFixture.with { stage in
            try stage.put("one", "somebody's")
            let failure = await stage.failure {
                _ = try await stage.provider.replaceContents(
                    of: "one", with: try .memory("new contents"), base: base, modified: 0)
            }
            #expect(failure?.kind == .transient)
            #expect(!stage.notes.contains("changed one"))
            let contents = try await stage.provider.contents(of: "one") { _, _ in }.descriptor.text()
            #expect(contents == "somebody's")
        }
    }

    @Test func contentsOfAnItemThatIsNotThereAreNotTaken() async throws {
        try await ProviderFixture.with { stage in
            let failure = await stage.failure {
                _ = try await stage.provider.replaceContents(
                    of: "gone", with: try .memory("new"), base: [], modified: 0)
            }
            #expect(failure?.kind == .noSuchItem)
            #expect(!stage.notes.contains("changed gone"))
        }
    }

    @Test func anItemIsMadeOfAFileAndASecondOfTheSameNameCollides() async throws {
        try await ProviderFixture.with { stage in
            let new = NewItem(parent: "root", filename: "a \u{301} name.txt", kind: .file, modified: 0)
            let made = try await stage.provider.create(new, contents: try .memory("contents"))
            #expect(made.filename == new.filename && made.parent == "root" && made.size == 8)
            let text = try await stage.provider.contents(of: made.identifier) { _, _ in }.descriptor.text()
            #expect(text == "contents")
            let failure = await stage.failure { _ = try await stage.provider.create(new, contents: try .memory("x")) }
            #expect(failure?.kind == .filenameCollision && failure?.collidingItem == made.identifier)
            let folder = try await stage.provider.create(
                NewItem(parent: "root", filename: "folder", kind: .folder, modified: 0), contents: nil)
            #expect(folder.kind == .folder)
            let link = await stage.failure {
                _ = try await stage.provider.create(
                    NewItem(parent: "root", filename: "link", kind: .symbolicLink, linkTarget: "x", modified: 0),
                    contents: nil)
            }
            #expect(link?.kind == .unsupported)
            let nothing = await stage.failure {
                _ = try await stage.provider.create(
                    NewItem(parent: "import-nothing", filename: "x", kind: .file, modified: 0), contents: nil)
            }
            #expect(nothing?.kind == .badAnswer)
            // No file remains in the transfer directory.
            let temporary = stage.data + "/containers/" + ProviderFixture.identifier + "/tmp/domain-test"
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
        }
    }

    @Test func aNameOfAnotherNormalFormIsAnotherName() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("one")
            for name in ["\u{E9}", "e\u{301}"] {
                let moved = try await stage.provider.move("one", to: "root", named: name)
                #expect(moved.filename.hasSameBytes(as: name))
            }
        }
    }

    @Test func itemsAreRenamedMovedAndRemovedAndARepeatedStepDoesNothing() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("one")
            let renamed = try await stage.provider.move("one", to: "root", named: "two").filename
            #expect(renamed == "two")
            let moved = try await stage.provider.move("one", to: "other", named: "two").parent
            #expect(moved == "other")
            let both = try await stage.provider.move("one", to: "root", named: "three").filename
            #expect(both == "three")
            let repeated = try await stage.provider.move("one", to: "root", named: "three").filename
            #expect(repeated == "three")
            #expect(
                stage.notes.filter { $0.hasPrefix("re") } == ["rename two", "reparent other -", "reparent root three"])
            try await stage.provider.delete("one")
            try await stage.provider.delete("one")
            let failure = await stage.failure { _ = try await stage.provider.item("one") }
            #expect(failure?.kind == .noSuchItem)
        }
    }

    @Test func descriptorsDoNotAddUpOnEitherSide() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("one", "hello")
            _ = try await stage.provider.contents(of: "one") { _, _ in }
            let before = try await descriptors(of: stage)
            let times = 50
            for _ in 0..<times {
                _ = try await stage.provider.contents(of: "one") { _, _ in }
                let base = try await stage.provider.item("one").contentVersion
                _ = try await stage.provider.replaceContents(
                    of: "one", with: try .memory("hello"), base: base, modified: 0)
            }
            // Descriptors that are being closed at the moment, or that a library opens once, do not add up.
            let after = try await descriptors(of: stage)
            #expect(after < before + times / 2)
        }
    }

    private func descriptors(of stage: ProviderFixture) async throws -> Int {
        try #require(Int(try await stage.provider.item("descriptors").filename))
    }
}
