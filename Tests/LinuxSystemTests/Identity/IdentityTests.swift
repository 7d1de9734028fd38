import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct IdentityTests {
    @Test func aHandleStaysWithItsFileAndIsNeverThatOfAnother() throws {
        let folder = try TestFolder()
        let file = try folder.file("a")
        // Some file systems have no file handles.
        guard let handle = try? file.kernelHandle() else { return }
        try retrying { renameat(folder.descriptor.rawValue, "a", folder.descriptor.rawValue, "b") }
        #expect(try folder.descriptor.open("b", [.pathOnly, .noFollow]).kernelHandle() == handle)
        try retrying { unlinkat(folder.descriptor.rawValue, "b", 0) }
        #expect(try folder.file("c").kernelHandle() != handle)
    }

    @Test func aFileIsOpenedByItsHandleWithPrivilegeOnly() throws {
        let folder = try TestFolder()
        let file = try folder.file("a")
        guard let handle = try? file.kernelHandle() else { return }
        if let found = try? folder.descriptor.open(handle, .pathOnly) {
            #expect(try found.status().identity == file.status().identity)
        } else {
            #expect(throws: Errno.notPermitted) { try folder.descriptor.open(handle, .pathOnly) }
        }
        let longer = KernelFileHandle(type: handle.type, bytes: [UInt8](repeating: 1, count: 200))
        #expect(throws: Errno.self) { try folder.descriptor.open(longer, .pathOnly) }
    }

    @Test func aDescriptorOfThePathKnowsBirthAndFileSystem() throws {
        let folder = try TestFolder()
        let file = try folder.file("a")
        let path = try folder.descriptor.open("a", [.pathOnly, .noFollow])
        #expect(path.birthTime == file.birthTime)
        #expect(path.fileSystemIdentifier == folder.descriptor.fileSystemIdentifier)
    }

    @Test func anOpenFileGetsOneMoreName() throws {
        let folder = try TestFolder()
        let file = try folder.file("a")
        let name = try #require(FileName("b"))
        try file.link(into: folder.descriptor, as: name)
        #expect(try folder.status("b").identity == file.status().identity)
        #expect(throws: Errno.fileExists) { try file.link(into: folder.descriptor, as: name) }
    }

    @Test func theListingKnowsInodes() throws {
        let folder = try TestFolder()
        let file = try folder.file("a")
        let entries = try folder.descriptor.open(".", [.readOnly, .directory]).entries()
        #expect(try entries.map(\.inode) == [file.status().identity.inode])
    }

    @Test func aPathIsTranslatedThroughTheMountThatItLiesOn() throws {
        let table = MountTable(
            text: """
                22 1 8:1 / / rw - ext4 /dev/sda1 rw
                30 22 8:17 /home /srv/my\\040files rw - ext4 /dev/sdb1 rw
                31 22 259:262 / /srv rw - xfs /dev/x rw
                broken
                """)
        #expect(table.mounts.count == 3)
        let mount = try #require(table.mount(of: "/srv/my files/a/b"))
        #expect(mount.inside("/srv/my files/a/b") == "/home/a/b")
        #expect(mount.path(of: "/home/a/b") == "/srv/my files/a/b")
        #expect(mount.path(of: "/homes/a") == nil)
        #expect(table.mount(of: "/srvx")?.point == "/")
        #expect(table.mount(of: "/srv")?.point == "/srv")
        let device = try FileStatus.of("/").identity.device
        #expect(try MountTable.current().mounts.isEmpty == false && device != 0)
    }
}
