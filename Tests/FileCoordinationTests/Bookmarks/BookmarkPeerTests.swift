import FileCoordination
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import TestThreads
import Testing

/// Bookmarks that one process makes and another one resolves.
@Suite(.ownThreads) struct BookmarkPeerTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        try folder.file("a")
        try folder.folder("deep")
    }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    /// Runs the peer with a data directory of its own beneath the test's.
    private func peer(_ words: String..., home: String = "home", user: uid_t? = nil) throws -> String {
        try run(BuiltProgram.path("BookmarkPeer"), words, home: home, user: user)
    }

    private func run(_ program: String, _ words: [String], home: String, user: uid_t?) throws -> String {
        let run = try RunningProgram(
            program, words,
            environment: ["PURVEY_HOME": path(home), "BOOKMARK_PEER_USER": user.map { String($0) }]
        ).waitForEnd()
        #expect(run.ending == .exited(0), "\(run)")
        return run.text.trimmingCharacters(in: .newlines)
    }

    @Test func aBookmarkOutlivesTheProcessThatMadeIt() throws {
        let bookmark = try peer("make", path("a"))
        #expect(try peer("resolve", bookmark) == "current \(path("a"))")
        try retrying { rename(path("a"), path("deep/b")) }
        #expect(try peer("resolve", bookmark) == "stale \(path("deep/b"))")
        try retrying { unlink(path("deep/b")) }
        #expect(try peer("resolve", bookmark) == "error \(CocoaError.Code.fileNoSuchFile.rawValue)")
    }

    @Test func aBookmarkOfAnotherKeyIsRefused() throws {
        let bookmark = try peer("make", path("a"))
        #expect(
            try peer("resolve", bookmark, home: "other") == "error \(CocoaError.Code.fileReadCorruptFile.rawValue)")
    }

    @Test(.enabled(if: TestDisk.isWanted(.xfs)), arguments: [nil, 65534 as uid_t])
    func anItemIsFoundWhereItsFileSystemIsMountedAnew(_ user: uid_t?) throws {
        try retrying { chmod(folder.path, 0o777) }
        // A second image then has the first device number, as after a restart of the machine.
        let script = """
            set -e
            cd "$1"
            for image in one two; do truncate -s 16M $image; mkfs.ext4 -q $image >/dev/null 2>&1; mkdir at-$image; done
            mkdir elsewhere
            mount -o loop one at-one
            mkdir at-one/deep
            touch at-one/deep/file
            chmod 755 at-one
            bookmark=$("$2" make "$1/at-one/deep/file")
            umount at-one
            mount -o loop two at-two
            mount -o loop one elsewhere
            "$2" resolve "$bookmark"
            umount at-two elsewhere
            """
        let answer = try run(
            "/usr/bin/env",
            [
                "PATH=/usr/sbin:/sbin:/usr/bin:/bin", "unshare", "-m", "sh", "-c", script, "sh", folder.path,
                try BuiltProgram.path("BookmarkPeer"),
            ], home: "home", user: user)
        #expect(answer == "stale \(path("elsewhere/deep/file"))")
    }

    /// The file system simulates a server that was stopped or cannot be reached.
    @Test(.enabled(if: geteuid() == 0 && TestDisk.isWanted(.xfs)))
    func aFileSystemWhoseServerDoesNotAnswerHoldsUpNoSearch() throws {
        let script = """
            set -e
            cd "$1"
            mkdir silent
            exec 9<>/dev/fuse
            mount -i -t fuse.silent -o fd=9,rootmode=40000,user_id=0,group_id=0 silent silent
            bookmark=$("$2" make "$1/a")
            rm a
            timeout --signal=KILL 120 "$2" resolve "$bookmark"
            """
        let answer = try run(
            "/usr/bin/env",
            [
                "PATH=/usr/sbin:/sbin:/usr/bin:/bin", "unshare", "-m", "sh", "-c", script, "sh", folder.path,
                try BuiltProgram.path("BookmarkPeer"),
            ], home: "home", user: nil)
        #expect(answer == "error \(CocoaError.Code.fileNoSuchFile.rawValue)")
    }

    @Test func withoutPrivilegeAnItemIsFoundByItsInode() throws {
        // Only root needs to become a user without privileges; all other users have none.
        let user: uid_t? = geteuid() == 0 ? 65534 : nil
        try retrying { chmod(folder.path, 0o777) }
        try retrying { chmod(path("deep"), 0o777) }
        let bookmark = try peer("make", path("a"), user: user)
        try #require(!bookmark.hasPrefix("error"))
        try retrying { rename(path("a"), path("b")) }
        #expect(try peer("resolve", bookmark, user: user) == "stale \(path("b"))")
        try retrying { rename(path("b"), path("deep/c")) }
        #expect(try peer("resolve", bookmark, user: user) == "stale \(path("deep/c"))")
        try retrying { rename(path("deep"), path("shallow")) }
        #expect(try peer("resolve", bookmark, user: user) == "stale \(path("shallow/c"))")
        // The inode number is free now, and the next file may get it. It is still another file.
        try retrying { unlink(path("shallow/c")) }
        try folder.file("next")
        #expect(try peer("resolve", bookmark, user: user) == "error \(CocoaError.Code.fileNoSuchFile.rawValue)")
    }
}
