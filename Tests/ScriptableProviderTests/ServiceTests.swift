import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import ItemValues
import LinuxSystem
import ScriptableService
import TestThreads
import Testing

/// The test provider with correct and faulty services, across three processes.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct ServiceTests {
    private static let noProgress: @Sendable (Int64, Int64) -> Void = { _, _ in }

    @Test func foldersAreListedInPagesAndFilesAreFetched() async throws {
        try await ScriptedCloudFixture.with { stage in
            try stage.control.change { $0.pageLimit = 10 }
            try stage.control.fill("many", count: 35)
            try stage.control.put("a.txt", "hello")
            let root = try await stage.list()
            #expect(root.map(\.filename) == ["many", "a.txt"])
            #expect(try await stage.list(root[0].identifier).count == 35)
            #expect(try stage.control.count(.page) == 5)
            let contents = try await stage.provider.contents(of: root[1].identifier, progress: Self.noProgress)
            #expect(try contents.descriptor.readToEnd(limit: 100) == Array("hello".utf8))
            #expect(contents.item.contentVersion == root[1].contentVersion)
        }
    }

    @Test func changesAreFedUntilTheAnchorExpires() async throws {
        try await ScriptedCloudFixture.with { stage in
            try stage.control.put("a.txt", "a")
            let anchor = try #require(try await stage.provider.currentAnchor(of: ProviderItem.workingSetIdentifier))
            let gone = try stage.identifier("a.txt")
            try stage.control.put("b.txt", "b")
            try stage.control.remove("a.txt")
            let changes = try await stage.provider.changes(
                in: ProviderItem.workingSetIdentifier, since: anchor, suggestedSize: 100)
            #expect(changes.updated.map(\.filename) == ["b.txt"] && changes.deleted == [gone] && !changes.moreComing)
            try stage.control.expireAnchors()
            let failure = await stage.failure {
                _ = try await stage.provider.changes(
                    in: ProviderItem.workingSetIdentifier, since: changes.anchor, suggestedSize: 100)
            }
            #expect(failure?.kind == .expired)
        }
    }

    @Test func incompleteTransfersFail() async throws {
        try await ScriptedCloudFixture.with { stage in
            try stage.control.put("a.txt", "hello")
            let identifier = try stage.identifier("a.txt")
            for effect in [CloudRule.Effect.drop, .dropAfterwards, .truncate(after: 3)] {
                try stage.control.add(CloudRule(effect, on: .contents))
                let failure = await stage.failure {
                    _ = try await stage.provider.contents(of: identifier, progress: Self.noProgress)
                }
                #expect(failure?.kind == .serverUnreachable, "\(effect)")
                try stage.control.removeRules()
            }
            try stage.control.add(CloudRule(.slow(bytesPerSecond: 100), on: .contents))
            let contents = try await stage.provider.contents(of: identifier, progress: Self.noProgress)
            #expect(try contents.descriptor.readToEnd(limit: 100) == Array("hello".utf8))
            try stage.control.add(CloudRule(.claim(size: 1 << 40), on: .item))
            #expect(try await stage.provider.item(identifier).size == 1 << 40)
        }
    }

    @Test func contentsAreSentAtOnceOrBehind() async throws {
        try await ScriptedCloudFixture.with { stage in
            try stage.control.put("a.txt", "old")
            let identifier = try stage.identifier("a.txt")
            let before = try await stage.provider.item(identifier)
            let taken = try await stage.provider.replaceContents(
                of: identifier, with: try stage.file("new"), base: before.contentVersion, modified: 0)
            #expect(taken.flags.contains(.uploaded) && taken.contentVersion != before.contentVersion)
            #expect(try stage.control.text("a.txt") == "new")

            try stage.sendBehind()
            try stage.control.add(CloudRule(.hold, on: .replace))
            let behind = try await stage.provider.replaceContents(
                of: identifier, with: try stage.file("newer"), base: taken.contentVersion, modified: 0)
            #expect(behind.flags.contains(.uploading) && !behind.flags.contains(.uploaded))
            try stage.control.removeRules()
            #expect(
                await stage.eventually {
                    stage.notices.contains { $0 == .changes(container: ProviderItem.workingSetIdentifier) }
                })
            #expect(try await stage.provider.item(identifier).flags.contains(.uploaded))
            #expect(try stage.control.text("a.txt") == "newer")
        }
    }

    @Test func thumbnailsComeAsFarAsThereAreAnyAndStopWhenNoCallerWaits() async throws {
        try await ScriptedCloudFixture.with { stage in
            try stage.control.fill("pictures", count: 8, suffix: ".png")
            try stage.control.setThumbnail(Array("picture".utf8), of: "pictures")
            try stage.control.setThumbnail([], of: "pictures/file 1.png")
            try stage.control.add(CloudRule(.fail(.broken), on: .thumbnail, of: "file 2.png"))
            try stage.control.add(CloudRule(.bloat(size: 500 << 20), on: .thumbnail, of: "file 3.png"))
            let identifiers = try (0..<8).map { try stage.identifier("pictures/file \($0).png") }
            let answers = try await stage.provider.thumbnails(of: identifiers, side: 256)
            #expect(answers.map(\.identifier) == identifiers)
            #expect(answers.map { $0.picture != nil } == [true, false, false, false, true, true, true, true])
            #expect(answers.map { $0.failure?.kind } == [nil, nil, .transient, .badAnswer, nil, nil, nil, nil])
            #expect(try answers[0].picture?.everything() == Array("picture".utf8))

            try stage.control.forgetRequests()
            try stage.control.removeRules()
            try stage.control.add(CloudRule(.hold, on: .thumbnail, of: "file 4.png"))
            let task = Task { try await stage.provider.thumbnails(of: identifiers, side: 256) }
            #expect(await stage.eventually { (try? stage.control.count(.thumbnail)) == 5 })
            task.cancel()
            let failure = await stage.failure { _ = try await task.value }
            #expect(failure?.kind == .cancelled)
            #expect(await stage.eventually { (try? stage.control.count(.act)) == 1 })
            try stage.control.removeRules()
            _ = try await stage.provider.contents(of: identifiers[0], progress: Self.noProgress)
            #expect(try stage.control.count(.thumbnail) == 5)
        }
    }

    @Test func quotaAndSignInFailAsWhatTheyAre() async throws {
        try await ScriptedCloudFixture.with { stage in
            try stage.control.put("a.txt", "old")
            try stage.control.change { $0.quota = 4 }
            let identifier = try stage.identifier("a.txt")
            let before = try await stage.provider.item(identifier)
            let taken = try await stage.provider.replaceContents(
                of: identifier, with: try stage.file("longer"), base: before.contentVersion, modified: 0)
            #expect(taken.uploadingError?.kind == .insufficientQuota && !taken.flags.contains(.uploaded))
            #expect(try stage.control.text("a.txt") == "old")
            try stage.control.change { $0.password = "secret" }
            let failure = await stage.failure { _ = try await stage.provider.item(identifier) }
            #expect(failure?.kind == .notAuthenticated)
        }
    }
}
