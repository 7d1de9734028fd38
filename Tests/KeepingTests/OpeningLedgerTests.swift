import Keeping
import LinuxSystem
import Testing

/// The ledger of open files, which is handed over to another process.
@Suite struct OpeningLedgerTests {
    private func opening(_ handle: UInt64, file: UInt64 = 0) -> OpeningLedger.Opening {
        OpeningLedger.Opening(
            handle: handle, item: Int64(handle) * 10, file: file, request: handle + 1, flags: [.writing, .wasCut],
            backing: 3, modifiedBefore: 1.5)
    }

    @Test func theNextOneReadsWhatIsOpenAndGoesOnWritingThere() throws {
        let first = try OpeningLedger()
        for handle in 1...100 as ClosedRange<UInt64> { first.add(opening(handle)) }
        for handle in 1...100 as ClosedRange<UInt64> where handle % 2 == 0 { first.remove(handle) }
        first.setFile(99, of: 7)
        let second = try OpeningLedger(takingOver: first.file)
        #expect(second.openings.map(\.handle) == (1...100).filter { $0 % 2 == 1 })
        #expect(second.openings.first { $0.handle == 7 } == opening(7, file: 99))
        second.remove(1)
        second.add(opening(1000))
        second.add(opening(1000))
        let third = try OpeningLedger(takingOver: second.file)
        #expect(Set(third.openings) == Set(second.openings))
        #expect(third.openings.count == 50)
    }

    @Test func moreThanThereIsRoomForIsNotWrittenDown() throws {
        let ledger = try OpeningLedger()
        for handle in 1...UInt64(OpeningLedger.openingLimit) + 10 { ledger.add(opening(handle)) }
        let count = ledger.openings.count
        #expect(count == OpeningLedger.openingLimit - 1)
        ledger.remove(1)
        ledger.remove(1)
        ledger.add(opening(.max >> 8))
        #expect(try OpeningLedger(takingOver: ledger.file).openings.count == count)
    }

    @Test func whatIsNoLedgerIsRefused() throws {
        #expect(throws: Errno.invalidArgument) { try OpeningLedger(takingOver: MemoryFile.create(name: "other")) }
        // An unsealed memory file, which could be truncated under a reader.
        let loose = try MemoryFile.create(name: "loose")
        try loose.truncate(to: 64 * OpeningLedger.openingLimit)
        #expect(throws: Errno.invalidArgument) { try OpeningLedger(takingOver: loose) }
    }
}
