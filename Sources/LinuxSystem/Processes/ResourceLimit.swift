import Glibc

/// A limit that the kernel sets to this process, and to those that it starts (getrlimit(2)).
package enum ResourceLimit: Sendable, CaseIterable {
    /// How many descriptors are open at one time.
    case descriptors
    /// Bytes of one file, on disk or in memory.
    case fileSize
    /// Seconds of processor time, from its start to its end.
    case processorTime
    /// Bytes of everything that is mapped.
    case addressSpace
    /// Bytes of private memory.
    case data
    /// Processes and threads of the user, all together.
    case processes
    /// Bytes of the stack of a thread that does not say how large its stack is to be. Read when a program starts, so
    /// raising it is for those that this process starts.
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

    /// What a thread has on every system that nobody has limited. A stack without any limit would be laid out otherwise.
    private static let ordinaryStack: rlim_t = 8 << 20

    /// The limit; `nil` where there is none.
    package var current: UInt64? { value(\.rlim_cur) }

    /// What it may be raised to without anybody's leave; `nil` where there is no end to that.
    package var most: UInt64? { value(\.rlim_max) }

    private func value(_ part: KeyPath<rlimit, rlim_t>) -> UInt64? {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit[keyPath: part] != ~0 else { return nil }
        return UInt64(limit[keyPath: part])
    }

    /// Raises the limit to the most that this process may have without anybody's leave; a stack, to the ordinary size.
    package func raise() throws(Errno) {
        var limit = rlimit()
        try retrying { getrlimit(resource, &limit) }
        let wanted = self == .stack ? min(limit.rlim_max, max(limit.rlim_cur, Self.ordinaryStack)) : limit.rlim_max
        guard wanted != limit.rlim_cur else { return }
        limit.rlim_cur = wanted
        try retrying { setrlimit(resource, &limit) }
    }
}
