import FileTesting
import Foundation
import Testing
import UniformTypeIdentifiers

/// Caches that are truncated, damaged or malicious. At worst they yield no results.
struct FreedesktopHostileCacheTests {
    private static let sample = MIMECacheBuilder(
        aliases: ["a/b": "x/a"], parents: ["x/a": ["x/b", "x/c"]],
        literals: [.init(text: "makefile", type: "x/make")],
        suffixes: [.init(text: ".png", type: "x/png"), .init(text: ".tar.gz", type: "x/tgz")],
        globs: [.init(text: "*.[1-9]", type: "x/man")],
        rules: [
            .init(type: "x/png", matchlets: [.init("PNG", children: [.init("x", at: 4, range: 9)])]),
            .init(type: "x/html", matchlets: [.init("<html", range: 256), .init("far", range: 4000)]),
        ],
        namespaces: [("urn:a", "b", "x/c")]
    ).bytes()

    /// Makes every kind of query.
    private func exercise(_ database: MIMEDatabase) {
        for name in ["a.png", "A.TAR.GZ", "Makefile", "ls.1", "", "x", "ä.ö"] {
            _ = database.types(forFileName: name)
            _ = database.types(forExtension: name)
        }
        for content in ["PNG.x", "  <html><far", "<?xml version='1.0'?><b xmlns='urn:a'>", "", "text"] {
            Array(content.utf8).withUnsafeBytes {
                _ = database.type(forContent: $0)
                _ = database.guess(fileName: nil, content: $0)
                _ = database.guess(fileName: "a.png", content: $0)
            }
        }
        for name in ["x/a", "a/b", "x/png", "text/plain", "nothing"] {
            _ = database.canonical(name)
            _ = database.parents(of: name)
            _ = database.extensions(of: name)
            _ = database.description(of: name)
        }
    }

    private func exercise(_ bytes: [UInt8], in folder: TemporaryFolder) throws {
        let path = try folder.file("mime.cache", Data(bytes)).path
        if let database = MIMEDatabase(cachePaths: [path]) { exercise(database) }
    }

    @Test func aCacheCutShortAnywhereDoesNoHarm() throws {
        let folder = try TemporaryFolder()
        for count in 0..<Self.sample.count { try exercise(Array(Self.sample[..<count]), in: folder) }
    }

    @Test func aCacheWithDamagedWordsDoesNoHarm() throws {
        let folder = try TemporaryFolder()
        var random = RandomNumbers(seed: 3)
        for _ in 0..<3000 {
            var bytes = Self.sample
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count / 4, using: &random) * 4
                let values: [UInt32] = [
                    0, 1, .max, .max / 2, UInt32(bytes.count), UInt32(bytes.count - 1), 0x8000_0000,
                    .random(in: 0..<UInt32(bytes.count), using: &random), .random(in: 0...(.max), using: &random),
                ]
                let word = values.randomElement(using: &random) ?? 0
                withUnsafeBytes(of: word.bigEndian) { for index in 0..<4 { bytes[place + index] = $0[index] } }
            }
            try exercise(bytes, in: folder)
        }
    }

    @Test func theDatabaseOfThisMachineWithDamagedBytesDoesNoHarm() throws {
        guard let data = FileManager.default.contents(atPath: "/usr/share/mime/mime.cache") else {
            try skipWithoutDatabase()
        }
        let folder = try TemporaryFolder()
        var random = RandomNumbers(seed: 5)
        for _ in 0..<60 {
            var bytes = Array(data)
            for _ in 0..<Int.random(in: 1...200, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            try exercise(bytes, in: folder)
        }
    }

    @Test func aTreeThatPointsInCirclesIsRefused() throws {
        // One root node whose only child is itself.
        var bytes = MIMECacheBuilder(suffixes: [.init(text: "ab", type: "x/a")]).bytes()
        let word = { (place: Int) in bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        let root = word(word(16) + 4)
        withUnsafeBytes(of: UInt32(root).bigEndian) { for index in 0..<4 { bytes[root + 8 + index] = $0[index] } }
        let folder = try TemporaryFolder()
        #expect(MIMEDatabase(cachePaths: [try folder.file("mime.cache", Data(bytes)).path]) == nil)
    }

    @Test func otherFilesThanCachesAreRefused() throws {
        let folder = try TemporaryFolder()
        #expect(MIMEDatabase(cachePaths: []) == nil)
        #expect(MIMEDatabase(cachePaths: [folder.url.path]) == nil)
        #expect(MIMEDatabase(cachePaths: ["/dev/zero"]) == nil)
        #expect(MIMEDatabase(cachePaths: [try folder.file("empty").path]) == nil)
        #expect(MIMEDatabase(cachePaths: [try folder.file("text", String(repeating: "text", count: 50)).path]) == nil)
        var newer = Self.sample
        newer[1] = 2
        #expect(MIMEDatabase(cachePaths: [try folder.file("newer", Data(newer)).path]) == nil)
    }

    @Test func aCacheThatOthersMayWriteToIsReadAllTheSame() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("mime.cache", Data(Self.sample)).path
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        let database = try #require(MIMEDatabase(cachePaths: [path]))
        #expect(database.types(forFileName: "a.png") == ["x/png"])
    }

    @Test func aCacheThatIsCutShortLaterDoesNoHarm() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("mime.cache", Data(Self.sample))
        let database = try #require(MIMEDatabase(cachePaths: [file.path]))
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 0)
        try handle.close()
        #expect(database.types(forFileName: "a.png") == ["x/png"])
        exercise(database)
    }
}
