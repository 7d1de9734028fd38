import Glibc
import LinuxSystem
import Synchronization

/// One end of a connection with another process, over a local socket. Both sides make calls, serve calls and send
/// notices, with descriptors attached.
///
/// - Threads: every operation may be used from any thread and none blocks. Handlers, completions, progress and close
///   closures run on the connections' one thread, in the order of arrival, with no lock held: they may use this and
///   every other connection, and must not block. `cancel()` runs the completion on the thread that cancels.
/// - Confined peers: a connection to one has a thread of its own in place of that one, so that no other connection
///   waits for what the peer sends to be decoded. Its handlers run beside those of other connections. When the peer
///   is gone, its requests and large notices are dropped unread; small notices, at most what a socket holds, and
///   replies are still taken.
/// - Descriptors that the peer sent, and the socket with those that are in it, are closed on another thread.
/// - Lifetime: an open connection stays alive by itself until one side closes it. Whoever made it closes it.
package final class Connection: Sendable {
    package let peer: Peer
    package let limits: ConnectionLimits
    /// The calls and notices that this side serves.
    let service: Service
    let loop: EventLoop
    let isPeerConfined: Bool
    /// Closes what the peer sends.
    let lane: ClosingLane
    let token: UInt64

    let nextCall = Atomic<UInt64>(1)
    /// Set before this side shuts the socket down. Data that arrives later is ignored.
    let isClosing = Atomic<Bool>(false)
    /// Set while too much is queued for the peer. Nothing is read from it meanwhile.
    let isClogged = Atomic<Bool>(false)
    /// Set while too many descriptors of the peer's wait to be closed: nothing is read from it.
    let isClosingBehind = Atomic<Bool>(false)
    /// Set when descriptors have come, some of which may wait to be closed. Only the loop's thread uses it.
    let mayHaveUnclosed = Atomic<Bool>(false)
    /// Set when a confined peer is seen to be gone. Only the loop's thread uses it.
    let hasPeerGone = Atomic<Bool>(false)
    let receiveBudget = ReceiveBudget()

    // Lock order: `calls` and `outbound` are never held together. The loop's lock may be taken inside either. No
    // message, handler or closure of a caller runs or is destroyed under them.
    let calls = Lock(Calls())
    let outbound: Lock<Outbound>

    /// Creates a connection over a connected socket, and starts it.
    ///
    /// - Parameters:
    ///   - service: what this side does for the other. Calls it does not have are answered with an error.
    ///   - isPeerConfined: whether the peer is one that no other may have to wait for, such as an extension's process.
    package convenience init(
        _ socket: SequencedPacketSocket, service: Service = Service(), limits: ConnectionLimits = .init(),
        isPeerConfined: Bool = false
    ) throws(Errno) {
        try self.init(
            socket, peer: Peer(of: socket, identifyingProcess: false), service: service, limits: limits,
            isPeerConfined: isPeerConfined)
        try start()
    }

    /// Creates a connection that does not receive before `start()`.
    init(
        _ socket: SequencedPacketSocket, peer: Peer, service: Service, limits: ConnectionLimits,
        isPeerConfined: Bool = false
    ) throws(Errno) {
        loop = isPeerConfined ? try EventLoop.ofOnePeer() : try EventLoop.shared()
        self.isPeerConfined = isPeerConfined
        lane = ClosingLane()
        // Descriptors in packets that were not received are closed with it.
        socket.descriptor.close(on: lane)
        token = loop.makeToken()
        self.peer = peer
        self.service = service
        self.limits = limits
        outbound = Lock(Outbound(socket: socket))
        // A larger buffer helps while a peer is busy for a moment. It is not essential: the system's maximum may be
        // lower.
        try? socket.descriptor.setSocketOption(SO_SNDBUF, to: 1 << 20)
    }

    func start() throws(Errno) {
        guard let socket = outbound.withLock({ $0.socket }) else { return }
        try loop.add(self, socket.descriptor, token: token)
    }

    /// Closes the connection. Every call in flight fails, and served calls are cancelled.
    ///
    /// Packets that the kernel has accepted still reach the peer. Queued packets for a peer that does not read are
    /// dropped.
    package func close() {
        beginClosing(.closedHere)
    }

    /// Calls a function when the connection has ended, after all calls in flight have failed. If it has ended
    /// already, the function is called soon, on the connections' thread.
    package func onClose(_ handler: @escaping @Sendable (CloseReason) -> Void) {
        let ended: CloseReason? = calls.withLock { calls in
            if calls.closeReason == nil { calls.closeHandlers.append(handler) }
            return calls.closeReason
        }
        if let ended { loop.perform { handler(ended) } }
    }

    /// The reason why the connection ended, or `nil` while it is open.
    package var closeReason: CloseReason? { calls.withLock { $0.closeReason } }
}

extension Connection: Hashable {
    package static func == (left: Connection, right: Connection) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Connection {
    /// Requests the end of the connection, which the loop's thread carries out. Does not wait for it.
    func beginClosing(_ reason: CloseReason) {
        outbound.withLock { $0.beginClosing(reason, isClosing) }
    }

    /// Ends the connection. Runs on the loop's thread only.
    func finish(_ reason: CloseReason) {
        loop.remove(token: token)
        let (socket, dropped) = outbound.withLock { ($0.socket, $0.end()) }
        let ended = calls.withLock { $0.end(reason) }
        guard let ended else { return }
        withExtendedLifetime(dropped) {}
        for (_, receiver) in ended.pending.sorted(by: { $0.key < $1.key }) { receiver.fail(.disconnected(reason)) }
        for (_, record) in ended.served.sorted(by: { $0.key < $1.key }) { record.cancel() }
        for handler in ended.closeHandlers { handler(reason) }
        // Last, when no caller waits for the end any more.
        if let socket { takeQueued(from: socket) }
    }

    /// The most packets that a socket holds, and more.
    private static let mostQueued = 2048

    /// Takes the descriptors out of packets that were not received, so that each is closed with the care that the closer
    /// takes. Those that the kernel closes with a socket may linger.
    private func takeQueued(from socket: SequencedPacketSocket) {
        socket.shutDown()
        withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
            for _ in 0..<Self.mostQueued where lane.count <= limits.unclosedDescriptors {
                do throws(Errno) {
                    let packet = try socket.receive(into: byte, closingOn: lane)
                    // A peer that means to may have sent an empty packet, which looks like the end.
                    if packet.byteCount == 0, packet.descriptors.isEmpty, !isPeerConfined { return }
                } catch {
                    if error != .connectionReset { return }
                }
            }
        }
    }
}
