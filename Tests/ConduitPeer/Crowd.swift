import Conduit
import ConduitTestMessages
import Glibc
import LinuxSystem

/// Becomes the user "nobody", who may have only a few descriptors on their way, and sends more of them than that to a
/// side that reads late. Whether all arrive.
func sendACrowdOfDescriptors() throws -> Bool {
    var limit = rlimit(rlim_cur: 64, rlim_max: 64)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard setgid(65534) == 0, setuid(65534) == 0 else { throw Errno(rawValue: errno) }
    let (near, far) = try SequencedPacketSocket.pair()
    let connection = try Connection(near)
    defer { connection.close() }
    // More than the socket takes, so that what follows waits in the queue.
    let filling = Parcel(bytes: [UInt8](repeating: 1, count: 10_000))
    for _ in 0..<600 { connection.call(Echo(filling)) { _ in } }
    let file = try MemoryFile.create(name: "crowd")
    let crowd = Parcel(files: [FileDescriptor](repeating: file, count: 8))
    for _ in 0..<50 { connection.call(Echo(crowd)) { _ in } }
    _ = try receive(600, from: far)
    // The queue runs into the limit meanwhile, and has to find out by itself when it is over.
    poll(nil, 0, 50)
    return try receive(50, from: far) == 400
}

/// Receives so many packets, and says how many descriptors came with them.
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
