import CFuse
import CLinux
import Fuse
import Glibc
import LinuxSystem

/// The part of a mount that takes `CAP_SYS_ADMIN`: telling the kernel which file to read in the place of a mounted one.
///
/// Of root's rights it keeps that one and the one to act as somebody else. Each file is registered in the name of the user who
/// asks, so that the kernel opens it later with that user's rights and no more, and only files that belong to that user are. What
/// the user has to show is a FUSE device and the file, both open.
///
/// One thread, because a process's user is the same for all of its threads.
struct Helper {
    private struct Client {
        let socket: SequencedPacketSocket
        let user: PeerCredentials
        var device: FileDescriptor?
        /// What is registered and was not taken back. The kernel drops it with the session.
        var files: Set<Int32> = []
    }

    private static let clientLimit = 256
    /// Of one client; as many files as it may have open otherwise.
    private static let fileLimit = 65_536
    private static let listenerToken: UInt64 = 0

    private let listener: SequencedPacketSocket
    private let poll: EventPoll
    private var clients: [UInt64: Client] = [:]
    private var lastToken = Helper.listenerToken

    init(listeningAt path: String) throws(Errno) {
        // One that was left by another start; anything else there is in the way.
        if let status = try? FileStatus.of(path, followingLinks: false), status.kind == .socket { unlink(path) }
        listener = try .bound(to: LocalSocketAddress(path: path))
        // Everybody may ask.
        try retrying { chmod(path, 0o666) }
        try listener.listen()
        poll = try EventPoll()
        try poll.add(listener.descriptor, for: .readable, token: Self.listenerToken)
        try retrying { cfuse_keep_needed_capabilities() }
    }

    /// Serves for ever.
    mutating func serve() throws(Errno) {
        var ready: [EventPoll.Event] = []
        while true {
            ready.removeAll(keepingCapacity: true)
            try poll.wait(timeoutMilliseconds: -1, appendingTo: &ready)
            for event in ready {
                if event.token == Self.listenerToken { accept() } else { serve(event.token) }
            }
        }
    }

    private mutating func accept() {
        guard let socket = try? listener.accept(), let user = try? socket.peerCredentials(),
            clients.count < Self.clientLimit
        else { return }
        lastToken += 1
        guard (try? poll.add(socket.descriptor, for: .readable, token: lastToken)) != nil else { return }
        clients[lastToken] = Client(socket: socket, user: user)
    }

    /// Answers one packet, or lets go of a client that has gone or says what it cannot.
    private mutating func serve(_ token: UInt64) {
        guard var client = clients[token] else { return }
        var question: PassthroughMessage.Question = (-1, 0)
        let size = MemoryLayout<PassthroughMessage.Question>.size
        do throws(Errno) {
            let packet = try withUnsafeMutableBytes(of: &question) { bytes throws(Errno) in
                try client.socket.receive(into: bytes)
            }
            guard packet.byteCount == size, !packet.isTruncated else { throw .invalidArgument }
            var answer: PassthroughMessage.Answer
            do throws(Errno) {
                answer = try self.answer(question, packet.descriptors, of: &client)
            } catch {
                answer = -error.rawValue
            }
            try withUnsafeBytes(of: &answer) { bytes throws(Errno) in try client.socket.send(bytes) }
            clients[token] = client
        } catch .wouldBlock {
            return
        } catch {
            try? poll.remove(client.socket.descriptor)
            clients[token] = nil
        }
    }

    private func answer(
        _ question: PassthroughMessage.Question, _ descriptors: [FileDescriptor], of client: inout Client
    ) throws(Errno) -> Int32 {
        switch question.what {
        case PassthroughMessage.greeting:
            guard let device = descriptors.first, client.device == nil else { throw .invalidArgument }
            guard try Self.isFuseDevice(device) else { throw .notPermitted }
            client.device = device
            return 0
        case PassthroughMessage.open:
            guard let device = client.device, let file = descriptors.first else { throw .invalidArgument }
            guard client.files.count < Self.fileLimit else { throw .systemDescriptorLimit }
            let status = try file.status()
            guard status.kind == .regular, status.owner == client.user.userID, file.isOpenForReading else {
                throw .notPermitted
            }
            let identifier = try Self.acting(as: client.user) { () throws(Errno) in
                try retrying { cfuse_backing_open(device.rawValue, file.rawValue) }
            }
            client.files.insert(identifier)
            return identifier
        case PassthroughMessage.close:
            guard let device = client.device, question.number > 0 else { throw .invalidArgument }
            // What it has not registered, the process before it in the same session may have. Numbers are of one session, and whoever
            // has its device answers all of its requests: there is nobody else to take a file away from.
            try retrying { cfuse_backing_close(device.rawValue, question.number) }
            client.files.remove(question.number)
            return 0
        default:
            throw .noSystemCall
        }
    }

    /// Character device 10:229.
    private static func isFuseDevice(_ file: FileDescriptor) throws(Errno) -> Bool {
        let status = try file.status()
        return status.kind == .characterDevice && status.raw.st_rdev == dev_t(10 << 8 | 229)
    }

    private static func acting<Result>(
        as user: PeerCredentials, _ body: () throws(Errno) -> Result
    ) throws(Errno) -> Result {
        // Whoever cannot get back to being itself must not go on.
        defer { if cfuse_act_as(0, 0) < 0 { exit(1) } }
        try retrying { cfuse_act_as(user.userID, user.groupID) }
        return try body()
    }
}
