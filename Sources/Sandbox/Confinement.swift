import CSandbox
import LinuxSystem

/// The limits of a program that the kernel enforces: access to the file system, the network and other processes, and
/// the amount of memory.
///
/// Namespaces hide everything that is not in ``paths``: files, processes, network interfaces and IPC objects. Landlock
/// (files, TCP, abstract sockets, signals) refuses other accesses. If the system does not permit namespaces, Landlock
/// is the only protection of this kind. seccomp allows only the system calls that Swift's runtime, Foundation, libcurl
/// and libvips need. It prevents new processes, sockets with names, changes of modes, owners, times and attributes of
/// files, and memory that no limit counts. The program has no capabilities, gets no new privileges, and has resource
/// limits. See namespaces(7), landlock(7), seccomp(2), capabilities(7), setrlimit(2).
///
/// Modes, owners, times and attributes cannot be changed inside of the container either. On older kernels, Landlock's
/// rules for paths do not cover these changes, and a filter of system calls cannot permit them for some paths only.
package struct Confinement: Sendable {
    /// The permitted uses of a path and of everything beneath it.
    package struct Access: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let read = Access(rawValue: CSANDBOX_ACCESS_READ.rawValue)
        package static let execute = Access(rawValue: CSANDBOX_ACCESS_EXECUTE.rawValue)
        /// Creation, change and removal of files, except device files.
        package static let write = Access(rawValue: CSANDBOX_ACCESS_WRITE.rawValue)
        /// Change of the contents of existing files, and nothing else.
        package static let change = Access(rawValue: CSANDBOX_ACCESS_CHANGE.rawValue)
        /// A condition: the path is left out if it contains a symbolic link.
        package static let withoutLinks = Access(rawValue: CSANDBOX_ACCESS_WITHOUT_LINKS.rawValue)
    }

    /// The only paths that the program can access. A path is left out if it does not exist at the start, or if its
    /// links form a cycle.
    package var paths: [(path: String, access: Access)] = []
    /// The directory that the program starts in.
    package var workingFolder: String
    /// Whether the program may use the internet.
    package var network = false
    /// The limit of private memory, in bytes. Beyond it, allocations fail, and a Swift program ends.
    package var memory: UInt64 = 512 << 20
    /// The largest size, in bytes, of a file that the program writes, on disk or in memory. Beyond it, writing fails.
    package var fileSize: UInt64 = 4 << 30
    /// The maximum number of open descriptors.
    package var descriptors: UInt64 = 1024
    /// The maximum number of concurrent threads. The kernel enforces it only in a user namespace, and not for root.
    package var threads: UInt64 = 1024

    /// The descriptor number that the program's local socket must have, if ``PassedDisplay`` supplies the connection to
    /// a display; `nil` if the program may not create local sockets.
    package var localSocket: CInt?

    /// The layers to use. Only tests use fewer layers than the system supports.
    package var layers = Layers.wanted
    /// The control group that the program joins, represented by a descriptor of its `cgroup.procs`.
    package var controlGroup: FileDescriptor?

    package init(workingFolder: String) {
        self.workingFolder = workingFolder
    }
}

/// The reason why a confined program did not start.
package struct ConfinementError: Error, CustomStringConvertible {
    /// The step that failed.
    package let step: String
    package let errno: Errno

    package var description: String { "\(step): \(errno)" }

    /// Whether the control group could not be joined.
    package let isOfControlGroup: Bool

    init(_ stage: CInt, _ errno: Errno) {
        self.errno = errno
        isOfControlGroup = stage == CInt(bitPattern: CSANDBOX_STAGE_CONTROL_GROUP.rawValue)
        step =
            switch UInt32(bitPattern: stage) {
            case CSANDBOX_STAGE_FORK.rawValue: "a process cannot be made"
            case CSANDBOX_STAGE_RULES.rawValue: "the rules for its files cannot be made"
            case CSANDBOX_STAGE_DESCRIPTORS.rawValue: "its descriptors cannot be put in place"
            case CSANDBOX_STAGE_LIMITS.rawValue: "its resources cannot be limited"
            case CSANDBOX_STAGE_LANDLOCK.rawValue: "its files cannot be confined"
            case CSANDBOX_STAGE_FILTER.rawValue: "its system calls cannot be filtered"
            case CSANDBOX_STAGE_DIRECTORY.rawValue: "its folder cannot be entered"
            case CSANDBOX_STAGE_NAMESPACES.rawValue: "its namespaces cannot be made"
            case CSANDBOX_STAGE_CAPABILITIES.rawValue: "its capabilities cannot be dropped"
            case CSANDBOX_STAGE_CONTROL_GROUP.rawValue: "its control group cannot be joined"
            case CSANDBOX_STAGE_ROOT.rawValue: "its root directory cannot be made"
            default: "the program cannot be run"
            }
    }
}
