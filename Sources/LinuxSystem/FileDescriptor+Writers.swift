import Glibc

extension FileDescriptor {
    /// Whether anybody has the file open for writing now, by whatever path, mount or process. `true` also where the file system
    /// cannot tell.
    ///
    /// The kernel grants a lease on a file to who reads it only where nobody writes to it (fcntl(2)).
    ///
    /// - Precondition: this is open for reading only, and the file belongs to this process's user.
    package var hasWriters: Bool {
        // The default signal to who has a lease, should the file be opened meanwhile, would end the process.
        guard fcntl(rawValue, Self.setSignal, SIGURG) == 0, fcntl(rawValue, Self.setLease, F_RDLCK) == 0 else {
            return true
        }
        _ = fcntl(rawValue, Self.setLease, F_UNLCK)
        return false
    }

    /// F_SETSIG and F_SETLEASE, which Glibc's module does not show.
    private static let setSignal: CInt = 10
    private static let setLease: CInt = 1024
}
