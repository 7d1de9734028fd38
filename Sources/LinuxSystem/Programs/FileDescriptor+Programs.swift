import Glibc

/// Descriptors for programs that this process starts.
extension FileDescriptor {
    /// Creates a pipe to or from a program. Both ends are close-on-exec.
    package static func pipe() throws(Errno) -> (reading: FileDescriptor, writing: FileDescriptor) {
        var ends: [CInt] = [-1, -1]
        try retrying { Glibc.pipe(&ends) }
        let pipe = (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
        for end in ends { try retrying { fcntl(end, F_SETFD, FD_CLOEXEC) } }
        return pipe
    }

    /// Duplicates a descriptor with a fixed number, such as `STDERR_FILENO`.
    package static func copy(of number: CInt) throws(Errno) -> FileDescriptor {
        FileDescriptor(owning: try retrying { fcntl(number, F_DUPFD_CLOEXEC, 3) })
    }
}
