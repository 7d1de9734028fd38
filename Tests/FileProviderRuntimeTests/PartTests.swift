import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem
import TestThreads
import Testing

/// Byte ranges of files from a real extension.
@Suite(.ownThreads) struct PartTests {
    private func part(
        _ stage: ProviderFixture, _ identifier: String, _ range: Range<Int64> = 2..<5
    ) async throws -> ProviderPart {
        try await stage.provider.part(
            PartRequest(
                identifier: identifier, version: Array("7".utf8), metadataVersion: [], range: range, alignment: 4096))
    }

    /// Returns the partial files that are left in the container.
    private func leftovers(_ stage: ProviderFixture) -> [String] {
        let all = FileManager.default.enumerator(atPath: stage.data + "/containers")?.compactMap { $0 as? String } ?? []
        return all.filter { $0.contains("/part-") }
    }

    @Test(arguments: ["Peer", "ReplicaPeer"])
    func aPartOfEitherModelComesAtItsPlaceAndItsFileIsRemoved(principal: String) async throws {
        try await ProviderFixture.with(principal: principal) { stage in
            try stage.put("one", "contents")
            #expect(try await stage.provider.servesParts())
            let part = try await part(stage, "one")
            #expect(part.range == 2..<5 && part.item.identifier == "one" && part.item.size == 8)
            #expect(try part.descriptor.text() == "\0\0nte")
            #expect(stage.notes.contains("part one 2+3 by 4096 of 7"))
            #expect(leftovers(stage) == [])
            // The engine gets no write access to the provider's file.
            #expect(throws: Errno.self) { try Array("x".utf8).withUnsafeBytes { try part.descriptor.writeAll($0) } }
        }
    }

    @Test(arguments: ["Peer", "ReplicaPeer"])
    func aRequestForAPartComesFromTheSystemAndHasTheDomainsVersion(principal: String) async throws {
        try await ProviderFixture.with(principal: principal) { stage in
            try stage.put("one", "contents")
            try "3\nfine".write(toFile: stage.folder + "/state", atomically: false, encoding: .utf8)
            _ = try await part(stage, "one")
            #expect(stage.notes.contains("part one by the system true of the current domain true"))
        }
    }

    @Test(arguments: ["own-file", "linked", "by-another-way"])
    func aFileOfTheUserStays(identifier: String) async throws {
        try await ProviderFixture.with { stage in
            try stage.put(identifier, "contents")
            try Data("a person's".utf8).write(to: URL(fileURLWithPath: stage.folder + "/own-file"))
            let part = try await part(stage, identifier)
            #expect(try part.descriptor.text() == "a person's")
            #expect(try String(contentsOfFile: stage.folder + "/own-file", encoding: .utf8) == "a person's")
        }
    }

    @Test func unusablePartsAreInvalidReplies() async throws {
        try await ProviderFixture.with { stage in
            for identifier in ["nothing", "far", "pipe"] {
                try stage.put(identifier, "contents")
                let failure = await stage.failure { _ = try await part(stage, identifier) }
                #expect(failure?.kind == .badAnswer, "\(identifier)")
            }
            #expect(leftovers(stage).count <= 1)
        }
    }

    @Test func aVersionThatIsNotThereAnyMoreIsToldAsSuch() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("gone", "contents")
            #expect(await stage.failure { _ = try await part(stage, "gone") }?.kind == .expired)
            #expect(await stage.failure { _ = try await part(stage, "unknown") }?.kind == .noSuchItem)
        }
    }

    @Test func onlyTheFirstReplyCountsAndBothFilesAreRemoved() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("twice", "contents")
            #expect(try await part(stage, "twice").descriptor.text() == "\0\0nte")
            #expect(await stage.eventually { leftovers(stage) == [] })
        }
    }

    @Test func aPartThatNeverComesIsGivenUp() async throws {
        let options = ProviderProcessOptions(answerTime: .seconds(300), transferTime: .seconds(1))
        try await ProviderFixture.with(options: options) { stage in
            try stage.put("never-given", "contents")
            #expect(await stage.failure { _ = try await part(stage, "never-given") }?.kind == .transient)
            #expect(await stage.eventually { stage.notes.contains("cancelled never-given") })
        }
    }

    @Test func aCancelledTaskGivesThePartUpAtOnceAndOthersDoNotWaitForIt() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("never-given", "contents")
            let task = Task { await stage.failure { _ = try await part(stage, "never-given") } }
            #expect(await stage.eventually { stage.notes.contains { $0.hasPrefix("part never-given") } })
            let other = Task { await stage.failure { _ = try await part(stage, "never-given", 3..<4) } }
            #expect(await stage.eventually { stage.notes.contains { $0.hasPrefix("part never-given 3+1") } })
            task.cancel()
            other.cancel()
            #expect(await task.value?.kind == .cancelled)
            #expect(await other.value?.kind == .cancelled)
            #expect(await stage.eventually { stage.notes.contains("cancelled never-given") })
        }
    }
}
