import Glibc
import LinuxSystem

extension Connection {
    /// Returns two connections that are connected with each other, for two sides within one process.
    package static func pair(
        _ first: Service = Service(), _ second: Service = Service(), limits: ConnectionLimits = .init()
    ) throws(Errno) -> (Connection, Connection) {
        let (one, other) = try SequencedPacketSocket.pair()
        return (
            try Connection(one, service: first, limits: limits), try Connection(other, service: second, limits: limits)
        )
    }

    /// Connects to a listener's path, of any length.
    ///
    /// Blocks only if the listener's queue of pending connections is full, and at most for the given time. Does not
    /// wait for the connections' thread.
    ///
    /// - Throws: `.refused` if the path is served by another user. Otherwise the system's error: `noSuchFile` if the
    ///   path does not exist, `connectionRefused` if no process listens at it, `timedOut` if the listener does not
    ///   accept the connection.
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
