import CFuse
import Fuse
import Glibc
import LinuxSystem

/// The listening process. It accepts connections, starts a process to serve each of them, and counts each user's
/// processes and registered files.
///
/// The listening thread neither receives nor closes descriptors that clients send. A descriptor may belong to a file
/// system whose server does not reply, and a thread that uses or closes such a descriptor hangs. A serving process that
/// hangs affects only its own connection. A thread that hangs while it closes descriptors of a refused client affects
/// only refused connections of the same user.
struct PassthroughListener {
    private struct Server {
        let program: ChildProgram
        let process: ProcessDescriptor
        let channel: SequencedPacketSocket
        let user: uid_t
    }

    /// The maximum number of serving processes of all users. Other connections are refused.
    private static let serverLimit = 1024
    /// The maximum number of serving processes of one user. Each domain needs one process. A process that hangs counts
    /// until it ends.
    private static let userServerLimit = 64
    /// The maximum number of registered files of one user.
    private static let fileLimit: Int32 = 16_384
    private static let listenerToken: UInt64 = 0
    /// The first token of a server. Each server has two tokens: an even number for its process, and the next number for
    /// its channel.
    private static let firstToken: UInt64 = 2
    /// The pause after a call of accept(2) that failed for lack of descriptors or memory.
    private static let pauseMicroseconds: UInt32 = 10_000

    private let listener: SequencedPacketSocket
    private let poll: EventPoll
    private var servers: [UInt64: Server] = [:]
    private var nextToken = Self.firstToken
    private var starts = StartAllowance()
    /// The number of files that each user has registered and not deregistered. Files of ended connections count,
    /// because the kernel keeps such files open until their FUSE session ends. The end of a session is not reported, so
    /// the number can be too high.
    private var files: [uid_t: Int32] = [:]
    private var refused = RefusedConnections()

    init(at path: String) throws(Errno) {
        // Removes a socket that was left by an earlier run. Any other file at the path makes bind(2) fail.
        if let status = try? FileStatus.of(path, followingLinks: false), status.kind == .socket { unlink(path) }
        listener = try .bound(to: LocalSocketAddress(path: path))
        try ResourceLimit.descriptors.raise()
        // Clients may not send descriptors before they have received the welcome message.
        listener.setTakesDescriptors(false)
        try listener.listen()
        poll = try EventPoll()
        try poll.add(listener.descriptor, for: .readable, token: Self.listenerToken)
        try retrying { cfuse_hand_down_capabilities() }
        // Users get the permission to connect only now, after the socket has begun to listen.
        try retrying { chmod(path, 0o666) }
    }

    /// Accepts connections and serves messages. Does not return.
    mutating func listen() throws(Errno) {
        var ready: [EventPoll.Event] = []
        while true {
            ready.removeAll(keepingCapacity: true)
            try poll.wait(timeoutMilliseconds: -1, appendingTo: &ready)
            for event in ready {
                if event.token == Self.listenerToken {
                    // The serving process now has the only descriptor of the connection. Therefore that process closes
                    // descriptors that wait in the socket.
                    if let channel = accept() { try? channel.send(value: Channel.begin) }
                } else if event.token % 2 == 0 {
                    end(event.token)
                } else {
                    count(for: event.token - 1)
                }
            }
        }
    }

    // MARK: Connections

    /// Accepts a connection and starts a process for it.
    ///
    /// - Returns: the channel to the process, which waits for a message before it begins; `nil` if there is no
    ///   connection, or if it is refused.
    private mutating func accept() -> SequencedPacketSocket? {
        let connection: SequencedPacketSocket
        do throws(Errno) {
            connection = try listener.accept()
        } catch {
            usleep(Self.pauseMicroseconds)
            return nil
        }
        let user: uid_t
        do throws(Errno) {
            user = try connection.peerCredentials().userID
        } catch {
            connection.shutDown()
            connection.descriptor.close(on: refused.lane(of: .max))
            return nil
        }
        do throws(Errno) {
            // A client that has disconnected already needs no process.
            if connection.isHungUp { throw .notConnected }
            return try start(for: connection, of: user)
        } catch {
            refuse(connection, of: user, error)
            return nil
        }
    }

    private mutating func start(
        for connection: SequencedPacketSocket, of user: uid_t
    ) throws(Errno) -> SequencedPacketSocket {
        guard servers.count < Self.serverLimit,
            servers.values.count(where: { $0.user == user }) < Self.userServerLimit, starts.take(user, at: .now)
        else { throw .connectionRefused }
        connection.setTakesDescriptors(true)
        let (channel, theirs) = try SequencedPacketSocket.pair()
        let program = try ChildProgram.start(
            // This path starts the same program, even if its file was replaced meanwhile.
            "/proc/self/exe", arguments: [Channel.argument],
            descriptors: [nil, nil, .copy(of: STDERR_FILENO), connection.descriptor, theirs.descriptor])
        let token = nextToken
        nextToken += 2
        do throws(Errno) {
            let process = try ProcessDescriptor.open(program.processID)
            try poll.add(process.descriptor, for: .readable, token: token)
            try poll.add(channel.descriptor, for: .readable, token: token + 1)
            servers[token] = Server(program: program, process: process, channel: channel, user: user)
        } catch {
            // The closed channel makes the process end before it uses the connection.
            channel.shutDown()
            _ = try? program.wait()
            throw error
        }
        return channel
    }

    /// Refuses a connection and closes it. If its client has already sent descriptors, closing them may block. In that
    /// case a thread for this user's refused connections closes the connection.
    private mutating func refuse(_ connection: SequencedPacketSocket, of user: uid_t, _ error: Errno) {
        try? connection.send(value: PassthroughMessage.Welcome(-error.rawValue))
        // Prevents the client from sending further packets.
        connection.shutDown()
        if connection.waitingDescriptorCount != 0 { connection.descriptor.close(on: refused.lane(of: user)) }
    }

    /// Removes a process that has ended.
    private mutating func end(_ token: UInt64) {
        guard let server = servers.removeValue(forKey: token) else { return }
        try? poll.remove(server.process.descriptor)
        try? poll.remove(server.channel.descriptor)
        _ = try? server.program.wait()
    }

    // MARK: Files

    /// Counts a file that a server is about to register, or has deregistered.
    private mutating func count(for token: UInt64) {
        guard let server = servers[token] else { return }
        do throws(Errno) {
            var change: Channel.Change = 0
            try server.channel.receive(value: &change)
            let count = max(0, files[server.user, default: 0] + change)
            let isWelcome = change < 0 || count <= Self.fileLimit
            if isWelcome { files[server.user] = count > 0 ? count : nil }
            try server.channel.send(value: isWelcome ? 0 : -Errno.systemDescriptorLimit.rawValue)
        } catch .wouldBlock {
            return
        } catch {
            // The process is about to end, but may hang before its end. Its channel is not polled any more.
            try? poll.remove(server.channel.descriptor)
        }
    }
}

/// The queues that close refused connections in which descriptors wait, on at most one thread per user.
struct RefusedConnections {
    private static let closer = DescriptorCloser()
    private var lanes: [uid_t: DescriptorCloseQueue] = [:]

    /// Returns the queue that closes a user's connections.
    mutating func lane(of user: uid_t) -> DescriptorCloseQueue {
        if let lane = lanes[user] { return lane }
        // Idle queues can be dropped, because a new queue does the same.
        if lanes.count >= 256 { lanes = lanes.filter { $0.value.count > 0 } }
        let lane = DescriptorCloseQueue(Self.closer)
        lanes[user] = lane
        return lane
    }
}

/// A rate limit for starting processes, per user. It is needed because each start delays all other users.
///
/// A user may start ``burst`` processes at once, and after that one process per ``interval``. A daemon needs one
/// process per domain.
struct StartAllowance {
    /// The number of processes that a user may start at once before the rate limit applies. It allows a daemon with
    /// many domains to restart a few times.
    private static let burst = 256
    private static let interval = Duration.milliseconds(50)

    private struct Use {
        var count: Int
        /// The instant up to which `count` was already reduced for the time that has passed.
        var since: ContinuousClock.Instant
    }

    /// The starts that still count against the allowance, by user.
    private var uses: [uid_t: Use] = [:]

    /// Whether a process may be started for a user. If so, the start is counted.
    mutating func take(_ user: uid_t, at now: ContinuousClock.Instant) -> Bool {
        var use = uses[user] ?? Use(count: 0, since: now)
        let regained = Int((now - use.since) / Self.interval)
        if regained >= use.count {
            use = Use(count: 0, since: now)
        } else {
            use.count -= regained
            use.since += Self.interval * regained
        }
        let isAllowed = use.count < Self.burst
        if isAllowed { use.count += 1 }
        uses[user] = use
        if uses.count > 1_000 { uses = uses.filter { now - $0.value.since < Self.interval * Self.burst } }
        return isAllowed
    }
}
