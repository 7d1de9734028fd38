import FileTesting
import Glibc
import LinuxSystem

/// Sockets whose close(2) waits, which are sent to processes that expect none. Only those processes have a descriptor
/// of them. Their close(2) returns when this object ends.
package struct LingeringDescriptors {
    private var receivers: [FileDescriptor] = []

    package init() {}

    /// Sends a packet with such a socket, if this process can make one.
    package mutating func send(_ bytes: [UInt8], over socket: SequencedPacketSocket) {
        guard let lingering = try? LingeringSocket() else { return }
        do throws(Errno) {
            try HostilePacket(bytes, [lingering.sender]).send(over: socket)
            receivers.append(lingering.receiver)
        } catch {
            // This process closes it, and does not wait.
            var option = linger(l_onoff: 1, l_linger: 0)
            let room = socklen_t(MemoryLayout<linger>.size)
            setsockopt(lingering.sender.rawValue, SOL_SOCKET, SO_LINGER, &option, room)
        }
    }

    /// Makes all waiting close(2) calls return.
    package mutating func end() { receivers = [] }
}
