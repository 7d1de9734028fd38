import Glibc
import LinuxSystem

/// A folder on its way to a consumer, with the provider's end of the consumer's ``FolderLease``.
struct LeasedFolder {
    /// What goes to the consumer, the hold included.
    let supply: Supply
    /// Ends when the consumer lets go.
    let end: FileDescriptor

    /// A consumer that was stopped does not keep a provider's thread for longer than this.
    private static let longestWaitMilliseconds: CInt = 60_000

    /// - Returns: `nil` for what needs no lease, and where no socket can be had: then the consumer's copy fails, with an
    ///   error that says so, if the folder changes under it.
    init?(_ supply: Supply) {
        guard case .file(let file) = supply, file.isDirectory, !file.isOfferedInPlace,
            let (near, far) = try? SequencedPacketSocket.pair()
        else { return nil }
        end = near.descriptor
        self.supply = .file(
            SuppliedFile(
                descriptor: file.descriptor, isDirectory: true, path: file.path, name: file.name,
                isOfferedInPlace: false, isCoordinated: file.isCoordinated, lease: FolderLease(far.descriptor)))
    }

    /// Blocks until the consumer has let go. No copy of its end may be left in this process.
    static func wait(for end: FileDescriptor) {
        var poll = pollfd(fd: end.rawValue, events: Int16(POLLIN), revents: 0)
        while Glibc.poll(&poll, 1, longestWaitMilliseconds) < 0, errno == EINTR {}
    }
}
