import CLinux
import FileTesting
import Fuse
import FuseTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests of every operation by system calls on real mounts.
@Suite(.ownThreads, .enabled(if: TestMount.isWanted)) struct MountTests {
    private func contents(_ path: String) throws -> [UInt8] {
        try FileDescriptor.open(path, .readOnly).readToEnd(limit: 64 << 20)
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = try FileDescriptor.open(path, [.writeOnly, .create, .truncate])
        try bytes.withUnsafeBytes { try file.writeAll($0) }
    }

    private func names(_ path: String) throws -> [String] {
        try FileDescriptor.open(path, [.readOnly, .directory]).entries().map(\.name.description).sorted()
    }

    @Test(arguments: [MemoryFileSystem.Way.cached, .keeping, .direct, .passthrough])
    func filesAreWrittenAndReadInEveryWay(_ way: MemoryFileSystem.Way) throws {
        let mount = try TestMount(MemoryFileSystem(way)) { $0.wantsPassthrough = true }
        let path = mount.path + "/file"
        let bytes = pattern(3_000_001)
        try write(bytes, to: path)
        #expect(try contents(path) == bytes)
        let file = try FileDescriptor.open(path, .readWrite)
        try Array("middle".utf8).withUnsafeBytes { try file.writeAll($0, at: 1_000_000) }
        try file.truncate(to: 2_000_000)
        var expected = Array(bytes[..<2_000_000])
        expected.replaceSubrange(1_000_000..<1_000_006, with: Array("middle".utf8))
        #expect(try contents(path) == expected)
        #expect(try file.status().size == 2_000_000)
        // The file is also mapped.
        if way != .direct {
            let address = mmap(nil, 2_000_000, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0)
            let mapped = try #require(address != MAP_FAILED ? address : nil)
            #expect(UnsafeRawBufferPointer(start: mapped, count: 2_000_000).elementsEqual(expected))
            mapped.storeBytes(of: 0x5A, toByteOffset: 10, as: UInt8.self)
            #expect(msync(mapped, 2_000_000, MS_SYNC) == 0)
            munmap(mapped, 2_000_000)
            expected[10] = 0x5A
            #expect(try contents(path) == expected)
        }
        // Passthrough requests do not reach the file system.
        if way == .passthrough { #expect(mount.files.calls("read") == 0 && mount.files.calls("write") == 0) }
        // The file is appended to, and truncated by an open.
        let appended = try FileDescriptor.open(path, [.writeOnly, .append])
        try Array("end".utf8).withUnsafeBytes { try appended.writeAll($0) }
        #expect(try contents(path) == expected + Array("end".utf8))
        _ = try FileDescriptor.open(path, [.writeOnly, .truncate])
        #expect(try contents(path).isEmpty)
    }

    @Test func foldersLinksAndNamesAreMadeAndRemoved() throws {
        let mount = try TestMount()
        let path = mount.path
        #expect(mkdir(path + "/folder", 0o750) == 0)
        #expect(try FileStatus.of(path + "/folder").kind == .directory)
        #expect(mkdir(path + "/folder", 0o750) == -1 && errno == EEXIST)
        try write([1, 2, 3], to: path + "/folder/file")
        #expect(symlink("folder/file", path + "/link") == 0)
        #expect(try contents(path + "/link") == [1, 2, 3])
        var target = [CChar](repeating: 0, count: 100)
        #expect(readlink(path + "/link", &target, 100) == 11)
        #expect(link(path + "/folder/file", path + "/second") == 0)
        #expect(try FileStatus.of(path + "/second").linkCount == 2)
        #expect(mkfifo(path + "/pipe", 0o600) == 0)
        #expect(try FileStatus.of(path + "/pipe").kind == .fifo)
        #expect(try names(path) == ["folder", "link", "pipe", "second"])

        #expect(rmdir(path + "/folder") == -1 && errno == ENOTEMPTY)
        #expect(unlink(path + "/folder") == -1 && errno == EISDIR)
        #expect(unlink(path + "/folder/file") == 0)
        #expect(rmdir(path + "/folder") == 0)
        #expect(unlink(path + "/nothing") == -1 && errno == ENOENT)
        #expect(try names(path) == ["link", "pipe", "second"])
        // Names may have any bytes.
        let odd: [CChar] = (Array((path + "/").utf8) + [0xFF, 0xFE, 0]).map { CChar(bitPattern: $0) }
        #expect(mkdir(odd, 0o700) == 0)
        #expect(rmdir(odd) == 0)
        let long = path + "/" + String(repeating: "n", count: 255)
        #expect(mkdir(long, 0o700) == 0)
    }

    @Test func renamingReplacesRefusesAndExchanges() throws {
        let mount = try TestMount()
        let path = mount.path
        try write([1], to: path + "/one")
        try write([2], to: path + "/two")
        #expect(mkdir(path + "/folder", 0o700) == 0)
        func rename(_ from: String, _ to: String, _ flags: UInt32) -> CInt {
            clinux_renameat2(AT_FDCWD, path + "/" + from, AT_FDCWD, path + "/" + to, flags)
        }
        #expect(rename("one", "two", clinux_rename_noreplace) == -1 && errno == EEXIST)
        #expect(rename("one", "two", clinux_rename_exchange) == 0)
        #expect(try contents(path + "/one") == [2])
        #expect(try contents(path + "/two") == [1])
        #expect(rename("one", "folder/three", clinux_rename_noreplace) == 0)
        #expect(try contents(path + "/folder/three") == [2])
        #expect(rename("two", "folder/three", 0) == 0)
        #expect(try contents(path + "/folder/three") == [1])
        #expect(try names(path) == ["folder"])
        #expect(rename("folder", "nothing", clinux_rename_exchange) == -1 && errno == ENOENT)
    }

    @Test func anOpenFileThatWasRemovedStaysReadable() throws {
        let mount = try TestMount()
        let path = mount.path + "/file"
        try write([1, 2, 3], to: path)
        let before = mount.files.nodeCount
        do {
            let file = try FileDescriptor.open(path, .readWrite)
            #expect(unlink(path) == 0)
            #expect(try file.everything() == [1, 2, 3])
            try file.overwrite([9], at: 3)
            #expect(try file.status().size == 4)
            #expect(try file.status().linkCount == 0)
        }
        // The kernel forgets the node once it is closed.
        try eventually { mount.files.nodeCount < before }
    }

    @Test func attributesAreChanged() throws {
        let mount = try TestMount()
        let path = mount.path + "/file"
        try write([1, 2, 3], to: path)
        #expect(chmod(path, 0o640) == 0)
        #expect(chown(path, 12, 34) == 0)
        var times = [timespec(tv_sec: 100, tv_nsec: 200), timespec(tv_sec: -300, tv_nsec: 400)]
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
        let status = try FileStatus.of(path)
        #expect(status.permissions == 0o640 && status.owner == 12 && status.size == 3)
        #expect(status.accessed.tv_sec == 100 && status.accessed.tv_nsec == 200)
        #expect(status.modified.tv_sec == -300 && status.modified.tv_nsec == 400)
        times = [timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2), timespec(tv_sec: 0, tv_nsec: (1 << 30) - 1)]
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
        #expect(try FileStatus.of(path).modified.tv_sec > 1_000_000_000)
        #expect(try FileStatus.of(path).accessed.tv_sec == 100)
        #expect(truncate(path, 10) == 0)
        #expect(try contents(path) == [1, 2, 3, 0, 0, 0, 0, 0, 0, 0])
        #expect(truncate(path, -1) == -1 && errno == EINVAL)
    }

    @Test func extendedAttributesAreMeasuredReadAndRefused() throws {
        let mount = try TestMount()
        let path = mount.path + "/file"
        try write([], to: path)
        let file = try FileDescriptor.open(path, .readWrite)
        #expect(clinux_fsetxattr(file.rawValue, "user.one", "value", 5, 2) == -1 && errno == ENODATA)
        #expect(clinux_fsetxattr(file.rawValue, "user.one", "value", 5, 1) == 0)
        #expect(clinux_fsetxattr(file.rawValue, "user.one", "value", 5, 1) == -1 && errno == EEXIST)
        #expect(clinux_fsetxattr(file.rawValue, "user.two", "", 0, 0) == 0)
        var value = [UInt8](repeating: 0, count: 10)
        #expect(clinux_fgetxattr(file.rawValue, "user.one", nil, 0) == 5)
        #expect(clinux_fgetxattr(file.rawValue, "user.one", &value, 3) == -1 && errno == ERANGE)
        #expect(clinux_fgetxattr(file.rawValue, "user.one", &value, 10) == 5)
        #expect(value.prefix(5).elementsEqual("value".utf8))
        #expect(clinux_fgetxattr(file.rawValue, "user.two", &value, 10) == 0)
        #expect(clinux_fgetxattr(file.rawValue, "user.none", &value, 10) == -1 && errno == ENODATA)
        var list = [CChar](repeating: 0, count: 100)
        #expect(clinux_flistxattr(file.rawValue, nil, 0) == 18)
        #expect(clinux_flistxattr(file.rawValue, &list, 10) == -1 && errno == ERANGE)
        #expect(clinux_flistxattr(file.rawValue, &list, 100) == 18)
        #expect(clinux_fremovexattr(file.rawValue, "user.one") == 0)
        #expect(clinux_fremovexattr(file.rawValue, "user.one") == -1 && errno == ENODATA)
    }

    @Test func holesAreMadeFoundAndRangesCopied() throws {
        let mount = try TestMount()
        let file = try FileDescriptor.open(mount.path + "/file", [.readWrite, .create])
        try file.overwrite([UInt8](repeating: 7, count: 65536), at: 0)
        #expect(clinux_fallocate(file.rawValue, 3, 8192, 8192) == 0)
        #expect(lseek(file.rawValue, 0, clinux_seek_hole) == 8192)
        #expect(lseek(file.rawValue, 8192, clinux_seek_data) == 16384)
        #expect(lseek(file.rawValue, 65536, clinux_seek_data) == -1 && errno == ENXIO)
        #expect(clinux_fallocate(file.rawValue, 0, 65536, 1000) == 0)
        #expect(try file.status().size == 66536)
        let copy = try FileDescriptor.open(mount.path + "/copy", [.readWrite, .create])
        var from: Int64 = 4096
        var to: Int64 = 10
        #expect(clinux_copy_file_range(file.rawValue, &from, copy.rawValue, &to, 8192) == 8192)
        #expect(mount.files.calls("copyFileRange") > 0)
        #expect(
            try copy.everything()
                == [UInt8](repeating: 0, count: 10) + [UInt8](repeating: 7, count: 4096)
                + [UInt8](repeating: 0, count: 4096))
    }

    @Test func synchronizingFlushingAndStatisticsReachTheFileSystem() throws {
        let mount = try TestMount()
        do {
            let file = try FileDescriptor.open(mount.path + "/file", [.readWrite, .create])
            #expect(fsync(file.rawValue) == 0 && fdatasync(file.rawValue) == 0)
        }
        #expect(mount.files.calls("fsync") == 1 && mount.files.calls("fdatasync") == 1)
        // A program that another test starts inherits the file until it executes, and its close is another flush.
        #expect(mount.files.calls("flush") >= 1)
        try eventually { mount.files.calls("release") == 1 }
        let folder = try FileDescriptor.open(mount.path, [.readOnly, .directory])
        #expect(fsync(folder.rawValue) == 0)
        #expect(mount.files.calls("folder fsync") == 1)
        var statistics = statvfs()
        #expect(statvfs(mount.path, &statistics) == 0)
        #expect(statistics.f_blocks == 1000 && statistics.f_bavail == 400 && statistics.f_namemax == 255)
    }

    @Test(arguments: [true, false]) func aLargeFolderIsListedWholeOnceEach(withAttributes: Bool) throws {
        let files = MemoryFileSystem()
        let count = 5000
        try files.addMany((0..<count).map { Name("file with a name \($0)") })
        let mount = try TestMount(files) { $0.listsWithAttributes = withAttributes }
        let names = try names(mount.path)
        #expect(names.count == count && Set(names).count == count)
        let folder = try FileDescriptor.open(mount.path, [.readOnly, .directory])
        #expect(try folder.entries().allSatisfy { $0.kind == .regular })
        for index in [0, 1, count - 1] {
            #expect(try FileStatus.of(mount.path + "/file with a name \(index)").size == 0)
        }
    }

    @Test func locksComeToTheFileSystemOnlyIfItServesThem() throws {
        for serves in [true, false] {
            let mount = try TestMount {
                $0.servesLocks = serves
                $0.servesWholeFileLocks = serves
            }
            let path = mount.path + "/file"
            let first = try FileDescriptor.open(path, [.readWrite, .create])
            do {
                let second = try FileDescriptor.open(path, .readWrite)
                #expect(clinux_try_lock(second.rawValue) == 0)
                #expect(clinux_try_lock(first.rawValue) == -1 && errno == EWOULDBLOCK)
            }
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            // The kernel notifies the file system of the other descriptor's close, which releases its lock, some time
            // after it.
            var looks = 0
            while fcntl(first.rawValue, F_SETLK, &lock) != 0, looks < 6_000 {
                looks += 1
                usleep(10_000)
            }
            #expect(looks < 6_000)
            #expect((mount.files.calls("flock") > 0) == serves && (mount.files.calls("lock") > 0) == serves)
        }
    }

    @Test func unknownOperationsFailAsInOtherFileSystems() throws {
        final class Bare: FileSystem {
            func attributes(of node: NodeID, handle: UInt64?, _ reply: Reply<AttributesReply>) {
                reply.reply(AttributesReply(Attributes(node: node, mode: S_IFDIR | 0o755)))
            }
        }
        let folder = try TestFolder()
        let session = try Session.mount(at: folder.path, options: MountOptions(name: "bare"), Bare())
        defer {
            session.unmount(aborting: true)
            session.waitForEnd()
        }
        #expect(try FileStatus.of(folder.path).kind == .directory)
        #expect(mkdir(folder.path + "/folder", 0o700) == -1)
        var statistics = statvfs()
        #expect(statvfs(folder.path, &statistics) == 0)
        let opened = try FileDescriptor.open(folder.path, [.readOnly, .directory])
        var size = winsize()
        #expect(ioctl(opened.rawValue, UInt(TIOCGWINSZ), &size) == -1 && errno == ENOTTY)
    }

    @Test func readOnlyMountsRefuseChanges() throws {
        let files = MemoryFileSystem()
        try files.add("file", [1])
        let mount = try TestMount(files) { $0.isReadOnly = true }
        #expect(throws: Errno(rawValue: EROFS)) { try FileDescriptor.open(mount.path + "/file", .readWrite) }
        #expect(try contents(mount.path + "/file") == [1])
    }
}
