import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct FolderIdentityTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func rename(_ old: String, _ new: String) throws {
        try retrying { renameat(folder.descriptor.rawValue, old, folder.descriptor.rawValue, new) }
    }

    @Test func aFolderKeepsItsIdentityUnderAnotherName() throws {
        let made = try folder.folder("a")
        let identity = try FolderIdentity(of: made)
        try folder.file("a/file")
        try rename("a", "b")
        let found = try FileDescriptor.openFolder(withoutLinks: folder.path + "/b")
        #expect(try FolderIdentity(of: found) == identity)
        #expect(try FolderIdentity(of: found).isSame(as: identity.bytes))
    }

    @Test func anotherFolderAtThePathHasAnother() throws {
        let identity = try FolderIdentity(of: try folder.folder("a"))
        try retrying { unlinkat(folder.descriptor.rawValue, "a", AT_REMOVEDIR) }
        // The file system may give the same inode again, but the clock has moved on.
        usleep(20_000)
        #expect(try !FolderIdentity(of: try folder.folder("a")).isSame(as: identity.bytes))
        let memory = try TestFolder(in: "/dev/shm")
        #expect(try !FolderIdentity(of: memory.descriptor).isSame(as: identity.bytes))
    }

    @Test func anIdentityFromAnOlderKernelIsEnough() throws {
        let identity = try FolderIdentity(of: folder.descriptor)
        let text = String(decoding: identity.bytes, as: UTF8.self)
        var parts = text.split(separator: "/", omittingEmptySubsequences: false)
        for text in ["", "0123456789abcdef"] where text.count != parts[0].count {
            parts[0] = Substring(text)
            #expect(identity.isSame(as: Array(parts.joined(separator: "/").utf8)))
        }
        parts[2] = "1"
        #expect(!identity.isSame(as: Array(parts.joined(separator: "/").utf8)))
        #expect(!identity.isSame(as: []))
    }

    @Test func noLinkIsFollowedOnTheWayToAFolder() throws {
        try folder.folder("a")
        try folder.folder("a/b")
        try folder.link("link", to: "a")
        try folder.link("a/up", to: "..")
        try folder.file("file")
        let found = try FileDescriptor.openFolder(withoutLinks: folder.path + "//a/b/")
        #expect(try found.status().identity == folder.status("a/b").identity)
        for path in ["link", "link/b", "a/up", "a/up/a", "file", "file/b", "none", "a/../a"] {
            #expect(throws: Errno.self, "\(path)") {
                try FileDescriptor.openFolder(withoutLinks: folder.path + "/" + path)
            }
        }
        #expect(throws: Errno.invalidArgument) { try FileDescriptor.openFolder(withoutLinks: "a") }
    }
}
