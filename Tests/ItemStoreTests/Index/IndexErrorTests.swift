import FileTesting
import ItemStore
import LinuxSystem
import TestThreads
import Testing

@Suite struct IndexErrorTests {
    private func index(_ path: String, items: Int) throws {
        let index = try Index(path: path)
        for page in stride(from: 0, to: items, by: 1000) {
            try index.write { writer throws(IndexError) in
                try writer.apply((page..<page + 1000).map { file("\($0)") }, listedIn: .root, mark: 1)
            }
        }
    }

    private func isCorrupt(_ path: String) throws -> Bool {
        do throws(IndexError) {
            let index = try Index(path: path)
            // Damage that opening does not detect is detected when the damaged page is read.
            try index.children(of: .root) { _ in true }
            for number in 0..<3000 { _ = try index.item(identifier: "\(number)") }
            return false
        } catch .corrupt {
            return true
        }
    }

    @Test func garbageIsCorruptAndCanBeDeletedAndMadeAnew() throws {
        let folder = try TestFolder()
        let path = folder.path + "/index.db"
        try folder.file("index.db", pattern(100_000))
        #expect(try isCorrupt(path))
        try Index.delete(path: path)
        #expect(try folder.names() == [])
        #expect(try !isCorrupt(path))
    }

    @Test func aTruncatedFileIsCorrupt() throws {
        let folder = try TestFolder()
        let path = folder.path + "/index.db"
        try index(path, items: 3000)
        let file = try FileDescriptor.open(path, .readWrite)
        try file.truncate(to: try file.status().size / 2)
        #expect(try isCorrupt(path))
    }

    @Test func anEmptyPageIsCorrupt() throws {
        let folder = try TestFolder()
        let path = folder.path + "/index.db"
        try index(path, items: 3000)
        let file = try FileDescriptor.open(path, .readWrite)
        let pages = try file.status().size / 8192
        #expect(pages > 10)
        for page in 0..<pages {
            var before = [UInt8](repeating: 0, count: 8192)
            _ = try before.withUnsafeMutableBytes { try file.read(into: $0, at: page * 8192) }
            // An unused empty page holds zeros already.
            guard before.contains(where: { $0 != 0 }) else { continue }
            try file.overwrite([UInt8](repeating: 0, count: 8192), at: page * 8192)
            let isFound = try isCorrupt(path)
            #expect(isFound || isFree(before), "page \(page)")
            try file.overwrite(before, at: page * 8192)
        }
        #expect(try !isCorrupt(path))
    }

    /// Whether a page belongs to the list of free pages: its type is not that of a b-tree page.
    private func isFree(_ page: [UInt8]) -> Bool { ![2, 5, 10, 13].contains(page[0]) }

    @Test func anIndexOfAnotherVersionIsMadeAnew() throws {
        let folder = try TestFolder()
        let path = folder.path + "/index.db"
        try index(path, items: 1000)
        // SQLite's user_version is at offset 60 of the header.
        try FileDescriptor.open(path, .readWrite).overwrite([0, 0, 0, 99], at: 60)
        #expect(try isCorrupt(path))
    }

    @Test(.enabled(if: SmallDisk.isWanted), .ownThreads)
    func aFullDiskUndoesTheTransactionAndLetsItBeTriedAgain() throws {
        let disk = try SmallDisk(megabytes: 8)
        let index = try Index(path: disk.path + "/index.db")
        try index.write { writer throws(IndexError) in try writer.apply((0..<100).map { file("\($0)") }) }
        let filler = try disk.fill(leaving: 64 << 10)
        let more = (0..<20_000).map { file("new \($0)") }
        #expect(throws: IndexError.full) {
            try index.write { writer throws(IndexError) in try writer.apply(more) }
        }
        #expect(try index.childCount(of: .root) == 100)
        // Removing still works, with the room that is held in reserve.
        let removed = try index.write(freesSpace: true) { writer throws(IndexError) in
            try writer.remove(identifiers: (0..<50).map { "\($0)" })
        }
        #expect(removed.removed.count == 50)
        #expect(try index.childCount(of: .root) == 50)
        try filler.truncate(to: 0)
        try index.write { writer throws(IndexError) in try writer.apply(Array(more.prefix(1000))) }
        #expect(try index.childCount(of: .root) == 1050)
    }
}
