import CLinux
import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct SequencedPacketSocketTests {
    private func send(_ text: String, over socket: SequencedPacketSocket, _ files: [FileDescriptor] = []) throws {
        try Array(text.utf8).withUnsafeBytes { try socket.send($0, descriptors: files) }
    }

    private func receive(
        from socket: SequencedPacketSocket, room: Int = 100
    ) throws -> (text: String, packet: ReceivedPacket) {
        var buffer = [UInt8](repeating: 0, count: room)
        let packet = try buffer.withUnsafeMutableBytes { try socket.receive(into: $0) }
        return (String(decoding: buffer[..<packet.byteCount], as: UTF8.self), packet)
    }

    /// Waits for the peer's end to close after its last reference was dropped. A program that another test starts at
    /// this moment has a copy of every descriptor until it executes.
    private func waitForHangUp(of socket: SequencedPacketSocket) throws {
        var hangUp = pollfd(fd: socket.descriptor.rawValue, events: 0, revents: 0)
        try #require(poll(&hangUp, 1, 300_000) == 1)
    }

    @Test func packetsKeepTheirBordersAndOrder() throws {
        let (one, other) = try SequencedPacketSocket.pair()
        for text in ["first", "second", "third"] { try send(text, over: one) }
        #expect(try receive(from: other).text == "first")
        #expect(try receive(from: other).text == "second")
        #expect(try receive(from: other).text == "third")
    }

    @Test func receivingDoesNotWait() throws {
        let (one, _) = try SequencedPacketSocket.pair()
        let (two, three) = try SequencedPacketSocket.pair()
        #expect(throws: Errno.wouldBlock) { try receive(from: two) }
        withExtendedLifetime((one, three)) {}
    }

    @Test func sendingDoesNotWaitForAPeerThatDoesNotRead() throws {
        let (one, other) = try SequencedPacketSocket.pair()
        #expect(throws: Errno.wouldBlock) {
            for _ in 0..<1_000_000 { try send("packet", over: one) }
        }
        withExtendedLifetime(other) {}
    }

    @Test func descriptorsArriveCloseOnExec() throws {
        let (one, other) = try SequencedPacketSocket.pair()
        let file = try MemoryFile.create(name: "test")
        try send("with files", over: one, [file, file, one.descriptor])
        let packet = try receive(from: other).packet
        #expect(packet.descriptors.count == 3)
        for descriptor in packet.descriptors { #expect(fcntl(descriptor.rawValue, F_GETFD) & FD_CLOEXEC != 0) }
        #expect(try packet.descriptors.first?.status().identity == file.status().identity)
        #expect(!packet.isTruncated)
    }

    @Test func descriptorsThatWaitAreCounted() throws {
        let (one, other) = try SequencedPacketSocket.pair()
        #expect(other.waitingDescriptorCount == 0)
        let file = try MemoryFile.create(name: "test")
        try send("", over: one, [file])
        try send("with files", over: one, [file, file])
        #expect(other.waitingDescriptorCount == 3)
        other.shutDown()
        #expect(throws: Errno.brokenPipe) { try send("more", over: one, [file]) }
        #expect(other.waitingDescriptorCount == 3 && one.waitingDescriptorCount == 0)
        _ = try receive(from: other)
        #expect(other.waitingDescriptorCount == 2)
    }

    @Test func asManyDescriptorsAsAPacketTakesArriveAndMoreAreRefused() throws {
        let (one, other) = try SequencedPacketSocket.pair()
        let file = try MemoryFile.create(name: "test")
        let most = [FileDescriptor](repeating: file, count: SequencedPacketSocket.descriptorLimit)
        try send("most", over: one, most)
        #expect(try receive(from: other).packet.descriptors.count == most.count)
        #expect(throws: Errno.invalidArgument) { try send("more", over: one, most + [file]) }
    }

    @Test func aPacketThatDoesNotFitSaysSo() throws {
        let (one, other) = try SequencedPacketSocket.pair()
        try send("longer than the room for it", over: one)
        let (text, packet) = try receive(from: other, room: 6)
        #expect(text == "longer")
        #expect(packet.isTruncated)
    }

    @Test func aPacketThatIsTooLargeForTheSocketIsRefusedWhole() throws {
        let (one, other) = try SequencedPacketSocket.pair()
        let large = [UInt8](repeating: 0, count: 64 << 20)
        #expect(throws: Errno.messageTooLong) { try large.withUnsafeBytes { try one.send($0) } }
        try send("small", over: one)
        #expect(try receive(from: other).text == "small")
    }

    @Test func thePeersEndIsSeenWithoutASignal() throws {
        var ends: (SequencedPacketSocket, SequencedPacketSocket)? = try SequencedPacketSocket.pair()
        let one = try #require(ends?.0)
        #expect(!one.isHungUp)
        ends = nil
        try waitForHangUp(of: one)
        #expect(one.isHungUp)
        #expect(try receive(from: one).packet.byteCount == 0)
        #expect(throws: Errno.brokenPipe) { try send("into the void", over: one) }
    }

    @Test func packetsReceivedBeforeTheShutdownCanBeRead() throws {
        let (one, other) = try SequencedPacketSocket.pair()
        try send("early", over: one)
        other.shutDown()
        #expect(try receive(from: other).text == "early")
        #expect(try receive(from: other).packet.byteCount == 0)
        #expect(one.isHungUp)
    }

    /// Requires Linux 6.16. With earlier kernels, the descriptors arrive nevertheless.
    @Test func aListenerKeepsDescriptorsFromItsConnectionsUntilTheyAreWanted() throws {
        let folder = try SocketFolder()
        let address = try LocalSocketAddress(path: folder.path + "/socket")
        let listener = try SequencedPacketSocket.bound(to: address)
        listener.setTakesDescriptors(false)
        try listener.listen()
        let file = try MemoryFile.create(name: "test")
        let client = try SequencedPacketSocket.connect(to: address)
        if (try? listener.descriptor.socketOption(83)) != nil {
            #expect(throws: Errno.notPermitted) { try send("early", over: client, [file]) }
        }
        try send("without", over: client)
        let accepted = try listener.accept()
        accepted.setTakesDescriptors(true)
        try send("late", over: client, [file])
        var packet = try receive(from: accepted)
        #expect(packet.text == "without")
        packet = try receive(from: accepted)
        #expect(packet.text == "late" && packet.packet.descriptors.count == 1)
    }

    @Test func onlyASequencedPacketSocketIsTakenForOne() throws {
        let (one, _) = try SequencedPacketSocket.pair()
        _ = try SequencedPacketSocket(checking: one.descriptor)
        let stream = FileDescriptor(owning: socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0))
        #expect(throws: Errno.wrongSocketType) { try SequencedPacketSocket(checking: stream) }
        let internet = FileDescriptor(owning: socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0))
        #expect(throws: Errno.wrongSocketType) { try SequencedPacketSocket(checking: internet) }
        #expect(throws: Errno.notASocket) { try SequencedPacketSocket(checking: MemoryFile.create(name: "test")) }
    }

    @Test func aPathWithAZeroByteOrNoneIsRefused() {
        #expect(throws: Errno.invalidArgument) { try LocalSocketAddress(path: "") }
        #expect(throws: Errno.invalidArgument) { try LocalSocketAddress(path: "/tmp/a\0b") }
        #expect(throws: Errno.nameTooLong) { try LocalSocketAddress(path: String(repeating: "n", count: 200)) }
        let missing = "/tmp/" + String(repeating: "m", count: 100) + "/" + String(repeating: "m", count: 50)
        #expect(throws: Errno.noSuchFile) { try LocalSocketAddress(path: missing) }
    }

    @Test func aListenerThatTakesNoConnectionsRunsIntoTheTimeLimit() throws {
        let folder = try SocketFolder()
        let address = try LocalSocketAddress(path: folder.path + "/socket")
        let listener = try SequencedPacketSocket.bound(to: address)
        // A backlog for one waiting connection.
        try #require(listen(listener.descriptor.rawValue, 0) == 0)
        let first = try SequencedPacketSocket.connect(to: address)
        #expect(throws: Errno.timedOut) { try SequencedPacketSocket.connect(to: address, timeoutMilliseconds: 20) }
        let accepted = try listener.accept()
        try send("hello", over: first)
        #expect(try receive(from: accepted).text == "hello")
        #expect(throws: Errno.wouldBlock) { try listener.accept() }
        #expect(throws: Errno.addressInUse) { try SequencedPacketSocket.bound(to: address) }
    }

    @Test func theCredentialsAreThoseOfTheProcessAtTheOtherEnd() throws {
        let (one, _) = try SequencedPacketSocket.pair()
        let own = PeerCredentials(processID: getpid(), userID: geteuid(), groupID: getegid())
        #expect(try one.peerCredentials() == own)
        #expect(try one.peerProcess()?.processID == getpid())
    }

    @Test func withoutTheKernelsHelpAPeerIsKnownWhileItIsConnected() throws {
        var ends: (SequencedPacketSocket, SequencedPacketSocket)? = try SequencedPacketSocket.pair()
        let one = try #require(ends?.0)
        #expect(try one.peerProcessByNumber(getpid())?.processID == getpid())
        ends = nil
        try waitForHangUp(of: one)
        #expect(try one.peerProcessByNumber(getpid()) == nil)
    }
}
