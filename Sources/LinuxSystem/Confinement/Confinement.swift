import CLinux
import Glibc

/// The limits that the kernel keeps a program within: what it reaches of the file system, the network, other processes,
/// and how much memory it takes.
///
/// Landlock (files, TCP, abstract sockets, signals), seccomp (no processes, no sockets with names, no modes, owners, times
/// or attributes of files, no memory that is shared without a name, nothing of the kernel's own), no-new-privileges and
/// resource limits; see landlock(7), seccomp(2), setrlimit(2).
///
/// Modes, owners, times and attributes cannot be changed inside of the container either: the kernel's rules for paths do not
/// cover them, and a filter sees no paths.
package struct Confinement: Sendable {
    /// What a path may be used for, with everything beneath it.
    package struct Access: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let read = Access(rawValue: CLINUX_ACCESS_READ.rawValue)
        package static let execute = Access(rawValue: CLINUX_ACCESS_EXECUTE.rawValue)
        /// Making, changing and removing files; no device files.
        package static let write = Access(rawValue: CLINUX_ACCESS_WRITE.rawValue)
        /// Changing the contents of files that are there, and no more than that.
        package static let change = Access(rawValue: CLINUX_ACCESS_CHANGE.rawValue)
        /// No use but a condition: the path is left out where a symbolic link has come to be on the way to it.
        package static let withoutLinks = Access(rawValue: CLINUX_ACCESS_WITHOUT_LINKS.rawValue)
    }

    /// The only paths it reaches. One that does not exist at the start, or leads in a circle, is left
    /// out.
    package var paths: [(path: String, access: Access)] = []
    /// The folder it starts in.
    package var workingFolder: String
    /// Whether it may use the internet.
    package var network = false
    /// Bytes of private memory. Beyond them, allocations fail, and a Swift program ends.
    package var memory: UInt64 = 512 << 20
    /// Bytes of one file that it writes, on disk or in memory. Beyond them, writing fails. How many files there are is not
    /// bounded.
    package var fileSize: UInt64 = 4 << 30
    /// Descriptors open at one time.
    package var descriptors: UInt64 = 1024

    /// The number that a local socket of the program's gets, where ``HandedDisplay`` answers for a display; `nil` where it makes none.
    package var localSocket: CInt?

    package init(workingFolder: String) {
        self.workingFolder = workingFolder
    }

    /// What this kernel cannot enforce, one sentence each; empty where it enforces everything.
    package static var missing: [String] {
        let version = clinux_landlock_version()
        guard version > 0 else {
            return ["the kernel has no Landlock: extensions reach all files of this user"]
        }
        var missing: [String] = []
        if version < 3 { missing.append("Landlock \(version): files that can be read can also be truncated") }
        if version < 4 { missing.append("Landlock \(version): TCP is kept apart by the system call filter only") }
        return missing
    }
}

/// Why a confined program did not start.
package struct ConfinementError: Error, CustomStringConvertible {
    /// What was being done.
    package let step: String
    package let errno: Errno

    package var description: String { "\(step): \(errno)" }

    init(_ stage: CInt, _ errno: Errno) {
        self.errno = errno
        step =
            switch UInt32(bitPattern: stage) {
            case CLINUX_STAGE_FORK.rawValue: "a process cannot be made"
            case CLINUX_STAGE_RULES.rawValue: "the rules for its files cannot be made"
            case CLINUX_STAGE_DESCRIPTORS.rawValue: "its descriptors cannot be put in place"
            case CLINUX_STAGE_LIMITS.rawValue: "its resources cannot be limited"
            case CLINUX_STAGE_LANDLOCK.rawValue: "its files cannot be confined"
            case CLINUX_STAGE_FILTER.rawValue: "its system calls cannot be filtered"
            case CLINUX_STAGE_FOLDER.rawValue: "its folder cannot be entered"
            default: "the program cannot be run"
            }
    }
}

extension ChildProgram {
    /// Starts a program in a session of its own, confined from its first instruction on.
    ///
    /// - Parameters:
    ///   - environment: `NAME=value` each, and nothing else.
    ///   - descriptors: what its descriptors 0, 1, 2 … are; `nil` is `/dev/null`. It has no others.
    package static func start(
        _ path: String, arguments: [String], environment: [String], descriptors: [FileDescriptor?],
        confinedTo confinement: Confinement
    ) throws(ConfinementError) -> ChildProgram {
        let numbers = descriptors.map { $0?.rawValue ?? -1 }
        let accesses = confinement.paths.map(\.access.rawValue)
        var processID: pid_t = 0
        var stage: CInt = 0
        let error = withStrings([path] + arguments) { arguments in
            withStrings(environment) { variables in
                withStrings(confinement.paths.map(\.path) + [confinement.workingFolder]) { paths in
                    accesses.withUnsafeBufferPointer { accesses in
                        paths.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: accesses.count + 1) { paths in
                            var limits = clinux_confinement(
                                paths: paths, accesses: accesses.baseAddress, path_count: accesses.count,
                                working_folder: paths[accesses.count], network: confinement.network ? 1 : 0,
                                local_socket: confinement.localSocket ?? 0,
                                memory: confinement.memory, file_size: confinement.fileSize,
                                descriptors: confinement.descriptors)
                            return clinux_spawn_confined(
                                &processID, path, arguments, variables, numbers, CInt(numbers.count), &limits, &stage)
                        }
                    }
                }
            }
        }
        withExtendedLifetime(descriptors) {}
        guard error == 0 else { throw ConfinementError(stage, Errno(rawValue: error)) }
        return ChildProgram(processID: processID)
    }
}
