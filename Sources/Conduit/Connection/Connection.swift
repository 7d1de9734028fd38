import Glibc
import LinuxSystem
import Synchronization

/// One end of a connection with another process, over a local socket. Both sides make calls, serve calls and send
/// notices, with descriptors attached.
///
/// - Threads: any thread may call any function, and no function blocks except `callAndWait`. Handlers, completion
///   handlers, progress and close closures run on the thread that serves connections, in the order in which the
///   messages arrive, with no lock held. They may use this and every other connection, and must not block. There is one
///   exception: `cancel()` runs the completion handler on the calling thread.
/// - Confined peers: a connection to a confined peer has a separate thread, so that decoding the peer's messages does
///   not delay other connections. Its handlers run concurrently with those of other connections. When the peer's
///   process has ended, its requests and large notices are dropped. Replies and small notices, which are limited by the
///   socket's buffer, are still received.
/// - Descriptors: another thread closes the descriptors that the peer sent, including the descriptors in packets that
///   this side never reads.
/// - Lifetime: an open connection retains itself until one side closes it. The creator must close it.
package final class Connection: Sendable {
    package let peer: Peer
    package let limits: ConnectionLimits
    /// The calls and notices that this side serves.
    let service: Service
    let loop: EventLoop
    let isPeerConfined: Bool
    /// The queue that closes the socket and the descriptors that the peer sent.
    let lane: DescriptorCloseQueue
    let token: UInt64

    let nextCall = Atomic<UInt64>(1)
    /// Whether this side has begun to shut the socket down. Data that arrives later is ignored.
    let isClosing = Atomic<Bool>(false)
    /// Whether too much data is queued to be sent to the peer. While this is `true`, this side reads nothing from the
    /// peer.
    let isClogged = Atomic<Bool>(false)
    /// Whether too many of the peer's descriptors wait to be closed. While this is `true`, this side reads nothing from
    /// the peer.
    let isClosingBehind = Atomic<Bool>(false)
    /// Whether received descriptors may still wait to be closed. Set when descriptors arrive, and cleared when all are
    /// closed. Only the loop's thread uses this property.
    let mayHaveUnclosed = Atomic<Bool>(false)
    /// Whether the confined process at the other end is known to have ended. Only the loop's thread uses this property.
    let hasPeerGone = Atomic<Bool>(false)
    let receiveBudget = ReceiveBudget()

    // Lock order: `calls` and `outbound` are never held together. The loop's lock may be taken inside either. No
    // message, handler or closure of a caller runs or is destroyed under them.
    let calls = Lock(Calls())
    let outbound: Lock<Outbound>

    /// Creates a connection over a connected socket, and starts it.
    ///
    /// - Parameters:
    ///   - service: the calls and notices that this side serves. For other calls, this side replies with an error.
    ///   - isPeerConfined: whether the peer is a confined process, such as an extension's, and therefore not trusted.
    ///     Such a connection gets a separate thread, so that the peer does not delay other connections.
    package convenience init(
        _ socket: SequencedPacketSocket, service: Service = Service(), limits: ConnectionLimits = .init(),
        isPeerConfined: Bool = false
    ) throws(Errno) {
        try self.init(
            socket, peer: Peer(of: socket, identifyingProcess: false), service: service, limits: limits,
            isPeerConfined: isPeerConfined)
        try start()
    }

    /// Creates a connection that receives nothing until `start()` is called.
    init(
        _ socket: SequencedPacketSocket, peer: Peer, service: Service, limits: ConnectionLimits,
        isPeerConfined: Bool = false
    ) throws(Errno) {
        loop = isPeerConfined ? try EventLoop.ofOnePeer() : try EventLoop.shared()
        self.isPeerConfined = isPeerConfined
        lane = DescriptorCloseQueue()
        // The queue closes the socket later, because closing the socket may block: it also closes the descriptors in
        // packets that were not received.
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

    /// Closes the connection. Every call that waits for a reply fails, and calls that this side serves are cancelled.
    ///
    /// Packets that the kernel has accepted still reach the peer. Packets that are still queued in this process are
    /// dropped.
    package func close() {
        beginClosing(.closedHere)
    }

    /// Calls a function when the connection has ended, after all calls that waited for a reply have failed. If the
    /// connection has ended already, the function is called soon, on the thread that serves connections.
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
    /// Requests that the loop's thread end the connection. Does not wait for the end.
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
        // The remaining packets come last, because no caller waits for them, and receiving them may take a while.
        if let socket { takeQueued(from: socket) }
    }

    /// An upper bound of the number of packets in a socket's buffer.
    private static let mostQueued = 2048

    /// Receives the remaining packets, so that the close queue closes each of their descriptors with
    /// ``DescriptorCloser/closeWithoutLingering``. The kernel would close the descriptors of unread packets in the
    /// usual way. If such a descriptor is a socket, this may block.
    private func takeQueued(from socket: SequencedPacketSocket) {
        socket.shutDown()
        withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
            for _ in 0..<Self.mostQueued where lane.count <= limits.unclosedDescriptors {
                do throws(Errno) {
                    let packet = try socket.receive(into: byte, closingOn: lane)
                    // Such a packet marks the end of input. However, a confined peer may be hostile and may also send
                    // empty packets, so its remaining packets are received.
                    if packet.byteCount == 0, packet.descriptors.isEmpty, !isPeerConfined { return }
                } catch {
                    if error != .connectionReset { return }
                }
            }
        }
    }
}
