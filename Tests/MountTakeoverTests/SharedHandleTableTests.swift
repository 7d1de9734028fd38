import LinuxSystem
import MountTakeover
import Testing

/// The table of open files, which is handed over to another process.
@Suite struct SharedHandleTableTests {
    private func record(_ handle: UInt64, file: UInt64 = 0) -> SharedHandleTable.Entry {
        SharedHandleTable.Entry(
            handle: handle, item: Int64(handle) * 10, file: file, request: handle + 1, flags: [.writing, .wasCut],
            backing: 3, modifiedBefore: 1.5)
    }

    @Test func theNextOneReadsWhatIsOpenAndGoesOnWritingThere() throws {
        let first = try SharedHandleTable()
        for handle in 1...100 as ClosedRange<UInt64> { first.add(record(handle)) }
        for handle in 1...100 as ClosedRange<UInt64> where handle % 2 == 0 { first.remove(handle) }
        first.setFile(99, of: 7)
        let second = try SharedHandleTable(takingOver: first.file)
        #expect(second.entries.map(\.handle) == (1...100).filter { $0 % 2 == 1 })
        #expect(second.entries.first { $0.handle == 7 } == record(7, file: 99))
        second.remove(1)
        second.add(record(1000))
        second.add(record(1000))
        let third = try SharedHandleTable(takingOver: second.file)
        #expect(Set(third.entries) == Set(second.entries))
        #expect(third.entries.count == 50)
    }

    @Test func moreThanThereIsRoomForIsNotWrittenDown() throws {
        let sharedTable = try SharedHandleTable()
        for handle in 1...UInt64(SharedHandleTable.entryLimit) + 10 { sharedTable.add(record(handle)) }
        let count = sharedTable.entries.count
        #expect(count == SharedHandleTable.entryLimit - 1)
        sharedTable.remove(1)
        sharedTable.remove(1)
        sharedTable.add(record(.max >> 8))
        #expect(try SharedHandleTable(takingOver: sharedTable.file).entries.count == count)
    }

    @Test func otherFilesThanHandleTablesAreRefused() throws {
        #expect(throws: Errno.invalidArgument) { try SharedHandleTable(takingOver: MemoryFile.create(name: "other")) }
        // An unsealed memory file, which could be truncated under a reader.
        let loose = try MemoryFile.create(name: "loose")
        try loose.truncate(to: 64 * SharedHandleTable.entryLimit)
        #expect(throws: Errno.invalidArgument) { try SharedHandleTable(takingOver: loose) }
    }
}
