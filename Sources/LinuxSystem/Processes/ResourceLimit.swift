import Glibc

/// A limit that the kernel imposes on this process and its children (getrlimit(2)).
package enum ResourceLimit: Sendable, CaseIterable {
    /// The number of open descriptors.
    case descriptors
    /// The size of one file in bytes, on disk or in memory.
    case fileSize
    /// The processor time of the process in seconds.
    case processorTime
    /// The size of all mappings in bytes.
    case addressSpace
    /// The size of private memory in bytes.
    case data
    /// The number of all processes and threads of the user.
    case processes
    /// The size in bytes of the stack of a thread without an explicit stack size. It is read when a program starts,
    /// so raising it affects children of this process.
    case stack

    private var resource: __rlimit_resource_t {
        let resource =
            switch self {
            case .descriptors: RLIMIT_NOFILE
            case .fileSize: RLIMIT_FSIZE
            case .processorTime: RLIMIT_CPU
            case .addressSpace: RLIMIT_AS
            case .data: RLIMIT_DATA
            case .processes: __RLIMIT_NPROC
            case .stack: RLIMIT_STACK
            }
        return __rlimit_resource_t(resource.rawValue)
    }

    /// The usual default size of a stack in bytes. A stack is not made unlimited, because that would change the memory
    /// layout.
    private static let ordinaryStack: rlim_t = 8 << 20

    /// The soft limit, or `nil` without a limit.
    package var current: UInt64? { value(\.rlim_cur) }

    /// The hard limit, up to which the process may raise the soft limit without privileges; `nil` without a limit.
    package var most: UInt64? { value(\.rlim_max) }

    private func value(_ part: KeyPath<rlimit, rlim_t>) -> UInt64? {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit[keyPath: part] != ~0 else { return nil }
        return UInt64(limit[keyPath: part])
    }

    /// Raises the soft limit to the hard limit, or that of a stack to at least the ordinary size if possible.
    package func raise() throws(Errno) {
        var limit = rlimit()
        try retrying { getrlimit(resource, &limit) }
        let wanted = self == .stack ? min(limit.rlim_max, max(limit.rlim_cur, Self.ordinaryStack)) : limit.rlim_max
        guard wanted != limit.rlim_cur else { return }
        limit.rlim_cur = wanted
        try retrying { setrlimit(resource, &limit) }
    }
}

/// Core dumps of this process: copies of its memory, including the passwords in it.
///
/// The user's other programs can still access the process (`PR_SET_DUMPABLE` is unchanged). Watching extensions
/// requires the information in `/proc`, and another program of the same user can read the process's files in any case.
package enum CoreDumps {
    /// The environment variable that leaves core dumps enabled, in order to find a fault.
    package static let key = "PURVEY_CORE_DUMPS"

    /// Disables core dumps of this process and of programs that it starts, unless `PURVEY_CORE_DUMPS` is set.
    ///
    /// The limit is set to one byte and not to zero. The kernel passes dumps over a pipe to programs such as
    /// systemd-coredump with every limit except one byte (core(5), fs/coredump.c). The hard limit is unchanged, so that
    /// a started program may raise the limit again.
    package static func forbid() {
        if let value = getenv(key), value.pointee != 0 { return }
        let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = min(1, limit.rlim_max)
        setrlimit(resource, &limit)
    }
}
