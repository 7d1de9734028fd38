import FileProvider
import FileProviderEngine
import FileTesting
import Foundation
import ItemStore
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of a cache directory that is removed while in use, or that cannot be used.
@Suite(.ownThreads) struct LostCacheTests {
    private func removeCache(of domain: TestDomain) throws {
        try FileManager.default.removeItem(atPath: domain.configuration.cacheFolder)
    }

    @Test func aCacheThatIsRemovedWhileADomainRunsIsMadeAgain() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("here", "h")
        domain.provider.addFile("open", "o")
        domain.provider.addFile("edited", "old")
        domain.provider.addFile("dataless", "d")
        #expect(try await domain.read("here") == "h")
        #expect(try await domain.read("edited") == "old")
        #expect(try await domain.read("open") == "o")
        let opened = try await domain.open(try await domain.item("open").number)
        let writer = try await domain.open(try await domain.item("edited").number, for: .writing(truncating: false))
        try removeCache(of: domain)
        #expect(try await opened.text() == "o")
        try await opened.closed()
        #expect(try await domain.read("dataless") == "d")
        #expect(try await domain.read("here") == "h")
        #expect(try await domain.read("open") == "o")
        try await writer.write("new")
        try await writer.closed()
        try removeCache(of: domain)
        try await domain.settle()
        #expect(domain.provider.text(at: "edited") == "new")
        #expect(try await domain.read("edited") == "new")
        #expect(try domain.row(try await domain.item("edited").number).content == .current)
    }

    @Test func contentsOfItemsThatDoNotExistAreRemovedAtAStart() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "f")
        #expect(try await domain.read("file") == "f")
        let number = try await domain.item("file").number
        let gone = ItemNumber(rawValue: 4711)
        try domain.restart { try domain.folder.file("cache/content/4711", Array("gone".utf8)) }
        #expect(!domain.hasFile(gone, in: "cache/content"))
        #expect(domain.hasFile(number, in: "cache/content"))
        #expect(try await domain.read("file") == "f")
        #expect(domain.provider.count(.contents) == 1)
    }

    @Test func aFileThatIsOpenForWritingUnchangedGoesBackToANewCache() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "f")
        #expect(try await domain.read("file") == "f")
        let number = try await domain.item("file").number
        let writer = try await domain.open(number, for: .writing(truncating: false))
        try removeCache(of: domain)
        try await writer.closed()
        #expect(domain.hasFile(number, in: "cache/content"))
        #expect(try await domain.status().items.isEmpty)
        #expect(try await domain.read("file") == "f")
    }

    @Test func aCacheThatIsRemovedBetweenTwoStartsIsFilledAgain() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "f")
        #expect(try await domain.read("file") == "f")
        try domain.restart { try removeCache(of: domain) }
        #expect(try await domain.read("file") == "f")
        try await domain.overwrite("file", "new")
        try await domain.settle()
        #expect(domain.provider.tree == ["file": "new"])
    }

    @Test(arguments: [true, false])
    func withoutAUsableCacheContentsAreBesideTheEdits(_ isFile: Bool) async throws {
        let domain = try TestDomain()
        domain.provider.addFile("file", "f")
        #expect(try await domain.read("file") == "f")
        let cache = domain.configuration.cacheFolder
        try domain.restart {
            try removeCache(of: domain)
            // A missing disk appears as a file at the directory's path, or as a dangling symbolic link.
            if isFile {
                try domain.folder.file("cache", [])
            } else {
                try FileManager.default.createSymbolicLink(atPath: cache, withDestinationPath: "/nonexistent/disk")
            }
        }
        let number = try await domain.item("file").number
        #expect(try await domain.read(number) == "f")
        #expect(domain.hasFile(number, in: "data/content"))
        try await domain.overwrite("file", "new")
        try await domain.settle()
        #expect(domain.provider.tree == ["file": "new"])
        // When the cache can be used again, no contents stay beside the edits.
        try domain.restart { try removeCache(of: domain) }
        #expect(try await domain.read(number) == "new")
        #expect(!domain.hasFile(number, in: "data/content"))
        #expect(domain.hasFile(number, in: "cache/content"))
    }
}
