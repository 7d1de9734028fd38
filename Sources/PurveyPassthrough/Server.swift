import CFuse
import Fuse
import Glibc
import LinuxSystem

/// The part of a mount that takes `CAP_SYS_ADMIN`: telling the kernel which file to read in the place of a mounted one.
///
/// Of root's rights it keeps that one. Each file is registered in the name of the user who asks, so that the kernel opens it later
/// with that user's rights and no more, and only files that belong to that user are. What the user has to show is a FUSE device
/// and the file, both open.
///
/// One connection, in a process of its own, which ends with it or with the process that listens.
struct Server {
    private let connection: SequencedPacketSocket
    private let listener: SequencedPacketSocket
    private let user: uid_t
    private var device: FileDescriptor?

    init() throws(Errno) {
        connection = try SequencedPacketSocket(checking: FileDescriptor(owning: Channel.connection))
        listener = try SequencedPacketSocket(checking: FileDescriptor(owning: Channel.listener))
        let peer = try connection.peerCredentials()
        user = peer.userID
        try retrying { cfuse_become_server(peer.userID, peer.groupID) }
    }

    /// Serves until the client goes, or says what it cannot.
    mutating func serve() throws(Errno) {
        try hearListener()
        // It may have ended before it was sure to end this one too.
        guard !listener.isHungUp else { throw .brokenPipe }
        try connection.send(value: PassthroughMessage.Welcome(0))
        while true {
            try connection.waitForPacket()
            var request: PassthroughMessage.Request = (-1, 0)
            let descriptors = try connection.receive(value: &request)
            var reply: PassthroughMessage.Reply
            do throws(Errno) {
                reply = try serve(request, descriptors)
            } catch {
                reply = -error.rawValue
            }
            try connection.send(value: reply)
        }
    }

    private mutating func serve(
        _ request: PassthroughMessage.Request, _ descriptors: [FileDescriptor]
    ) throws(Errno) -> Int32 {
        switch request.operation {
        case PassthroughMessage.greeting:
            guard let device = descriptors.first, self.device == nil else { throw .invalidArgument }
            guard try Self.isFuseDevice(device) else { throw .notPermitted }
            self.device = device
            return 0
        case PassthroughMessage.open:
            guard let device, let file = descriptors.first else { throw .invalidArgument }
            let status = try file.status()
            guard status.kind == .regular, status.owner == user, file.isOpenForReading else { throw .notPermitted }
            try count(1)
            do throws(Errno) {
                return try retrying { cfuse_backing_open(device.rawValue, file.rawValue) }
            } catch {
                try count(-1)
                throw error
            }
        case PassthroughMessage.close:
            guard let device, request.number > 0 else { throw .invalidArgument }
            // What it has not registered, the process before it in the same session may have. Numbers are of one session, and whoever
            // has its device answers all of its requests: there is nobody else to take a file away from.
            try retrying { cfuse_backing_close(device.rawValue, request.number) }
            try count(-1)
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

    // MARK: The listening process

    /// Has the user's files counted, of all connections.
    private func count(_ change: Channel.Change) throws(Errno) {
        try listener.send(value: change)
        try hearListener()
    }

    /// It answers at once, because it waits for nobody.
    private func hearListener() throws(Errno) {
        try listener.waitForPacket()
        var answer: Channel.Answer = 0
        try listener.receive(value: &answer)
        guard answer >= 0 else { throw Errno(rawValue: -answer) }
    }
}
