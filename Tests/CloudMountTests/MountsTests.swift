import CloudMount
import FileProvider
import FileProviderEngine
import FileTesting
import Foundation
import LinuxSystem
import ProgramTesting
import ProviderTesting
import TestThreads
import Testing

@Suite(.ownThreads, .enabled(if: canMount))
struct MountsTests {
    private func engine(in folder: TestFolder) throws -> DomainEngine {
        let provider = MemoryProvider()
        provider.addFile("File", "text")
        return try DomainEngine(
            configuration: DomainConfiguration(
                identifier: "test", displayName: "Test", dataFolder: folder.path + "/data",
                cacheFolder: folder.path + "/cache"), provider: provider)
    }

    @Test func aFolderWithSomethingInItIsNotHidden() async throws {
        let folder = try TestFolder()
        let engine = try engine(in: folder)
        try folder.folder("mount")
        try folder.file("mount/Important")
        let mounts = Mounts()
        do {
            try mounts.mount(engine, at: folder.path + "/mount")
            Issue.record("it was mounted")
        } catch {
            guard case .folderIsNotEmpty = error else { throw error }
        }
        guard case .failed? = mounts.states["test"] else {
            Issue.record("the failure is not shown")
            return
        }
        #expect(try folder.names("mount") == ["Important"])
        await engine.close()
    }

    @Test func twoDomainsAreNotMountedOnEachOther() async throws {
        let (folder, otherFolder) = (try TestFolder(), try TestFolder())
        let (engine, other) = (try engine(in: folder), try self.engine(in: otherFolder))
        let path = folder.path + "/mount"
        let (mounts, otherMounts) = (Mounts(), Mounts())
        try mounts.mount(engine, at: path)
        do {
            try otherMounts.mount(other, at: path)
            Issue.record("it was mounted")
        } catch {
            guard case .folderIsMounted = error else { throw error }
            #expect(error.description.contains(path))
        }
        #expect(try FileDescriptor.open(path + "/File", .readOnly).everything() == Array("text".utf8))
        mounts.unmountAll()
        try otherMounts.mount(other, at: path)
        otherMounts.unmountAll()
        await engine.close()
        await other.close()
    }

    @Test func domainsAreUnmountedAndMountedAgain() async throws {
        let folder = try TestFolder()
        let engine = try engine(in: folder)
        let path = folder.path + "/Purvey/Test"
        let mounts = Mounts()
        for _ in 0..<3 {
            try mounts.mount(engine, at: path)
            guard case .mounted(path)? = mounts.states["test"] else {
                Issue.record("it is not mounted")
                return
            }
            #expect(try FileDescriptor.open(path + "/File", .readOnly).everything() == Array("text".utf8))
            mounts.unmountAll()
            #expect(mounts.states.isEmpty)
            #expect(try folder.names("Purvey").isEmpty)
        }
        await engine.close()
    }

    @Test func aMountThatIsUnmountedElsewhereIsKnownToHaveEnded() async throws {
        let folder = try TestFolder()
        let engine = try engine(in: folder)
        let path = folder.path + "/mount"
        let mounts = Mounts()
        try mounts.mount(engine, at: path)
        _ = try start("umount", path).waitForEnd()
        for _ in 0..<60_000 {
            if case .unmounted(path)? = mounts.states["test"] { break }
            usleep(5_000)
        }
        guard case .unmounted? = mounts.states["test"] else {
            Issue.record("it counts as mounted")
            return
        }
        try mounts.mount(engine, at: path)
        #expect(try FileDescriptor.open(path + "/File", .readOnly).everything() == Array("text".utf8))
        mounts.unmountAll()
        await engine.close()
    }

    @Test func inodesAreTheSameInTheNextMount() async throws {
        let folder = try TestFolder()
        let path = folder.path + "/mount"
        var inodes: [UInt64] = []
        for _ in 0..<2 {
            let engine = try engine(in: folder)
            let mounts = Mounts()
            try mounts.mount(engine, at: path)
            inodes.append(try FileStatus.of(path + "/File").identity.inode)
            mounts.unmountAll()
            await engine.close()
        }
        #expect(inodes[0] == inodes[1])
    }
}
