import CFuse
import Fuse
import Glibc
import LinuxSystem

/// Registers backing files with the kernel, for FUSE passthrough. This is the part of a mount that requires
/// `CAP_SYS_ADMIN`.
///
/// The process retains only this capability. It registers only files of the client's user. It registers them with this
/// user's ID, so that the kernel later opens the files with this user's rights. The client must send open descriptors
/// of the FUSE device and of each file.
///
/// One process serves one connection. It ends with the connection or with the listening process.
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

    /// Serves the client until the client disconnects, or until receiving or sending a packet fails. Throws the error
    /// that ends the connection.
    mutating func serve() throws(Errno) {
        try hearListener()
        // The listening process may have ended before this process was set up to end together with it.
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
            // An earlier process may have registered the file for the same FUSE session, so the identifier is not
            // checked. Identifiers belong to one session, and only one client serves a session. Therefore closing an
            // identifier affects no other client.
            try retrying { cfuse_backing_close(device.rawValue, request.number) }
            try count(-1)
            return 0
        default:
            throw .noSystemCall
        }
    }

    /// Whether a descriptor refers to the FUSE device: character device 10:229.
    private static func isFuseDevice(_ file: FileDescriptor) throws(Errno) -> Bool {
        let status = try file.status()
        return status.kind == .characterDevice && status.raw.st_rdev == dev_t(10 << 8 | 229)
    }

    // MARK: The listening process

    /// Reports a change to the listening process, which counts the user's files over all connections. Throws if the
    /// limit is reached.
    private func count(_ change: Channel.Change) throws(Errno) {
        try listener.send(value: change)
        try hearListener()
    }

    /// Waits for a reply of the listening process, and throws the error in the reply. The reply arrives soon, because
    /// the listening process never blocks.
    private func hearListener() throws(Errno) {
        try listener.waitForPacket()
        var answer: Channel.Answer = 0
        try listener.receive(value: &answer)
        guard answer >= 0 else { throw Errno(rawValue: -answer) }
    }
}

/// The protocol between the listening process and a process that serves a connection. Each message is one packet.
enum Channel {
    /// The argument of a serving process. Such a process inherits two descriptors: `connection` is the socket to the
    /// client, and `listener` is the socket to the listening process.
    static let argument = "--serve"
    static let connection: Int32 = 3
    static let listener: Int32 = 4

    /// The first message of the listening process. It makes the other process begin to serve.
    static let begin: Int32 = 0

    /// A change of the number of registered files: 1 before a file is registered, -1 after a file is deregistered.
    typealias Change = Int32
    /// The reply to each change: 0, or a negative error number.
    typealias Answer = Int32
}
