import CFuse
import Fuse
import Glibc
import LinuxSystem

/// Takes connections, has each served by a process of its own, and keeps count of what each user has.
///
/// Nothing that clients send is received on this thread, nor closed on it: a descriptor may be of a file system whose
/// server never answers, and the thread that looks at it or closes it waits for that one. A process that does so
/// hangs for its own connection only, and a thread that closes what a refused client has sent for that user's refused
/// connections only.
struct PassthroughListener {
    private struct Server {
        let program: ChildProgram
        let process: ProcessDescriptor
        let channel: SequencedPacketSocket
        let user: uid_t
    }

    /// The most servers of all users: of clients that are welcome, and of those that are about to be. No other
    /// connection is kept.
    private static let serverLimit = 1024
    /// Of one user; each domain takes one. One that hangs counts for as long as it does.
    private static let userServerLimit = 64
    /// Of one user.
    private static let fileLimit: Int32 = 16_384
    private static let listenerToken: UInt64 = 0
    /// Each server has two tokens: an even one for its process, and the next one for the channel to it.
    private static let firstToken: UInt64 = 2
    /// There is no room for another connection: it is not looked for again at once.
    private static let pauseMicroseconds: UInt32 = 10_000

    private let listener: SequencedPacketSocket
    private let poll: EventPoll
    private var servers: [UInt64: Server] = [:]
    private var nextToken = Self.firstToken
    private var starts = StartAllowance()
    /// How many each user has registered and not taken back, over connections that have ended too: the kernel keeps those for as
    /// long as their session lasts. It drops them with the session, which nobody is told, so that this may be more than there are.
    private var files: [uid_t: Int32] = [:]
    private var refused = RefusedConnections()

    init(at path: String) throws(Errno) {
        // One that was left by another start; anything else there is in the way.
        if let status = try? FileStatus.of(path, followingLinks: false), status.kind == .socket { unlink(path) }
        listener = try .bound(to: LocalSocketAddress(path: path))
        try ResourceLimit.descriptors.raise()
        // A client sends none before it is welcome.
        listener.setTakesDescriptors(false)
        try listener.listen()
        poll = try EventPoll()
        try poll.add(listener.descriptor, for: .readable, token: Self.listenerToken)
        try retrying { cfuse_hand_down_capabilities() }
        // Everybody may ask, once there is somebody to answer.
        try retrying { chmod(path, 0o666) }
    }

    /// Listens for ever.
    mutating func listen() throws(Errno) {
        var ready: [EventPoll.Event] = []
        while true {
            ready.removeAll(keepingCapacity: true)
            try poll.wait(timeoutMilliseconds: -1, appendingTo: &ready)
            for event in ready {
                if event.token == Self.listenerToken {
                    // By now only the server has the connection: the last one to close it closes what waits in it.
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

    /// - Returns: the channel to a server that waits for the word to begin.
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
            // It waits for nothing any more.
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
            // The same one, also where the file was replaced meanwhile.
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
            // It ends without having looked at the connection.
            channel.shutDown()
            _ = try? program.wait()
            throw error
        }
        return channel
    }

    /// Closes a connection that is not served, at once. If its client has sent descriptors without having been
    /// welcome, closing those may block: a thread of that user's does it, which no other user waits for.
    private mutating func refuse(_ connection: SequencedPacketSocket, of user: uid_t, _ error: Errno) {
        try? connection.send(value: PassthroughMessage.Welcome(-error.rawValue))
        // Nothing is sent to it after that.
        connection.shutDown()
        if connection.waitingDescriptorCount != 0 { connection.descriptor.close(on: refused.lane(of: user)) }
    }

    /// A process has ended.
    private mutating func end(_ token: UInt64) {
        guard let server = servers.removeValue(forKey: token) else { return }
        try? poll.remove(server.process.descriptor)
        try? poll.remove(server.channel.descriptor)
        _ = try? server.program.wait()
    }

    // MARK: Files

    /// A server registers a file, or has taken one back.
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
            // It is about to end, and may hang at that.
            try? poll.remove(server.channel.descriptor)
        }
    }
}
