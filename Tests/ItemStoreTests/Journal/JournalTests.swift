import FileTesting
import ItemStore
import ItemValues
import LinuxSystem
import TestThreads
import Testing

@Suite struct JournalTests {
    private func entry(_ number: Int64, _ name: String = "a") -> JournalEntry {
        JournalEntry(
            number: ItemNumber(rawValue: number), identifier: "id\(number)", parent: .root,
            parentIdentifier: ProviderItem.rootIdentifier, name: name, kind: .file, changes: .contents)
    }

    @Test func entriesAreThereAfterReopening() throws {
        let folder = try TestFolder()
        var full = entry(7, "ü")
        full.baseVersion = [1, 2]
        full.modified = -1.5
        full.mode = 0o755
        full.linkTarget = "target"
        full.replaced = ItemNumber(rawValue: 5)
        full.sent = SentLocation(parent: "p", name: "n")
        full.mayHaveMoved = true
        full.movedTo = SentLocation(parent: "q", name: "m")
        full.lostIdentifier = full.identifier
        full.place = SentLocation(parent: "r", name: "l")
        full.isOpen = true
        full.statusAtOpen = .init(size: 1, modifiedNanoseconds: .min, changedNanoseconds: .max)
        full.attempts = 3
        full.recordedFailure = ItemFailure(kind: 13, domain: "d", code: -1, message: "m", collidingItem: "c")
        do {
            let journal = try Journal(path: folder.path + "/journal.db")
            try journal.put([full, entry(8), entry(9)])
            try journal.remove(ItemNumber(rawValue: 9))
            try journal.update(ItemNumber(rawValue: 8)) { $0.name = "b" }
        }
        let journal = try Journal(path: folder.path + "/journal.db")
        #expect(try journal.all() == [full, entry(8, "b")])
        #expect(try journal.entry(ItemNumber(rawValue: 7)) == full)
        #expect(try journal.count() == 2)
        #expect(journal.damage == nil)
    }

    @Test(arguments: [4096, 8192, 12288, 0])
    func aDamagedJournalIsPutAsideAndWhatCanBeReadIsSaved(_ place: Int) throws {
        let folder = try TestFolder()
        let path = folder.path + "/journal.db"
        let count = 200
        do {
            let journal = try Journal(path: path)
            try journal.put((1...Int64(count)).map { entry($0, String(repeating: "n", count: 100)) })
        }
        let file = try FileDescriptor.open(path, .readWrite)
        let size = try file.status().size
        #expect(size > 5 * 4096)
        try file.overwrite([UInt8](repeating: 0x5A, count: 4096), at: place)
        let damaged = try file.everything()
        let journal = try Journal(path: path)
        let saved = try journal.all()
        #expect(journal.damage != nil)
        #expect(saved.count > count / 2)
        #expect(saved.allSatisfy { $0 == entry($0.number.rawValue, String(repeating: "n", count: 100)) })
        #expect(try folder.content("journal.db.damaged-1") == damaged)
        try journal.put(entry(1000))
    }

    @Test func anEmptyOrForeignFileIsPutAside() throws {
        let folder = try TestFolder()
        try folder.file("journal.db", Array("This is no journal, but a text.".utf8))
        let journal = try Journal(path: folder.path + "/journal.db")
        #expect(try journal.all() == [])
        #expect(journal.damage != nil)
        #expect(try folder.names().contains("journal.db.damaged-1"))
    }

    @Test(.enabled(if: SmallDisk.isWanted), .ownThreads)
    func aFullDiskRefusesNewEntriesAndDropsFinishedOnes() throws {
        let disk = try SmallDisk(megabytes: 4)
        let journal = try Journal(path: disk.path + "/journal.db")
        try journal.put(entry(1))
        let filler = try disk.fill(leaving: 100 << 10)
        let long = String(repeating: "x", count: 200)
        var accepted: [Int64] = []
        #expect(throws: IndexError.full) {
            for number in 2...Int64(100_000) {
                try journal.put(entry(number, long))
                accepted.append(number)
            }
        }
        #expect(try journal.all().map(\.number.rawValue) == [1] + accepted)
        try journal.remove(ItemNumber(rawValue: 1))
        try journal.put(entry(200_000), freesSpace: true)
        #expect(try journal.all().map(\.number.rawValue) == accepted + [200_000])
        try filler.truncate(to: 0)
        try journal.put(entry(300_000))
        #expect(try journal.count() == accepted.count + 2)
    }
}
