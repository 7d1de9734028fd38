import Foundation
import Glibc
import Testing
import UniformTypeIdentifiers

/// Caches with overlapping parts, so that a small file claims to have huge contents. Each is read in a process of its
/// own, which is killed when it takes a hundred times the expected resources.
struct FreedesktopOverlapTests {
    /// A hand-made cache file: a header, and lists that point to places of the test's choice.
    private struct Cache {
        /// The header and eight zero words, which serve as all empty lists.
        private(set) var bytes: [UInt8] = [0, 1, 0, 2] + [UInt8](repeating: 0, count: 68)

        init() {
            for list in 0..<9 { patch(4 + 4 * list, 40) }
        }

        var count: Int { bytes.count }

        mutating func patch(_ place: Int, _ value: Int) {
            for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index)) }
        }

        mutating func words(_ values: Int...) {
            for value in values {
                for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> (24 - 8 * index))) }
            }
        }

        mutating func append(_ text: [UInt8]) { bytes += text }

        mutating func type(_ name: String) -> Int {
            bytes += Array(name.utf8) + [0]
            while bytes.count % 4 != 0 { bytes.append(0) }
            return bytes.count - (name.utf8.count / 4 + 1) * 4
        }

        /// Writes the cache, opens it and requests the type of a content.
        func open(content: [UInt8] = Array("text".utf8)) throws {
            let folder = try TemporaryFolder()
            let database = MIMEDatabase(cachePaths: [try folder.file("mime.cache", Data(bytes)).path])
            if let database { content.withUnsafeBytes { _ = database.guess(fileName: "a.png", content: $0) } }
        }
    }

    /// Limits the process far above the cost of a valid cache of a few megabytes, and far below the cost of these.
    private static func limit() {
        var time = rlimit(rlim_cur: 60, rlim_max: 60)
        setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &time)
        // A test process reserves some gigabytes of addresses at its start.
        var memory = rlimit(rlim_cur: 8 << 30, rlim_max: 8 << 30)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)
    }

    @Test func rulesThatShareOneLongValueDoNotFillTheMemory() async {
        await #expect(processExitsWith: .success) {
            Self.limit()
            var cache = Cache()
            let type = cache.type("a/b")
            cache.patch(24, cache.count)
            cache.words(1, 0xFFFF, cache.count + 12)
            cache.words(50, type, 20_000, cache.count + 16)
            let value = cache.count + 32 * 20_000
            for _ in 0..<20_000 { cache.words(0, 1, 1, 600_000, value, 0, 0, 0) }
            cache.append(Array(repeating: UInt8(ascii: "A"), count: 600_000))
            try cache.open()
        }
    }

    @Test func namesThatRunOnToTheEndOfTheFileAreNotRead() async {
        await #expect(processExitsWith: .success) {
            Self.limit()
            var cache = Cache()
            cache.patch(4, cache.count)
            let names = cache.count + 4 + 8 * 900_000
            cache.words(900_000)
            for index in 0..<900_000 { cache.words(names + index % 1000, names + index % 999) }
            cache.append(Array(repeating: UInt8(ascii: "x"), count: 9 << 20) + [0])
            try cache.open()
        }
    }

    @Test func rulesThatShareTheirMatchletsAreNotReadOverAndOver() async {
        await #expect(processExitsWith: .success) {
            Self.limit()
            var cache = Cache()
            let type = cache.type("a/b")
            cache.patch(24, cache.count)
            cache.words(300_000, 0xFFFF, cache.count + 12)
            let matchlets = cache.count + 16 * 300_000
            for _ in 0..<300_000 { cache.words(50, type, 200_000, matchlets) }
            for _ in 0..<200_000 { cache.words(0, 1, 1, 4, type, 0, 0, 0) }
            try cache.open()
        }
    }

    @Test func aTypeWithHundredsOfThousandsOfParentsIsCutShort() async {
        await #expect(processExitsWith: .success) {
            Self.limit()
            var cache = Cache()
            let type = cache.type("a/b")
            var names: [Int] = []
            for index in 0..<300_000 { names.append(cache.type("a/\(index)")) }
            cache.patch(8, cache.count)
            cache.words(1, type, cache.count + 12)
            cache.words(names.count)
            for name in names { cache.words(name) }
            try cache.open()
        }
    }

    @Test func longRangesBelowOneAnotherAreNotSearchedForHours() async {
        await #expect(processExitsWith: .success) {
            Self.limit()
            var cache = Cache()
            let type = cache.type("a/b")
            let value = cache.count
            cache.append(Array(repeating: UInt8(ascii: "A"), count: 256))
            let mask = cache.count
            cache.append(Array(repeating: 0xFF, count: 255) + [0xFE])
            cache.patch(24, cache.count)
            cache.words(1, 0xFFFF, cache.count + 12)
            cache.words(50, type, 1, cache.count + 16)
            let children = cache.count + 32
            cache.words(0, 1 << 20, 1, 4, value, 0, 2000, children)
            for _ in 0..<2000 { cache.words(1, 1 << 20, 1, 256, value, mask, 0, 0) }
            // The file is large enough for all these values.
            cache.append(Array(repeating: 0, count: 2000 * 512))
            // Every offset matches the pattern except for its last byte.
            try cache.open(
                content: (0..<1 << 20).map { $0 % 256 == 255 ? UInt8(ascii: "x") : UInt8(ascii: "A") })
        }
    }
}
