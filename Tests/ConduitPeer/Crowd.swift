import Conduit
import ConduitTestMessages
import Glibc
import LinuxSystem

/// Returns whether all descriptors arrive if more are sent than the kernel permits in flight. The process becomes user
/// 65534, whose limit of descriptors in flight is low, and sends more than the limit to a peer that reads late.
///
/// - Parameter large: The number of large calls that are sent first. If they exceed the socket's buffer, later calls
///   wait in the queue. Without any, the first descriptors are sent at once.
func sendACrowdOfDescriptors(after large: Int) throws -> Bool {
    var limit = rlimit(rlim_cur: 64, rlim_max: 64)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard setgid(65534) == 0, setuid(65534) == 0 else { throw Errno(rawValue: errno) }
    let (near, far) = try SequencedPacketSocket.pair()
    let connection = try Connection(near)
    defer { connection.close() }
    let filling = Parcel(bytes: [UInt8](repeating: 1, count: 10_000))
    for _ in 0..<large { connection.call(Echo(filling)) { _ in } }
    let file = try MemoryFile.create(name: "crowd")
    let crowd = Parcel(files: [FileDescriptor](repeating: file, count: 8))
    for _ in 0..<50 { connection.call(Echo(crowd)) { _ in } }
    _ = try receive(large, from: far)
    // The connection runs into the limit meanwhile. It must find out by itself when descriptors may be sent again.
    poll(nil, 0, 50)
    return try receive(50, from: far) == 400
}

/// Receives `count` packets and returns the number of descriptors that came with them.
private func receive(_ count: Int, from socket: SequencedPacketSocket) throws -> Int {
    var buffer = [UInt8](repeating: 0, count: 70_000)
    var descriptors = 0
    for _ in 0..<count {
        var waiting = pollfd(fd: socket.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        guard poll(&waiting, 1, 300_000) == 1 else { throw Errno.timedOut }
        descriptors += try buffer.withUnsafeMutableBytes { try socket.receive(into: $0) }.descriptors.count
    }
    return descriptors
}
