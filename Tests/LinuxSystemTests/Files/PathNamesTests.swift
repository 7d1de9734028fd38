import LinuxSystem
import Testing

/// Tests of paths whose names begin with a combining mark, which forms one character with the `/` before it.
@Suite struct PathNamesTests {
    private let marked = "/a/\u{301}b/\u{308}c"

    @Test func pathsAreSplitAtTheirSlashesWhateverFollows() {
        #expect(marked.pathNames.map { Array($0.utf8) } == ["a", "\u{301}b", "\u{308}c"].map { Array($0.utf8) })
        #expect(marked.lastPathName == "\u{308}c")
        #expect("\u{301}b".lastSlash == nil)
        #expect(marked.pathNames(beneath: "/a") == ["\u{301}b", "\u{308}c"])
        #expect(marked.pathNames(beneath: "/")?.count == 3)
        #expect("/\u{301}".isAbsolutePath && "/\u{301}".hasSlash)
        #expect(!"a\u{301}".isAbsolutePath && !"a\u{301}".hasSlash)
        let place = "Cloud:\u{301}x"
        #expect(place.firstColon.map { place[..<$0] } == "Cloud")
    }

    @Test func aPathBeneathAMountIsFoundWhateverItsNames() {
        let table = MountTable(
            text: """
                21 1 0:20 / / rw - ext4 /dev/a rw
                22 21 0:21 /inner /mnt/\u{301}m rw - fuse.purvey purvey rw
                """)
        let mount = table.mount(of: "/mnt/\u{301}m/\u{301}x")
        #expect(mount?.type == "fuse.purvey")
        #expect(mount?.inside("/mnt/\u{301}m/\u{301}x") == "/inner/\u{301}x")
        #expect(mount?.path(of: "/inner/\u{301}x") == "/mnt/\u{301}m/\u{301}x")
        #expect(table.mount(of: "/\u{301}x")?.inside("/\u{301}x") == "/\u{301}x")
        #expect(mount?.inside("/mnt/\u{301}mx") == nil)
    }
}
