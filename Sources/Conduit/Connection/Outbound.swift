import LinuxSystem
import Synchronization

/// The sending side of a connection: the socket, and the queue of packets that cannot be sent yet.
struct Outbound {
    /// A queued packet.
    struct Packet {
        let bytes: [UInt8]
        let descriptors: [FileDescriptor]
        /// The memory, in bytes, that the queued packet takes in this process, including its memory file.
        let cost: Int
    }

    /// The state of the queue after an attempt to send its packets.
    enum Remainder {
        case nothing
        /// Packets are waiting for space in the socket. The loop reports when there is space.
        case waiting
        /// Packets are waiting because the system is short of memory, or of descriptors in flight. The system does not
        /// report when the shortage ends.
        case starving
    }

    /// The outcome of sending a packet.
    enum Result {
        /// The kernel has accepted the packet, or the packet is queued behind other packets.
        case accepted
        /// The packet is the first in the queue. The loop must now watch for space in the socket.
        case waiting
        /// The connection has ended or is about to end. Its calls that wait for a reply fail.
        case gone
        /// This packet cannot be sent. Other packets can be sent.
        case failed(Errno)
    }

    /// The socket; `nil` after the connection has ended.
    private(set) var socket: SequencedPacketSocket?
    private(set) var closeReason: CloseReason?
    private var queue: [Packet] = []
    /// The index of the first packet that was not sent yet.
    private var head = 0
    private(set) var queuedBytes = 0
    private var queuedDescriptors = 0
    /// The latest unsent progress report of each call. It replaces older reports of the call.
    private var progress: [UInt64: (completed: Int64, total: Int64)] = [:]

    init(socket: SequencedPacketSocket) {
        self.socket = socket
    }

    private var hasNothingQueued: Bool { head == queue.count }

    /// Whether packets or progress reports wait for space in the socket.
    var isWaiting: Bool { !hasNothingQueued || !progress.isEmpty }

    /// Whether one more packet may be queued within the limits. A packet may always be queued if the queue is empty.
    /// Without this exception, a message larger than a limit would close the connection even though the peer reads.
    private func hasRoom(for cost: Int, _ descriptors: Int, _ limits: ConnectionLimits) -> Bool {
        hasNothingQueued
            || (queuedBytes + cost <= limits.queuedBytes && queue.count - head < limits.queuedMessages
                && queuedDescriptors + descriptors <= limits.queuedDescriptors)
    }

    /// Sends a packet now, or queues it.
    mutating func send(
        _ bytes: UnsafeRawBufferPointer, _ descriptors: [FileDescriptor], heldBytes: Int, limits: ConnectionLimits,
        isClosing: borrowing Atomic<Bool>
    ) -> Result {
        guard let socket, closeReason == nil else { return .gone }
        let wasIdle = !isWaiting
        if hasNothingQueued {
            do {
                try socket.send(bytes, descriptors: descriptors)
                return .accepted
            } catch {
                // A packet that can be sent later is queued below.
                guard Self.passes(error) else { return failed(error) }
            }
        }
        let cost = bytes.count + heldBytes
        guard hasRoom(for: cost, descriptors.count, limits) else {
            beginClosing(.peerTooSlow(queuedBytes: queuedBytes), isClosing)
            return .gone
        }
        queue.append(Packet(bytes: [UInt8](bytes), descriptors: descriptors, cost: cost))
        queuedBytes += cost
        queuedDescriptors += descriptors.count
        return wasIdle ? .waiting : .accepted
    }

    /// Sends a progress report of a call. If it cannot be sent now, the latest report of the call is sent later.
    mutating func send(completed: Int64, total: Int64, of call: UInt64) -> Result {
        guard let socket, closeReason == nil else { return .gone }
        let wasIdle = !isWaiting
        if wasIdle {
            do {
                try Self.sendProgress(completed, total, of: call, to: socket)
                return .accepted
            } catch {
                // A report that can be sent later is stored below.
                guard Self.passes(error) else { return failed(error) }
            }
        }
        progress[call] = (completed, total)
        return wasIdle ? .waiting : .accepted
    }

    /// Drops the unsent progress report of a call that is about to be replied to.
    mutating func dropProgress(of call: UInt64) {
        if !progress.isEmpty { progress[call] = nil }
    }

    /// Sends queued packets, at most the given number.
    mutating func flush(atMost packets: Int, isClosing: borrowing Atomic<Bool>) -> Remainder {
        guard let socket, closeReason == nil else { return .nothing }
        for _ in 0..<packets {
            do throws(Errno) {
                if !hasNothingQueued {
                    try Self.send(queue[head], to: socket)
                    queuedBytes -= queue[head].cost
                    queuedDescriptors -= queue[head].descriptors.count
                    head += 1
                    dropSent()
                } else if let (call, newest) = progress.first {
                    try Self.sendProgress(newest.completed, newest.total, of: call, to: socket)
                    progress[call] = nil
                } else {
                    return .nothing
                }
            } catch {
                if error == .wouldBlock { return .waiting }
                if Self.passes(error) { return .starving }
                // For the senders, these packets were sent successfully. Therefore the failure can only be reported by
                // ending the connection.
                if case .failed(let error) = failed(error) { beginClosing(.system(error), isClosing) }
                return .nothing
            }
        }
        return isWaiting ? .waiting : .nothing
    }

    /// Shuts down the socket. As a result, the loop ends the connection.
    mutating func beginClosing(_ reason: CloseReason, _ isClosing: borrowing Atomic<Bool>) {
        guard let socket, closeReason == nil else { return }
        closeReason = reason
        isClosing.store(true, ordering: .releasing)
        socket.shutDown()
    }

    /// Releases the socket. Returns the queued packets, which the caller destroys after it has released the lock.
    mutating func end() -> [Packet] {
        defer { (queue, head, queuedBytes, queuedDescriptors, progress) = ([], 0, 0, 0, [:]) }
        socket = nil
        return queue
    }

    /// Frees the memory of sent packets if all packets were sent, or if the sent packets make up at least half of the
    /// queue and are at least 64.
    private mutating func dropSent() {
        guard head == queue.count || head >= max(64, queue.count / 2) else { return }
        queue.removeFirst(head)
        head = 0
    }

    /// Whether the packet can be sent later, although sending it failed with the given error: the socket has no space
    /// now, or the system is short of memory or of descriptors in flight. Other processes of the user can cause such a
    /// shortage.
    private static func passes(_ error: Errno) -> Bool {
        switch error {
        case .wouldBlock, .noBufferSpace, .outOfMemory, .tooManyDescriptorsInFlight: true
        default: false
        }
    }

    private func failed(_ error: Errno) -> Result {
        switch error {
        case .brokenPipe, .connectionReset, .notConnected, .connectionRefused:
            // The peer is gone. Its earlier data can still be read: after the shutdown, the loop reads it and then
            // reaches the end.
            socket?.shutDown()
            return .gone
        default: return .failed(error)
        }
    }

    private static func send(_ packet: Packet, to socket: SequencedPacketSocket) throws(Errno) {
        let failure: Errno? = packet.bytes.withUnsafeBytes { bytes in
            do throws(Errno) {
                try socket.send(bytes, descriptors: packet.descriptors)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    private static func sendProgress(
        _ completed: Int64, _ total: Int64, of call: UInt64, to socket: SequencedPacketSocket
    ) throws(Errno) {
        let failure: Errno? = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { scratch in
            var writer = CBORWriter(scratch: scratch)
            Frame.begin(.progress, call: call, elements: 5, in: &writer)
            writer.write(integer: completed)
            writer.write(integer: total)
            return writer.withBytes { bytes in
                do throws(Errno) {
                    try socket.send(bytes)
                    return nil
                } catch {
                    return error
                }
            }
        }
        if let failure { throw failure }
    }
}
