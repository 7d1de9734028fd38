import CSandbox
import LinuxSystem

/// The limits of a program that the kernel enforces: access to the file system, the network and other processes, and
/// the amount of memory.
///
/// Namespaces hide everything that is not in ``paths``: files, processes, network interfaces and IPC objects. Landlock
/// denies all other accesses to files, and the use of TCP, abstract sockets and signals. If the system does not permit
/// namespaces, Landlock alone protects the user's files. seccomp allows only the system calls that Swift's runtime,
/// Foundation, libcurl and libvips need. These calls cannot create processes or sockets with names, cannot change
/// modes, owners, times and attributes of files, and cannot allocate memory that counts towards no limit. The program
/// has no capabilities, cannot gain privileges, and has resource limits. See namespaces(7), landlock(7), seccomp(2),
/// capabilities(7), setrlimit(2).
///
/// Modes, owners, times and attributes cannot be changed in the container, either. On older kernels, Landlock's rules
/// for paths do not cover these changes, and seccomp cannot permit a system call for some paths only.
package struct Confinement: Sendable {
    /// The permitted uses of a path, and of all files beneath it.
    package struct Access: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let read = Access(rawValue: CSANDBOX_ACCESS_READ.rawValue)
        package static let execute = Access(rawValue: CSANDBOX_ACCESS_EXECUTE.rawValue)
        /// Files, except device files, can be created, changed and removed.
        package static let write = Access(rawValue: CSANDBOX_ACCESS_WRITE.rawValue)
        /// The contents of existing files can be changed. Files cannot be created or removed.
        package static let change = Access(rawValue: CSANDBOX_ACCESS_CHANGE.rawValue)
        /// A condition, not a permission: no access is permitted if the path contains a symbolic link.
        package static let withoutLinks = Access(rawValue: CSANDBOX_ACCESS_WITHOUT_LINKS.rawValue)
    }

    /// The only paths that the program can access. A path is ignored if it does not exist when the program is started,
    /// or if its symbolic links form a cycle.
    package var paths: [(path: String, access: Access)] = []
    /// The working directory in which the program is started.
    package var workingFolder: String
    /// Whether the program may use the internet.
    package var network = false
    /// The maximum amount of private memory, in bytes. When it is reached, allocations fail, and a Swift program ends.
    package var memory: UInt64 = 512 << 20
    /// The maximum size, in bytes, of a file that the program writes, on disk or in memory. Writing beyond this size
    /// fails.
    package var fileSize: UInt64 = 4 << 30
    /// The maximum number of open descriptors.
    package var descriptors: UInt64 = 1024
    /// The maximum number of concurrent threads. The kernel enforces this limit only in a user namespace, and not for
    /// root.
    package var threads: UInt64 = 1024

    /// The only descriptor number with which the program may create a local socket; `nil` if it may not create local
    /// sockets. ``PassedDisplay`` replaces this socket by the connection to a display.
    package var localSocket: CInt?

    /// The layers to use. Only tests use fewer layers than the system supports.
    package var layers = Layers.wanted
    /// A descriptor of the file `cgroup.procs` of the control group that the program joins; `nil` if it joins none.
    package var controlGroup: FileDescriptor?

    package init(workingFolder: String) {
        self.workingFolder = workingFolder
    }
}

/// The reason why a confined program did not start.
package struct ConfinementError: Error, CustomStringConvertible {
    /// The name of the step of the start that failed.
    package let step: String
    package let errno: Errno

    package var description: String { "\(step): \(errno)" }

    /// Whether the program did not start because it could not join the control group.
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
