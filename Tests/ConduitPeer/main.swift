// A separate process that the tests of Conduit connect to.
//
//     ConduitPeer answer          answers calls on descriptor 3
//     ConduitPeer listen PATH     answers calls of connecting clients; closes descriptor 3 once it listens
//     ConduitPeer stranger PATH   becomes another user and tries to connect; exit status 0 when it is turned away
//     ConduitPeer crowd COUNT     becomes another user and sends more descriptors than it may, after that many large
//                                 calls; exit status 0 when they arrive
import Conduit
import ConduitTestMessages
import Glibc
import LinuxSystem

let arguments = CommandLine.arguments
let service = PeerService().service
let channel = FileDescriptor(owning: 3)
do {
    switch (arguments.count, arguments.dropFirst().first) {
    case (2, "answer"):
        let connection = try Connection(SequencedPacketSocket(channel), service: service)
        connection.onClose { _ in exit(0) }
        waitForever()
    case (3, "listen"):
        let listener = try Listener(path: arguments[2], service: service)
        // Signals the test, which sees the end of this socket.
        _ = shutdown(channel.rawValue, CInt(SHUT_RDWR))
        withExtendedLifetime(listener) { waitForever() }
    case (3, "stranger"):
        exit(try beTurnedAway(at: arguments[2]) ? 0 : 1)
    case (3, "crowd"):
        exit(try sendACrowdOfDescriptors(after: Int(arguments[2]) ?? 0) ? 0 : 1)
    default:
        exit(2)
    }
} catch {
    complain("\(error)")
    exit(3)
}

/// Waits without using descriptors, as some tests leave none free.
func waitForever() -> Never {
    while true { pause() }
}

func complain(_ words: String) {
    let line = Array("ConduitPeer: \(words)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
}
