import Exchange
import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite struct FullDiskTests {
    /// Whether this process may mount a small file system. Otherwise the tests that need one cannot run.
    static let canMount = getuid() == 0 && SmallDisk.works
    private static let mayBeSkipped = getenv("CI") == nil || getuid() != 0

    @Test(.enabled(if: canMount || !mayBeSkipped, "only root can mount a small file system"))
    func aFullDiskFailsTheLoadAndLeavesNothing() async throws {
        try await PrivateDaemon.run { daemon in
            let loads = daemon.home + "/data/loads"
            let disk = try SmallDisk(at: loads, megabytes: 2)
            defer { disk.unmount() }
            let file = daemon.work + "/large.png"
            try pattern(8 << 20).write(to: URL(fileURLWithPath: file))
            let provider = try daemon.peer()
            _ = try await provider.ask("offer board file public.png \(file)", "offered")
            _ = try await provider.ask("offer data data public.png \(8 << 20)", "offered")
            let consumer = try daemon.peer()
            for board in ["board", "data"] {
                let failure = try await consumer.ask("load \(board) public.png copy", "failed")
                #expect(
                    failure.contains("NSItemProviderErrorDomain -1000 < NSCocoaErrorDomain 640 < NSPOSIXErrorDomain 28")
                )
                #expect(try FileManager.default.contentsOfDirectory(atPath: loads).isEmpty)
            }
            // Data is delivered through memory and needs no disk space.
            #expect(try await consumer.ask("load data public.png data", "loaded") == "data \(8 << 20)")
        }
    }
}

/// A file system that fills up quickly.
struct SmallDisk {
    let path: String

    static let works: Bool = {
        let path = TestProcess.folder + "/disk"
        guard let disk = try? SmallDisk(at: path, megabytes: 1) else { return false }
        disk.unmount()
        return true
    }()

    init(at path: String, megabytes: Int) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        chmod(path, 0o700)
        try retrying { mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m,mode=0700") }
    }

    func unmount() {
        // A lazy unmount, which open files do not prevent.
        umount2(path, CInt(MNT_DETACH))
    }
}
