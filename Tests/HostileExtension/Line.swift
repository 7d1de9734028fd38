import AttackTesting
import Glibc
import LinuxSystem

/// The sockets that the daemon passes to an extension when it starts it.
enum Line: CInt {
    case call = 3
    case scopes = 4
    case coordination = 5

    /// A copy of the socket; `nil` if the process has no such socket.
    var socket: SequencedPacketSocket? {
        let number = fcntl(rawValue, F_DUPFD_CLOEXEC, 16)
        guard number >= 0 else { return nil }
        return try? SequencedPacketSocket(checking: FileDescriptor(owning: number))
    }

    /// Sends packets over the socket.
    ///
    /// - Parameter isPatient: whether to send only packets that do not end the connection.
    func attack(seed: UInt64, packets: Int, isPatient: Bool) throws {
        guard let socket else { return }
        // A confined process has no network, and so no lingering sockets.
        var assault = Assault(seed: seed, try samples, lingers: false)
        guard assault.sendLasting(packets, over: socket), !isPatient else { return }
        assault.sendAnything(packets, over: socket)
    }
}
