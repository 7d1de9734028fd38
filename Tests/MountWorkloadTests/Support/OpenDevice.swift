import FileTesting
import Glibc
import LinuxSystem
import Testing

/// A view of the machine in which every user may open `/dev/fuse`, as on a desktop: a mount namespace that exists for
/// as long as this object. Requires root.
final class OpenDevice {
    private let holder: ChildProgram
    /// A pipe whose close ends the holder, even if this process is killed.
    private let leash: FileDescriptor

    init(in folder: TestFolder) throws {
        let device = folder.path + "/device"
        try folder.folder("device")
        let (theirs, ours) = try FileDescriptor.pipe()
        leash = ours
        let script = """
            mount -t tmpfs tmpfs "$0"
            mknod -m 666 "$0/fuse" c 10 229
            mount --bind "$0/fuse" /dev/fuse
            touch "$1"
            exec cat
            """
        holder = try ChildProgram.start(
            "/usr/bin/unshare", arguments: ["--mount", "/bin/sh", "-euc", script, device, folder.path + "/ready"],
            descriptors: [theirs, nil, nil])
        for _ in 0..<30_000 where access(folder.path + "/ready", F_OK) != 0 { usleep(10_000) }
        try #require(access(folder.path + "/ready", F_OK) == 0)
    }

    /// The words of a command that runs a program in this view; the program's own words follow.
    var words: [String] { ["/usr/bin/nsenter", "--mount", "--target=\(holder.processID)", "--"] }

    deinit {
        kill(holder.processID, SIGKILL)
        _ = try? holder.wait()
    }
}
