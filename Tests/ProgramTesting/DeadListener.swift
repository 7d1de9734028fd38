import LinuxSystem

/// A socket that still accepts connections although its process is dead. The socket of a killed process does so for
/// some moments on a busy machine, until the kernel has closed the last of its descriptors.
package final class DeadListener: Sendable {
    /// The write end of a pipe. The process that holds the socket reads from the pipe and ends when it is closed.
    private let line: Lock<FileDescriptor?>

    /// A Perl script that listens as the conduit does, with a lock file beside the socket.
    private static let script = """
        use Socket;
        use Fcntl ':flock';
        open(my $lock, '>', "$ARGV[0].lock") or die;
        flock($lock, LOCK_EX) or die;
        socket(my $listener, AF_UNIX, SOCK_SEQPACKET, 0) or die;
        bind($listener, pack_sockaddr_un($ARGV[0])) and listen($listener, 50) or die;
        fork and exit 0;
        <STDIN>;
        """

    /// - Parameter path: The path of the socket, in an existing directory.
    package init(at path: String) throws {
        let (theirs, ours) = try FileDescriptor.pipe()
        let dead = try ChildProgram.start("/usr/bin/perl", arguments: ["-e", Self.script, path], descriptors: [theirs])
        guard try dead.wait() == .exited(0) else { throw Errno.inputOutput }
        line = Lock(ours)
    }

    /// Closes the socket, which takes effect a moment later.
    package func close() { line.withLock { $0 = nil } }
}
