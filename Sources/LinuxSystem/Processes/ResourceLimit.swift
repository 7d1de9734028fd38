import Glibc

/// A limit that the kernel imposes on this process and its children (getrlimit(2)).
package enum ResourceLimit: Sendable, CaseIterable {
    /// The maximum number of open descriptors.
    case descriptors
    /// The maximum size of one file in bytes, on disk or in memory.
    case fileSize
    /// The maximum processor time of the process in seconds.
    case processorTime
    /// The maximum size of all mappings together in bytes.
    case addressSpace
    /// The maximum size of private memory in bytes.
    case data
    /// The maximum number of processes and threads of the user.
    case processes
    /// The size in bytes of the stack of a thread that is created without an explicit stack size. It is read when a
    /// program starts, so raising it affects only programs that this process starts afterwards.
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

    /// The usual default size of a stack in bytes. The limit is not removed entirely, because that would change the
    /// memory layout of programs.
    private static let ordinaryStack: rlim_t = 8 << 20

    /// The soft limit, which is in force; `nil` if there is no limit.
    package var current: UInt64? { value(\.rlim_cur) }

    /// The hard limit, up to which the process may raise the soft limit without privileges; `nil` if there is no limit.
    package var most: UInt64? { value(\.rlim_max) }

    private func value(_ part: KeyPath<rlimit, rlim_t>) -> UInt64? {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit[keyPath: part] != ~0 else { return nil }
        return UInt64(limit[keyPath: part])
    }

    /// Raises the soft limit to the hard limit. For the stack, raises it at least to the usual default size if
    /// possible.
    package func raise() throws(Errno) {
        var limit = rlimit()
        try retrying { getrlimit(resource, &limit) }
        let wanted = self == .stack ? min(limit.rlim_max, max(limit.rlim_cur, Self.ordinaryStack)) : limit.rlim_max
        guard wanted != limit.rlim_cur else { return }
        limit.rlim_cur = wanted
        try retrying { setrlimit(resource, &limit) }
    }
}

/// Disables core dumps of this process. A core dump is a copy of the process's memory, including the passwords in it.
///
/// The user's other programs can still access the process (`PR_SET_DUMPABLE` is unchanged). This is necessary because
/// the limits of extensions are checked through `/proc`. It is acceptable because another program of the same user can
/// read the process's files in any case.
package enum CoreDumps {
    /// The environment variable that, if it is set, leaves core dumps enabled in order to find a fault.
    package static let key = "PURVEY_CORE_DUMPS"

    /// Disables core dumps of this process and of programs that it starts, unless `PURVEY_CORE_DUMPS` is set.
    ///
    /// The soft limit is set to one byte and not to zero. If dumps are passed to a program such as systemd-coredump,
    /// the kernel makes dumps with any limit except one byte (core(5), fs/coredump.c). The hard limit is unchanged, so
    /// that a program that this process starts may raise the limit again.
    package static func forbid() {
        if let value = getenv(key), value.pointee != 0 { return }
        let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = min(1, limit.rlim_max)
        setrlimit(resource, &limit)
    }
}
