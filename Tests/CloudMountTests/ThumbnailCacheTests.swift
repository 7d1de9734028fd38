import CloudMount
import ExtensionHost
import FileTesting
import Glibc
import LinuxSystem
import Testing

/// Tests of the desktop's thumbnail directory. How the pictures are generated does not matter.
@Suite struct ThumbnailCacheTests {
    /// Returns data that only begins like a PNG, because the cache checks no more than the signature.
    private static func pictures() throws -> SmallPictures {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let header = [0, 0, 0, 13] + Array("IHDR".utf8) + [UInt8](repeating: 0, count: 17)
        let bytes = signature + header + [UInt8](repeating: 1, count: 5000)
        let file = try MemoryFile.sealed(name: "pictures") { file throws(Errno) in
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(Errno) in try file.writeAll(bytes) }
            }
            try result.get()
        }
        return try #require(SmallPictures(file, sizes: [bytes.count]))
    }

    private static let folders = ["normal", "large", "x-large", "xx-large"]

    @Test(arguments: folders)
    func aFileIsKnownOnceItsPicturesAreThereInAllSizes(_ blocked: String) throws {
        let folder = try TestFolder()
        try folder.folder("thumbnails")
        let cache = ThumbnailCache(path: folder.path + "/thumbnails")
        let file = ThumbnailCache.File(path: "/mount/a.jpg", modified: 7)
        #expect(!cache.knows(file))
        // A file is in the way of one size. The other sizes may be written or not.
        try folder.file("thumbnails/" + blocked)
        #expect(throws: Errno.notDirectory) { try cache.store(try Self.pictures(), of: file) }
        #expect(!cache.knows(file))
        try retrying { unlink(folder.path + "/thumbnails/" + blocked) }
        #expect(try cache.store(try Self.pictures(), of: file))
        #expect(cache.knows(file))
        for name in Self.folders { #expect(try folder.names("thumbnails/" + name).count == 1) }
        #expect(!cache.knows(ThumbnailCache.File(path: "/mount/a.jpg", modified: 8)))
        #expect(!cache.knows(ThumbnailCache.File(path: "/mount/b.jpg", modified: 7)))
    }

    @Test(arguments: [true, false])
    func aFileThatLiesDeepIsKnownAsAnyOther(hasPicture: Bool) throws {
        let folder = try TestFolder()
        let cache = ThumbnailCache(path: folder.path + "/thumbnails")
        // Escaped, the path is three times as long, and longer than PATH_MAX.
        let path = "/mount" + String(repeating: "/" + String(repeating: "ä", count: 100), count: 19) + "/a.jpg"
        let file = ThumbnailCache.File(path: path, modified: 1_700_000_000)
        if hasPicture {
            #expect(try cache.store(try Self.pictures(), of: file))
        } else {
            try cache.storeFailure(of: file)
        }
        #expect(cache.knows(file))
        #expect(!cache.knows(ThumbnailCache.File(path: path + "x", modified: 1_700_000_000)))
    }
}
