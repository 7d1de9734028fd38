import FileTesting
import TestThreads
import Testing

/// Tests of the free space that a mounted domain reports, which is that of the disk on which everything written to the
/// domain is stored.
@Suite(.ownThreads, .enabled(if: MountFixture.isWanted), .timeLimit(.minutes(20))) struct DiskSpaceTests {
    @Test func aDomainHasTheRoomOfTheDiskThatItsFilesAreKeptOn() throws {
        try MountFixture.run { place in
            func numbers(_ columns: String, _ path: String) throws -> [Int] {
                try place.shell("df -B1 --output=\(columns) \"\(path)\" | tail -n 1").split(separator: " ").compactMap {
                    Int($0.filter { !$0.isNewline })
                }
            }
            for path in ["$M", "$M/inner"] {
                try place.shell("mkdir -p \"\(path)\"")
                let (mounted, disk) = (
                    try numbers("size,used,avail,itotal", path),
                    try numbers("size,used,avail,itotal", "$PURVEY_HOME/data/domains")
                )
                try #require(mounted.count == 4 && disk.count == 4)
                // The free room may change between two commands.
                #expect(mounted[0] == disk[0] && mounted[3] == disk[3])
                #expect(mounted[0] > 0 && mounted[1] > 0 && mounted[2] > 0)
                #expect(mounted[1] + mounted[2] <= mounted[0])
            }
            #expect(try place.shell(#"df --output=fstype,target "$M" | tail -n 1"#).hasPrefix("fuse.purvey "))
            // The longest name, and the unit of the reported room.
            #expect(try place.shell(#"stat -f -c %l "$M""#) == "255\n")
            #expect(
                try place.shell(#"stat -f -c %S "$M""#) == place.shell(#"stat -f -c %S "$PURVEY_HOME/data/domains""#))
        }
    }
}
