import Glibc

/// What programs that this one starts are given.
extension FileDescriptor {
    /// A pipe to or from a program. Neither end is inherited, unless it is handed over.
    package static func pipe() throws(Errno) -> (reading: FileDescriptor, writing: FileDescriptor) {
        var ends: [CInt] = [-1, -1]
        try retrying { Glibc.pipe(&ends) }
        let pipe = (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
        for end in ends { try retrying { fcntl(end, F_SETFD, FD_CLOEXEC) } }
        return pipe
    }

    /// A second descriptor of what this process has under a number of its own, such as `STDERR_FILENO`.
    package static func copy(of number: CInt) throws(Errno) -> FileDescriptor {
        FileDescriptor(owning: try retrying { fcntl(number, F_DUPFD_CLOEXEC, 3) })
    }
}
