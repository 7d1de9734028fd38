import CLinux
import FileTesting
import Fuse
import FuseTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests of file systems that separate processes serve.
@Suite(.ownThreads, .enabled(if: TestMount.isWanted)) struct ProcessTests {
    private func contents(_ path: String) throws -> String {
        String(decoding: try FileDescriptor.open(path, .readOnly).readToEnd(limit: 1 << 20), as: UTF8.self)
    }

    @Test func aMountWhoseServerWasKilledIsCleanedUp() throws {
        let folder = try TestFolder()
        let peer = try Peer(builtProgram("FusePeer"), [folder.path])
        #expect(try peer.line() == "ready false")
        #expect(try contents(folder.path + "/greeting") == "hello\n")
        #expect(!Session.unmountStale(at: folder.path))
        peer.kill(SIGKILL)
        #expect(try peer.program.wait() == .signalled(SIGKILL))
        #expect(throws: Errno(rawValue: ENOTCONN)) { try FileStatus.of(folder.path) }
        #expect(Session.unmountStale(at: folder.path))
        #expect(try FileStatus.of(folder.path).kind == .directory)
        #expect(!Session.unmountStale(at: folder.path))

        // A new mount cleans up by itself.
        let second = try Peer(builtProgram("FusePeer"), [folder.path])
        #expect(try second.line() == "ready false")
        second.kill(SIGKILL)
        _ = try second.program.wait()
        let files = MemoryFileSystem()
        let session = try Session.mount(at: folder.path, options: MountOptions(name: "again"), files)
        #expect(try FileStatus.of(folder.path).kind == .directory)
        session.unmount()
        session.waitForEnd()
        #expect(try folder.names().isEmpty)
    }

    @Test func aServerIsKilledWhileItTellsOfAFolderThatIsBeingListed() throws {
        let folder = try TestFolder()
        let peer = try Peer(builtProgram("FusePeer"), [folder.path])
        #expect(try peer.line() == "ready false")
        #expect(mkdir(folder.path + "/never", 0o700) == 0)
        try FileDescriptor.open(folder.path + "/never", [.readOnly, .directory]).setAttribute("user.never", "")
        let output = try FileDescriptor.open("/dev/null", .writeOnly)
        let reader = try ChildProgram.start(
            "/bin/ls", arguments: ["-f", folder.path + "/never"], descriptors: [nil, output, output])
        try peer.say()
        #expect(try peer.line() == "told")
        peer.kill(SIGKILL)
        #expect(try peer.program.wait() == .signalled(SIGKILL))
        // The end of the process ends the session, and all calls that wait for it.
        #expect(try reader.wait() == .exited(2))
        #expect(Session.unmountStale(at: folder.path))
    }

    @Test func sessionsLeaveNoDescriptorBehind() throws {
        let folder = try TestFolder()
        let peer = try Peer(builtProgram("FusePeer"), [folder.path, "repeat=10", "passthrough"])
        for _ in 0..<10 {
            #expect(try peer.line() == "ready true")
            #expect(try peer.line() == "hello")
            #expect(try peer.line() == "")
            #expect(try peer.line() == "ended true")
        }
        let counts = try peer.line().split(separator: " ").compactMap { Int($0) }
        // A library may open some descriptors once; those that a session leaves would be counted ten times.
        #expect(counts.count == 2 && counts[1] - counts[0] < 5, "\(counts)")
        #expect(try peer.program.wait() == .exited(0))
    }

    /// On machines without udev, only root may open /dev/fuse. The peer therefore sees a device that every user may
    /// open, as udev creates it.
    @Test func aUserWhoIsNotRootMountsByFusermount() throws {
        let folder = try TestFolder(in: "/var/tmp")
        try retrying { chmod(folder.path, 0o755) }
        try folder.folder("mount")
        try retrying { chown(folder.path + "/mount", 1000, 1000) }
        let script = """
            set -e
            cd '\(folder.path)'
            mount -t tmpfs -o mode=755 tmpfs /mnt
            mknod -m 666 /mnt/fuse c 10 229
            cp '\(try builtProgram("FusePeer"))' /mnt/peer
            mount --bind /mnt/fuse /dev/fuse
            exec setpriv --reuid=1000 --regid=1000 --clear-groups /mnt/peer mount check
            """
        let peer = try Peer("/usr/bin/unshare", ["-m", "/bin/sh", "-c", script])
        #expect(try peer.line() == "ready false")
        #expect(try peer.line() == "hello")
        #expect(try peer.line() == "")
        #expect(try peer.line() == "ended true")
        #expect(try peer.line().hasPrefix("descriptors"))
        #expect(try peer.program.wait() == .exited(0))
    }

    @Test func theExampleShowsAFolderInAnotherPlace() throws {
        let folder = try TestFolder()
        try folder.folder("source")
        try folder.folder("mount")
        let bytes = pattern(1_000_000)
        try folder.file("source/file", bytes)
        try folder.folder("source/folder")
        try folder.link("source/link", to: "file")
        // The same text in two Unicode normalization forms.
        try folder.file("source/caf\u{E9}", [1])
        try folder.file("source/cafe\u{301}", [2])
        let example = try Peer(builtProgram("mirror"), [folder.path + "/source", folder.path + "/mount"])
        let path = folder.path + "/mount"
        try eventually { (try? FileStatus.of(path + "/file")) != nil }
        #expect(try FileDescriptor.open(path + "/file", .readOnly).everything() == bytes)
        #expect(try FileDescriptor.open(path + "/link", .readOnly).everything() == bytes)
        #expect(
            try FileDescriptor.open(path, [.readOnly, .directory]).entries().map(\.name.description).sorted()
                == ["cafe\u{301}", "caf\u{E9}", "file", "folder", "link"])
        #expect(try FileDescriptor.open(path + "/caf\u{E9}", .readOnly).everything() == [1])
        #expect(try FileDescriptor.open(path + "/cafe\u{301}", .readOnly).everything() == [2])
        #expect(mkdir(path + "/new", 0o700) == -1 && errno == EROFS)
        example.kill(SIGINT)
        #expect(try example.program.wait() == .exited(0))
        #expect(try folder.names("mount").isEmpty)
    }

    /// If one directory contained the other, under any names, the example would send requests to itself, and wait for
    /// ever.
    @Test func theExampleDoesNotShowAFolderWithinItself() throws {
        let folder = try TestFolder()
        for path in ["source", "source/inner", "elsewhere"] { try folder.folder(path) }
        try folder.link("link", to: "source/inner")
        let pairs = [
            ("source", "source"), ("source", "source/inner"), ("source/inner", "source"), (".", "source/inner"),
            ("link", "source"), ("source", "link"), ("source/../source/inner/", "."), ("/", "elsewhere"),
        ]
        for (source, mount) in pairs {
            let paths = [source, mount].map { $0.hasPrefix("/") ? $0 : folder.path + "/" + $0 }
            let example = try Peer(builtProgram("mirror"), paths)
            let line = try example.line()
            #expect(line.hasPrefix("mirror: ") && line.contains("one of them lies within the other"), "\(line)")
            #expect(try example.program.wait() == .exited(1))
        }
        #expect(try !MountTable.current().mounts.contains { $0.point.hasPrefix(folder.path) })
    }

    @Test func theExampleSaysInALineWhatItCannotMountOn() throws {
        let folder = try TestFolder()
        try folder.folder("source")
        try folder.file("file", [1])
        let faults = [
            ("source", "file", "Not a directory"), ("source", "nothing", "No such file"),
            ("file", "source", "Not a directory"), ("nothing", "source", "No such file"),
        ]
        for (source, mount, words) in faults {
            let example = try Peer(builtProgram("mirror"), [source, mount].map { folder.path + "/" + $0 })
            let line = try example.line()
            #expect(line.hasPrefix("mirror: ") && line.contains(words), "\(line)")
            #expect(try example.line() == "(end)")
            #expect(try example.program.wait() == .exited(1))
        }
        #expect(try folder.content("file") == [1])
    }
}
