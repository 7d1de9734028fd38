import FileProvider
import FileTesting
import Foundation
import ItemValues
import LinuxSystem
import LocalFolder
import TestThreads
import Testing

/// Byte ranges of files, as the system requests them.
@Suite(.ownThreads) struct PartTests {
    private let folder: TestFolder
    private let own: TestFolder
    private let provider: LocalFolderExtension

    init() throws {
        (folder, own) = (try TestFolder(), try TestFolder())
        provider = LocalFolderExtension(serving: folder, own: own)
    }

    private struct Answer {
        var bytes: [UInt8]?
        var item: (any NSFileProviderItem)?
        var range = NSRange()
        var error: (any Error)?
    }

    private func item(_ name: String) throws -> ProviderItem {
        try #require(try provider.list().first { $0.filename == name })
    }

    /// Returns all bytes of a small file.
    private static func bytes(of url: URL) -> [UInt8]? {
        guard let file = try? FileDescriptor.open(url.path, .readOnly), let size = try? file.status().size,
            size < 1 << 20
        else { return nil }
        return try? file.everything()
    }

    private func part(
        of item: ProviderItem, _ range: NSRange, options: NSFileProviderFetchContentsOptions = [.strictVersioning]
    ) -> Answer {
        var answer = Answer()
        let version = NSFileProviderItemVersion(contentVersion: Data(item.contentVersion), metadataVersion: Data())
        let progress = provider.fetchPartialContents(
            for: NSFileProviderItemIdentifier(item.identifier), version: version, request: NSFileProviderRequest(),
            minimalRange: range, aligningTo: 4096, options: options
        ) { url, item, range, _, error in
            answer = Answer(
                bytes: url.flatMap { Self.bytes(of: $0) }, item: item,
                range: range, error: error)
            if let url { try? FileManager.default.removeItem(at: url) }
        }
        #expect(progress.isFinished)
        return answer
    }

    @Test func aPartLiesAtItsPlaceBetweenBoundsThatAreAligned() throws {
        let contents = pattern(100_000)
        try folder.file("a", contents)
        let item = try item("a")
        let part = part(of: item, NSRange(location: 5000, length: 10))
        #expect(part.range == NSRange(location: 4096, length: 4096))
        #expect(part.bytes == [UInt8](repeating: 0, count: 4096) + Array(contents[4096..<8192]))
        #expect(part.item?.itemIdentifier.rawValue == item.identifier)
        // The last block ends at the end of the file.
        let last = self.part(of: item, NSRange(location: 99_999, length: 1))
        #expect(last.range == NSRange(location: 98_304, length: 1696) && last.bytes?.last == contents.last)
    }

    @Test func aPartBehindTheEndIsEmpty() throws {
        try folder.file("a", pattern(5000))
        let item = try item("a")
        for range in [NSRange(location: 1 << 40, length: 10), NSRange(location: 5000, length: .max)] {
            #expect(part(of: item, range).range.length <= 904)
        }
        #expect(part(of: item, NSRange(location: 0, length: .max)).range == NSRange(location: 0, length: 5000))
    }

    @Test func anotherVersionIsNotGiven() throws {
        try folder.file("a", pattern(5000))
        let item = try item("a")
        let file = try FileDescriptor.open(folder.path + "/a", [.writeOnly, .truncate])
        try pattern(6000).withUnsafeBytes { try file.writeAll($0) }
        let part = part(of: item, NSRange(location: 0, length: 10))
        #expect((part.error as? NSFileProviderError)?.code == .versionNoLongerAvailable && part.bytes == nil)
        #expect(self.part(of: item, NSRange(location: 0, length: 10), options: []).bytes?.count == 4096)
    }

    @Test func holesStayHoles() throws {
        let file = try FileDescriptor.open(folder.path + "/a", [.writeOnly, .create])
        try file.truncate(to: 1 << 40)
        let part = part(of: try item("a"), NSRange(location: 1 << 39, length: 4096))
        #expect(part.error == nil && part.range == NSRange(location: 1 << 39, length: 4096))
    }
}
