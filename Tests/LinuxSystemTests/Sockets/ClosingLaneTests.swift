import FileTesting
import Glibc
import LinuxSystem
import Synchronization
import TestThreads
import Testing

/// Descriptors that peers sent are closed on threads of their own.
@Suite(.timeLimit(.minutes(10)), .ownThreads) struct ClosingLaneTests {
    /// A close function that closes descriptors at once, except one, for which it waits until a latch opens.
    private final class SlowClose: Sendable {
        let number = Atomic<CInt>(-1)
        let gate = Latch()

        func close(_ other: CInt) {
            if other == number.load(ordering: .relaxed) { gate.wait() }
            _ = Glibc.close(other)
        }
    }

    /// One end of a socket pair. The test waits on the other end until this one is closed.
    private struct End {
        let other: SequencedPacketSocket

        init(_ lane: DescriptorCloseQueue) throws {
            let (near, far) = try SequencedPacketSocket.pair()
            other = near
            let copy = try far.descriptor.duplicate()
            copy.close(on: lane)
        }

        func waitForClosing() throws {
            var hangUp = pollfd(fd: other.descriptor.rawValue, events: 0, revents: 0)
            try #require(poll(&hangUp, 1, 300_000) == 1)
        }
    }

    private func waitForEmptiness(of lane: DescriptorCloseQueue) {
        let isEmpty = Latch()
        lane.whenAtMost(0) { isEmpty.open() }
        isEmpty.wait()
    }

    @Test func aDroppedDescriptorIsClosedSoon() throws {
        let lane = DescriptorCloseQueue()
        try End(lane).waitForClosing()
        waitForEmptiness(of: lane)
        #expect(lane.count == 0)
    }

    @Test func aDescriptorThatBlocksHoldsUpItsOwnLaneOnly() throws {
        let slow = SlowClose()
        let closer = DescriptorCloser(threadLimit: 2) { slow.close($0) }
        let (blocked, free) = (DescriptorCloseQueue(closer), DescriptorCloseQueue(closer))
        let (near, far) = try SequencedPacketSocket.pair()
        slow.number.store(fcntl(far.descriptor.rawValue, F_DUPFD_CLOEXEC, 3), ordering: .relaxed)
        blocked.close(slow.number.load(ordering: .relaxed))
        let behind = try End(blocked)
        for _ in 0..<100 { try End(free).waitForClosing() }
        #expect(blocked.count == 2)
        slow.gate.open()
        try behind.waitForClosing()
        waitForEmptiness(of: blocked)
        withExtendedLifetime(near) {}
    }

    @Test func moreLanesThanThreadsAreServedInTurn() throws {
        let closer = DescriptorCloser(threadLimit: 1) { _ = Glibc.close($0) }
        let ends = try (0..<200).map { _ in try End(DescriptorCloseQueue(closer)) }
        for end in ends { try end.waitForClosing() }
    }

    @Test func aLingeringSocketThatIsDroppedUnreadDelaysNoOtherConnection() throws {
        // As the kernel does it, without the help of closeWithoutLingering.
        let closer = DescriptorCloser(threadLimit: 2) { _ = Glibc.close($0) }
        let (lane, other) = (DescriptorCloseQueue(closer), DescriptorCloseQueue(closer))
        let (one, far) = try SequencedPacketSocket.pair()
        let receiver: FileDescriptor
        do {
            // After this only the packet has the sender.
            let socket = try LingeringSocket()
            receiver = socket.receiver
            try [UInt8(1)].withUnsafeBytes { try one.send($0, descriptors: [socket.sender]) }
        }
        var buffer = [UInt8](repeating: 0, count: 8)
        _ = try buffer.withUnsafeMutableBytes { try far.receive(into: $0, closingOn: lane) }
        try End(other).waitForClosing()
        withExtendedLifetime(receiver) {}
    }

    @Test func theQueueOfASocketThatIsDroppedIsClosedOnItsLane() throws {
        let closer = DescriptorCloser(threadLimit: 2) { _ = Glibc.close($0) }
        let (lane, other) = (DescriptorCloseQueue(closer), DescriptorCloseQueue(closer))
        let receiver: FileDescriptor
        let one: SequencedPacketSocket
        do {
            let far: SequencedPacketSocket
            (one, far) = try SequencedPacketSocket.pair()
            far.descriptor.close(on: lane)
            let socket = try LingeringSocket()
            receiver = socket.receiver
            try [UInt8(1)].withUnsafeBytes { try one.send($0, descriptors: [socket.sender]) }
        }
        try End(other).waitForClosing()
        withExtendedLifetime((receiver, one)) {}
    }

    @Test func aSocketIsNotLeftToLinger() throws {
        let socket = try LingeringSocket()
        let number = fcntl(socket.sender.rawValue, F_DUPFD_CLOEXEC, 3)
        DescriptorCloser.closeWithoutLingering(number)
        var option = linger()
        var size = socklen_t(MemoryLayout<linger>.size)
        try retrying { getsockopt(socket.sender.rawValue, SOL_SOCKET, SO_LINGER, &option, &size) }
        #expect(option.l_onoff == 0)
    }

    /// Sends a packet with the maximum number of descriptors that the kernel permits, which is more than a
    /// `Connection` would send.
    private func sendMost(of file: FileDescriptor, over socket: SequencedPacketSocket) throws {
        let numbers = [CInt](repeating: file.rawValue, count: 253)
        // The size, the level and the type.
        let head = 16
        let size = head + numbers.count * MemoryLayout<CInt>.size
        var control = [UInt64](repeating: 0, count: size / 8 + 1)
        var byte: UInt8 = 1
        let result = control.withUnsafeMutableBytes { control in
            control.storeBytes(of: size, as: Int.self)
            control.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: CInt.self)
            control.storeBytes(of: CInt(SCM_RIGHTS), toByteOffset: 12, as: CInt.self)
            numbers.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: control[head...]).copyMemory(from: $0) }
            return withUnsafeMutablePointer(to: &byte) { byte in
                var part = iovec(iov_base: byte, iov_len: 1)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    (message.msg_iov, message.msg_iovlen) = (part, 1)
                    (message.msg_control, message.msg_controllen) = (control.baseAddress, size)
                    return sendmsg(socket.descriptor.rawValue, &message, 0)
                }
            }
        }
        try #require(result == 1)
    }

    @Test func allDescriptorsOfAPacketArriveHoweverMany() throws {
        let (one, other) = try SequencedPacketSocket.pair()
        let file = try MemoryFile.create(name: "test")
        try sendMost(of: file, over: one)
        var buffer = [UInt8](repeating: 0, count: 8)
        let packet = try buffer.withUnsafeMutableBytes { try other.receive(into: $0) }
        #expect(packet.descriptors.count == 253)
        #expect(!packet.isTruncated)
    }
}
