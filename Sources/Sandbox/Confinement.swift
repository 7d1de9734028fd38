import CSandbox
import LinuxSystem

/// The limits that the kernel keeps a program within: what it reaches of the file system, the network, other processes,
/// and how much memory it takes.
///
/// Namespaces make absent what is not in ``paths``: files, processes, the network and its interfaces, objects of IPC.
/// Landlock (files, TCP, abstract sockets, signals) refuses the rest, and all of it where the system permits no
/// namespaces. seccomp allows the system calls that Swift's runtime, Foundation, libcurl and libvips need, and no
/// other: no processes, no sockets with names, no modes, owners, times or attributes of files, no memory that is
/// counted nowhere. The program has no capabilities, gets no new privileges, and has resource limits. See
/// namespaces(7), landlock(7), seccomp(2), capabilities(7), setrlimit(2).
///
/// Modes, owners, times and attributes cannot be changed inside of the container either: older kernels' rules for paths
/// do not cover them, and a filter sees no paths.
package struct Confinement: Sendable {
    /// The ways in which a path, with everything beneath it, may be used.
    package struct Access: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let read = Access(rawValue: CSANDBOX_ACCESS_READ.rawValue)
        package static let execute = Access(rawValue: CSANDBOX_ACCESS_EXECUTE.rawValue)
        /// Creating, changing and removing files, but not device files.
        package static let write = Access(rawValue: CSANDBOX_ACCESS_WRITE.rawValue)
        /// Changing the contents of files that exist, and nothing else.
        package static let change = Access(rawValue: CSANDBOX_ACCESS_CHANGE.rawValue)
        /// A condition: the path is left out if there is a symbolic link on the way to it.
        package static let withoutLinks = Access(rawValue: CSANDBOX_ACCESS_WITHOUT_LINKS.rawValue)
    }

    /// The only paths that the program reaches. One that does not exist at the start, or leads in a circle, is left
    /// out.
    package var paths: [(path: String, access: Access)] = []
    /// The directory that the program starts in.
    package var workingFolder: String
    /// Whether the program may use the internet.
    package var network = false
    /// The limit of private memory, in bytes. Beyond it, allocations fail, and a Swift program ends.
    package var memory: UInt64 = 512 << 20
    /// The largest size, in bytes, of a file that the program writes, on disk or in memory. Beyond it, writing fails.
    package var fileSize: UInt64 = 4 << 30
    /// The number of descriptors that may be open at one time.
    package var descriptors: UInt64 = 1024
    /// The number of threads at one time. The kernel counts them in a user namespace only, and not for root.
    package var threads: UInt64 = 1024

    /// The number that a local socket of the program's gets if ``PassedDisplay`` answers for a display; `nil` if the
    /// program may create none.
    package var localSocket: CInt?

    /// The layers to use; fewer than the system has only in tests.
    package var layers = Layers.wanted
    /// The control group that the program joins, as a descriptor of its `cgroup.procs`.
    package var controlGroup: FileDescriptor?

    package init(workingFolder: String) {
        self.workingFolder = workingFolder
    }
}
