import Glibc
import LinuxSystem

/// What the kernel remembers of files, which only root can make it forget; everybody else measures with it.
enum KernelCaches {
    /// How large the pieces are in which it keeps a file's pages depends on how that was written, and reading from pages that
    /// were written one by one takes three times as long. After this they are read from the disk, all files' in the same way.
    static func forgetPages() { forget("1\n") }

    static func forgetNames() { forget("2\n") }

    private static func forget(_ what: String) {
        // What is not on the disk yet cannot be forgotten.
        sync()
        guard let switches = try? FileDescriptor.open("/proc/sys/vm/drop_caches", [.writeOnly]) else { return }
        try? Array(what.utf8).withUnsafeBytes { try switches.writeAll($0) }
    }
}
