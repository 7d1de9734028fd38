import Glibc
import LinuxSystem

/// The kernel's caches of files. Only root can drop them; other users measure with warm caches.
enum KernelCaches {
    /// Drops the page cache. The size of its folios depends on how a file was written: reading pages that were written
    /// one by one takes three times as long. After this call, all files are read from the disk in the same way.
    static func forgetPages() { forget("1\n") }

    static func forgetNames() { forget("2\n") }

    private static func forget(_ what: String) {
        // Dirty pages cannot be dropped.
        sync()
        guard let switches = try? FileDescriptor.open("/proc/sys/vm/drop_caches", [.writeOnly]) else { return }
        try? Array(what.utf8).withUnsafeBytes { try switches.writeAll($0) }
    }
}
