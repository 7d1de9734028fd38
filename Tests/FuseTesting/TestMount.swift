package import FileTesting
package import Fuse
import Glibc
import LinuxSystem

/// A file system that is mounted for one test. It is unmounted when this object is released.
package final class TestMount {
    package let folder: TestFolder
    package let files: MemoryFileSystem
    package let session: Session
    /// The path of the mount point.
    package let path: String

    package init(
        _ files: MemoryFileSystem = MemoryFileSystem(), _ configure: (inout MountOptions) -> Void = { _ in }
    ) throws {
        let folder = try TestFolder()
        let path = folder.path + "/mount"
        try retrying { mkdir(path, 0o700) }
        self.folder = folder
        self.path = path
        self.files = files
        var options = MountOptions(name: "memory", subtype: "test")
        configure(&options)
        session = try Session.mount(at: path, options: options, files)
    }

    deinit {
        session.unmount(aborting: true)
        session.waitForEnd()
    }

    /// Whether tests that mount must run. If mounting is not possible, they run only under CI, where they then fail.
    package static var isWanted: Bool {
        Requirement.isEnforced || access("/dev/fuse", R_OK | W_OK) == 0 && geteuid() == 0
    }
}
