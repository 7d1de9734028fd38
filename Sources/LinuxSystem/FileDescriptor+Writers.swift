import Glibc

extension FileDescriptor {
    /// Whether any process has the file open for writing now, by whatever path or mount. Also `true` if the file
    /// system cannot tell.
    ///
    /// Tries to take a read lease, which the kernel grants only on a file without writers (F_SETLEASE of fcntl(2)).
    ///
    /// - Precondition: this descriptor is open for reading only, and the file belongs to this process's user.
    package var hasWriters: Bool {
        // If a process opens the file meanwhile, the kernel signals the holder of the lease. The default signal,
        // SIGIO, would end this process.
        guard fcntl(rawValue, Self.setSignal, SIGURG) == 0, fcntl(rawValue, Self.setLease, F_RDLCK) == 0 else {
            return true
        }
        _ = fcntl(rawValue, Self.setLease, F_UNLCK)
        return false
    }

    /// The values of F_SETSIG and F_SETLEASE, which the Glibc module does not export.
    private static let setSignal: CInt = 10
    private static let setLease: CInt = 1024
}
