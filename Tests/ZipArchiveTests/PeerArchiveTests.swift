import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing
import ZipArchive

@Suite(.ownThreads) struct PeerArchiveTests {
    @Test func anArchiveOfAnotherProcesssFolderLetsOnlyItsOwnerWrite() throws {
        let folder = try ArchiveFolder()
        let file = try folder.file("tree/sub/a.txt", Data("a".utf8))
        #expect(chmod(file.path, 0o6777) == 0)
        #expect(chmod(file.deletingLastPathComponent().path, 0o1777) == 0)
        try folder.archive(options: ZipArchiver.Options(origin: .peer))
        let listing = try folder.run("unzip", ["-Z", "archive.zip"]).output
        #expect(listing.contains("-rwxr-xr-x"), "\(listing)")
        #expect(listing.contains("drwxr-xr-x"), "\(listing)")
        #expect(!listing.contains("rwxrwx"), "\(listing)")
    }
}
