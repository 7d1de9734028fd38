import Conduit
import Glibc
import LinuxSystem

/// Returns whether the listener of another user refuses this process. The process becomes user 65534 and connects in
/// two ways. Both connections must end without a message from the listener.
func beTurnedAway(at path: String) throws -> Bool {
    guard setgid(65534) == 0, setuid(65534) == 0 else { throw Errno(rawValue: errno) }
    // `Connection.connect` refuses another user's listener.
    guard try isRefused(path) else { return false }
    // The listener refuses another user's client, even for a well-formed request.
    let socket = try SequencedPacketSocket.connect(to: LocalSocketAddress(path: path))
    let request: CBORValue = .array([.unsigned(0), .unsigned(1), .unsigned(0), .unsigned(10), .map([])])
    // Fails if the listener has closed the connection already.
    _ = try? request.encoded.withUnsafeBytes { try socket.send($0) }
    var waiting = pollfd(fd: socket.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
    poll(&waiting, 1, -1)
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = recv(socket.descriptor.rawValue, &buffer, buffer.count, 0)
    if count > 0 { complain("another user's listener answered") }
    return count <= 0
}

private func isRefused(_ path: String) throws -> Bool {
    do {
        _ = try Connection.connect(to: path)
    } catch {
        guard case .refused = error else { throw error }
        return true
    }
    complain("connecting to another user's listener succeeded")
    return false
}
