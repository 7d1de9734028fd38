import FileTesting
import LinuxSystem
import TestThreads
import Testing

/// Tests of extended attributes, as programs set and copy them.
@Suite(.ownThreads, .enabled(if: MountFixture.isWanted), .timeLimit(.minutes(20))) struct ExtendedAttributeTests {
    private func attribute(of path: String) throws -> String? {
        try FileDescriptor.open(path, .readOnly).attribute("user.label")
    }

    @Test func attributesAreCopiedIntoAMountWithinItAndOutOfIt() throws {
        try MountFixture.run { place in
            try place.shell(
                "mkdir -p tree/inner; echo text > tree/file; echo text > tree/inner/file; chmod 700 tree/file")
            for name in ["tree/file", "tree/inner"] {
                try FileDescriptor.open(place.scratch + "/" + name, .readOnly).setAttribute("user.label", name)
            }
            #expect(try place.shell(#"rsync -aX tree/ "$M/tree/"; rsync -aX --itemize-changes tree/ "$M/tree/""#) == "")
            try place.shell(#"cp -r --preserve=mode,timestamps,xattr "$M/tree" "$M/copy"; cp -a "$M/copy" back"#)
            let kept = [place.mount + "/tree", place.mount + "/copy", place.scratch + "/back"]
            func check() throws {
                for folder in kept {
                    #expect(try attribute(of: folder + "/file") == "tree/file")
                    #expect(try attribute(of: folder + "/inner") == "tree/inner")
                    #expect(try FileDescriptor.open(folder + "/inner/file", .readOnly).attributeNames() == [])
                    #expect(try FileStatus.of(folder + "/file").permissions == 0o700)
                }
            }
            try check()
            try place.expectThatTheProviderHasAll()
            try check()
            try place.endDaemon()
            try place.startDaemon()
            try check()
            #expect(try place.shell(#"rsync -aX --itemize-changes tree/ "$M/tree/""#) == "")
        }
    }
}
