import FileTesting
import Foundation
import TestThreads
import Testing

/// Tests that compare random operations on a file of a mount with the expected bytes.
@Suite(.ownThreads, .enabled(if: MountFixture.isWanted), .timeLimit(.minutes(TestSample.minutes(30))))
struct RandomOperationTests {
    /// The number of operations, which `PURVEY_FSX_OPERATIONS` may set.
    private static let operations: Int = {
        if let said = ProcessInfo.processInfo.environment["PURVEY_FSX_OPERATIONS"].flatMap({ Int($0) }) { return said }
        #if DEBUG
            return 1_000
        #else
            return TestSample.count(10_000, of: 100_000)
        #endif
    }()

    @Test func aFileHasTheBytesThatWereWrittenWhateverWayTheyWere() throws {
        try MountFixture.run { place in try check(place, Self.operations) }
    }

    /// Without passthrough, which requires root, the kernel requests every page from the daemon.
    @Test(.enabled(if: MountFixture.canBeAnother))
    func aFileOfAMountWithoutPassthroughHasThemToo() throws {
        try MountFixture.run(as: MountFixture.another) { place in try check(place, Self.operations / 4) }
    }

    private func check(_ place: MountFixture, _ operations: Int) throws {
        try place.shell("FileCheckPeer file \"$M/file\" 5 \(operations)")
        try place.expectThatTheProviderHasAll()
        #expect(try place.shell(#"ls "$C""#) == "file\n")
    }
}
