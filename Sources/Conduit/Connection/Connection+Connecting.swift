import Glibc
import LinuxSystem

extension Connection {
    /// Returns two connections that are connected with each other, for two sides within this process.
    package static func pair(
        _ first: Service = Service(), _ second: Service = Service(), limits: ConnectionLimits = .init()
    ) throws(Errno) -> (Connection, Connection) {
        let (one, other) = try SequencedPacketSocket.pair()
        return (
            try Connection(one, service: first, limits: limits), try Connection(other, service: second, limits: limits)
        )
    }

    /// Connects to the listener at the given path, which may have any length.
    ///
    /// Blocks only if the listener's queue of pending connections is full, and at most for `timeoutMilliseconds`. Does
    /// not wait for the thread that serves connections.
    ///
    /// - Throws: `.refused` if a process of another user listens at the path. Otherwise the system's error:
    ///   `noSuchFile` if the path does not exist, `connectionRefused` if no process listens at it, `timedOut` if the
    ///   listener does not accept the connection.
    package static func connect(
        to path: String, service: Service = Service(), limits: ConnectionLimits = .init(),
        timeoutMilliseconds: Int = 10_000
    ) throws(ConduitError) -> Connection {
        do throws(Errno) {
            let address = try LocalSocketAddress(path: path)
            let socket = try SequencedPacketSocket.connect(to: address, timeoutMilliseconds: timeoutMilliseconds)
            let peer = try Peer(of: socket, identifyingProcess: true)
            if peer.credentials.userID == geteuid() {
                let connection = try Connection(socket, peer: peer, service: service, limits: limits)
                try connection.start()
                return connection
            }
        } catch {
            throw .system(error)
        }
        throw .refused("\(path) is served by another user")
    }
}

/// The other end of a connection, as the kernel reports it.
///
/// If the socket belongs to a socket pair that was inherited or received, the kernel reports the process that created
/// the pair. Another process may use the other end now.
package struct Peer: Sendable {
    package let credentials: PeerCredentials
    /// A descriptor that refers to the process even if its process ID is reused. `nil` if the process has ended
    /// already, if it cannot be determined reliably, or if the connection was not made through a path.
    package let process: ProcessDescriptor?

    init(of socket: SequencedPacketSocket, identifyingProcess: Bool) throws(Errno) {
        credentials = try socket.peerCredentials()
        process = identifyingProcess ? try socket.peerProcess() : nil
    }

    /// Returns the executable that the peer runs at the moment. The result may soon be outdated, because a process can
    /// execute another program.
    package func executable() throws(Errno) -> ProcessDescriptor.Executable {
        guard let process else { throw .noSuchProcess }
        return try process.executable()
    }
}

/// Functions that connect to this user's daemon. Some modules that need these functions cannot import the module that
/// implements them. These modules get this object from a C function.
package final class DaemonConnector: Sendable {
    /// Creates a separate connection to the daemon, for clients that serve calls of the daemon or receive its notices.
    /// Starts the daemon if it does not run. Blocks until the connection is established.
    package let connect: @Sendable (Service) throws -> Connection
    /// Creates a separate connection to the daemon if it is already running; returns `nil` if it is not.
    package let join: @Sendable (Service) throws -> Connection?

    /// Checks that the daemon uses the same directories as this process. Blocks until the daemon has replied.
    ///
    /// The check is for callers that request stored data. File coordination does not need it, because all processes of
    /// a user are coordinated together, regardless of their home directories.
    package let check: @Sendable (Connection) throws -> Void

    package init(
        connect: @escaping @Sendable (Service) throws -> Connection,
        join: @escaping @Sendable (Service) throws -> Connection?,
        check: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) {
        self.connect = connect
        self.join = join
        self.check = check
    }
}
