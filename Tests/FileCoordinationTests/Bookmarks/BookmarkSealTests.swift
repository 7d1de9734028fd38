import FileCoordination
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Data that is not a bookmark of this user.
@Suite(.ownThreads) struct BookmarkSealTests {
    private let folder: TestFolder
    private let data: Data

    init() throws {
        folder = try TestFolder()
        try folder.file("a")
        data = try URL(fileURLWithPath: folder.path + "/a").bookmarkData(
            includingResourceValuesForKeys: [.nameKey, .fileSizeKey])
    }

    private func code(_ data: Data) -> CocoaError.Code? {
        var isStale = false
        do {
            _ = try URL(resolvingBookmarkData: data, bookmarkDataIsStale: &isStale)
            return nil
        } catch {
            return (error as? CocoaError)?.code
        }
    }

    @Test func aBookmarkWithAnyByteChangedIsRefused() {
        for index in data.indices {
            var forged = data
            forged[index] ^= 0x20
            #expect(code(forged) == .fileReadCorruptFile, "byte \(index)")
        }
        #expect(code(data) == nil)
    }

    @Test func aBookmarkThatIsCutOffOrGoesOnIsRefused() {
        for count in 0..<data.count { #expect(code(data.prefix(count)) == .fileReadCorruptFile, "\(count) bytes") }
        #expect(code(data + [0]) == .fileReadCorruptFile)
        #expect(code(data + Data(count: BookmarkSeal.largest)) == .fileReadCorruptFile)
    }

    @Test func randomBytesAreRefused() {
        var random = SystemRandomNumberGenerator()
        for count in [0, 1, 4, 39, 40, 41, 200, 5000, 200_000] {
            var bytes = Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
            #expect(code(bytes) == .fileReadCorruptFile)
            bytes.replaceSubrange(0..<min(8, count), with: data.prefix(min(8, count)))
            #expect(code(bytes) == .fileReadCorruptFile)
        }
    }

    @Test func aSliceOfALargerBufferIsABookmarkAllTheSame() {
        #expect(code((Data([1, 2, 3]) + data).dropFirst(3)) == nil)
    }

    @Test func aBookmarkMadeWithAnotherKeyIsRefused() throws {
        let item = try ResolvedItem(at: folder.path + "/a")
        let bookmark = try Bookmark(options: 0, item: item, relativeTo: nil, scope: nil, values: [])
        let (ours, theirs) = (folder.path + "/ours", folder.path + "/theirs")
        let sealed = BookmarkSeal.seal(bookmark, try BookmarkKey(data: theirs))
        #expect(throws: BookmarkSeal.SealError.notAuthentic) {
            try BookmarkSeal.open(sealed, BookmarkKey(data: ours))
        }
        #expect(try BookmarkSeal.open(sealed, BookmarkKey(data: theirs)).scope == nil)
        #expect(code(sealed) == .fileReadCorruptFile)
    }

    @Test func aLaterVersionOfTheFormatIsNamed() throws {
        var later = data
        later[4] = 2
        #expect(throws: BookmarkSeal.SealError.unknownVersion(2)) {
            try BookmarkSeal.open(later, BookmarkKey(data: folder.path + "/ours"))
        }
    }

    @Test func theKeyIsTheUsersAlone() throws {
        let place = folder.path + "/data"
        _ = try BookmarkKey(data: place)
        let status = try folder.status("data/bookmark.key")
        #expect(status.permissions == 0o600 && status.size == 32)
        try retrying { chmod(place + "/bookmark.key", 0o640) }
        #expect(throws: BookmarkKey.KeyError.self) { try BookmarkKey(data: place) }
        try retrying { chmod(place + "/bookmark.key", 0o600) }
        try retrying { truncate(place + "/bookmark.key", 31) }
        #expect(throws: BookmarkKey.KeyError.self) { try BookmarkKey(data: place) }
        try retrying { unlink(place + "/bookmark.key") }
        try folder.link("data/bookmark.key", to: "/dev/zero")
        #expect(throws: (any Error).self) { try BookmarkKey(data: place) }
    }

    @Test func concurrentCallersGetTheSameKey() async throws {
        let item = try ResolvedItem(at: folder.path + "/a")
        let bookmark = try Bookmark(options: 0, item: item, relativeTo: nil, scope: nil, values: [])
        let place = folder.path + "/data"
        let sealed = await withTaskGroup(of: Data?.self) { group in
            for _ in 0..<16 {
                group.addTask { (try? BookmarkKey(data: place)).map { BookmarkSeal.seal(bookmark, $0) } }
            }
            return await group.reduce(into: [Data?]()) { $0.append($1) }
        }
        #expect(Set(sealed).count == 1 && !sealed.contains(nil))
        // The race leaves no other files.
        #expect(try folder.names("data") == ["bookmark.key"])
    }
}
