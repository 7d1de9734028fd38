import Glibc

/// Core dumps of this process: copies of its memory, with the passwords that it has at that moment.
///
/// The process stays open to its user's other programs (`PR_SET_DUMPABLE` is left alone): what `/proc` shows of it is
/// needed to watch extensions, and another program of the same user can read its files anyway.
package enum CoreDumps {
    /// In the environment: core dumps are written as the system has it, to look for a fault.
    package static let key = "PURVEY_CORE_DUMPS"

    /// Switches core dumps of this process off, and of programs that it starts, unless `PURVEY_CORE_DUMPS` is set.
    ///
    /// The limit becomes one byte and not zero. A program that takes dumps from the kernel over a pipe, such as
    /// systemd-coredump, gets them whatever the limit is, but for that one (core(5), fs/coredump.c). The hard limit
    /// stays, so that a program which is started may raise it again.
    package static func forbid() {
        if let value = getenv(key), value.pointee != 0 { return }
        let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = min(1, limit.rlim_max)
        setrlimit(resource, &limit)
    }
}
