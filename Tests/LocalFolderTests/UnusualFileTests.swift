import CLinux
import FileProvider
import FileTesting
import Foundation
import Glibc
import ItemValues
import LinuxSystem
import LocalFolder
import TestThreads
import Testing

/// Every name, size and date that a file system can hold.
@Suite(.ownThreads) struct UnusualFileTests {
    private let folder: TestFolder
    private let own: TestFolder
    private let provider: LocalFolderExtension

    init() throws {
        (folder, own) = (try TestFolder(), try TestFolder())
        provider = LocalFolderExtension(serving: folder, own: own)
    }

    static let names = [
        "\u{301}mark first", "\u{301}", "\u{FEFF}order first", "\u{FEFF}", "\u{200D}joiner first", "e\u{301}",
        "\u{E9}", "line\nfeed", " ", "-", "~", "%2F", "a:b", "a\\b", "\u{7F}", "#", "?",
        String(repeating: "\u{1F600}", count: 63), String(repeating: "n", count: 255),
    ]

    private func item(_ name: String) throws -> ProviderItem {
        try #require(try provider.list().first { $0.filename.utf8.elementsEqual(name.utf8) }, "\(Array(name.utf8))")
    }

    private func url(_ item: ProviderItem) throws -> URL {
        try #require(provider.urlForItem(withPersistentIdentifier: NSFileProviderItemIdentifier(item.identifier)))
    }

    private func hasOnly(_ name: String) throws -> Bool {
        try folder.descriptor.open(".", [.readOnly, .directory]).entries().map { Array($0.name.bytes) }
            == [Array(name.utf8)]
    }

    @Test(arguments: names) func aFileOfAnyNameIsReadAndWritten(_ name: String) throws {
        let file = try #require(FileName(name))
        _ = try folder.descriptor.createFile(file, permissions: 0o644)
        let url = try url(try item(name))
        provider.startProvidingItem(at: url) { #expect($0 == nil) }
        #expect(try FileStatus.of(url.path).kind == .regular)
        try FileDescriptor.open(url.path, [.writeOnly]).overwrite([7, 7], at: 0)
        provider.itemChanged(at: url)
        #expect(try folder.descriptor.open(entry: file, [.readOnly]).everything() == [7, 7])
        #expect(try hasOnly(name))
    }

    @Test(arguments: names) func aFileOfAnyNameIsMade(_ name: String) throws {
        let source = try #require(FileName(name))
        let made = try TestFolder(in: own.path)
        _ = try made.descriptor.createFile(source, permissions: 0o644)
        let url = URL(fileURLWithPath: made.path, isDirectory: true).appendingPathComponent(name, isDirectory: false)
        provider.importDocument(at: url, toParentItemIdentifier: .rootContainer) { item, error in
            #expect(error == nil)
            #expect(item?.filename.utf8.elementsEqual(name.utf8) == true)
        }
        #expect(try hasOnly(name))
    }

    @Test(arguments: names) func aFileGetsAnyName(_ name: String) throws {
        try folder.file("plain", [1])
        let identifier = NSFileProviderItemIdentifier(try item("plain").identifier)
        provider.renameItem(withIdentifier: identifier, toName: name) { item, error in
            #expect(error == nil)
            #expect(item?.filename.utf8.elementsEqual(name.utf8) == true)
        }
        #expect(try hasOnly(name))
    }

    // MARK: Dates

    /// The arguments range from the first to the last whole second that ext4 can store.
    @Test(arguments: [-2_147_483_647, -1, 0, 4_294_967_296, 10_413_792_000, 15_032_385_534])
    func aDateOfAnyYearIsShown(_ seconds: Int) throws {
        let file = try folder.file("a", [1])
        let date = timespec(tv_sec: seconds, tv_nsec: 500_000_000)
        try retrying { futimens(file.rawValue, [date, date]) }
        try #require(try file.status().modified.tv_sec == seconds)
        #expect(try item("a").modified == Double(seconds) + 0.5)
        #expect(try file.status().modificationTime.microsecondPrecise == Double(seconds) + 0.5)
        // Two such dates make two versions.
        let before = try item("a").contentVersion
        let other = timespec(tv_sec: seconds, tv_nsec: 250_000_000)
        try retrying { futimens(file.rawValue, [other, other]) }
        #expect(try item("a").contentVersion != before)
    }

    // MARK: Sizes

    @Test func aFileThatIsAHoleTakesNoRoomWhereItArrives() throws {
        let size = 500 << 20
        let url = URL(fileURLWithPath: own.path + "/hole")
        try own.file("hole").truncate(to: size)
        provider.importDocument(at: url, toParentItemIdentifier: .rootContainer) { _, error in #expect(error == nil) }
        let status = try folder.status("hole")
        #expect(status.size == size && status.allocatedSize < 1 << 20)
        let copy = try self.url(try item("hole"))
        provider.startProvidingItem(at: copy) { #expect($0 == nil) }
        #expect(try FileStatus.of(copy.path).allocatedSize < 1 << 20)
    }

    @Test func theEndOfAFileOfTerabytesIsRead() throws {
        let size = (1 << 44) - (1 << 13)
        let file = try folder.file("large")
        try file.truncate(to: size)
        try file.overwrite([1, 2, 3], at: size - 3)
        #expect(try item("large").size == Int64(size))
        let served = try ServedFolder(of: folder, own: try TestFolder())
        let identifier = try #require(try served.identifiers()["large"])
        let (_, range) = try served.catalogue.copyPart(
            NSRange(location: size - 3, length: 3), alignment: 4096, of: identifier, version: nil,
            to: served.own.path + "/part")
        #expect(range.location + range.length == size)
        let part = try served.own.descriptor.open("part", [.readOnly])
        #expect(try part.status().allocatedSize < 1 << 20)
        var bytes = [UInt8](repeating: 0, count: 3)
        _ = try bytes.withUnsafeMutableBytes { try part.fill($0, at: size - 3) }
        #expect(bytes == [1, 2, 3])
    }
}
