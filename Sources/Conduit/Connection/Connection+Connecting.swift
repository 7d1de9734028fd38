import Glibc
import LinuxSystem

extension Connection {
    /// Two connections with each other, for the two sides of one process.
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
    /// Waits only if more processes are connecting than the listener has taken yet, at most for the given time: not
    /// for the connections' thread. Fails with `.refused` when the path is served by another user, and with the
    /// system's reason when there is no such path (`noSuchFile`), when nobody listens there any more
    /// (`connectionRefused`) or when the listener takes no connections (`timedOut`).
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
