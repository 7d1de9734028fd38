import FileTesting
import Fuse
import FuseTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests of sessions of processes without the privilege for passthrough, and of the helper that registers files for
/// them.
@Suite(.ownThreads, .enabled(if: TestMount.isWanted)) struct HelperTests {
    /// A helper that listens.
    private final class Helper {
        let socket: String
        let peer: Peer

        init(in folder: TestFolder) throws {
            let socket = folder.path + "/helper"
            self.socket = socket
            // Other users need access to the socket.
            try retrying { chmod(folder.path, 0o755) }
            peer = try Peer(builtProgram("purvey-passthrough"), [socket])
            try eventually { (try? FileStatus.of(socket).permissions) == 0o666 }
        }

        func end() {
            peer.kill(SIGKILL)
            _ = try? peer.program.wait()
        }

        /// Returns a connection that the helper serves.
        func connect() throws -> SequencedPacketSocket {
            let (connection, welcome) = try tryToConnect()
            try #require(welcome == 0)
            return connection
        }

        /// - Parameter file: A file that is sent before any request.
        func tryToConnect(
            sending file: FileDescriptor? = nil, _ beforeAnswer: () -> Void = {}
        ) throws -> (SequencedPacketSocket, welcome: PassthroughMessage.Welcome) {
            let connection = try SequencedPacketSocket.connect(to: LocalSocketAddress(path: socket))
            // Since Linux 6.16 the kernel lets none through to a listener that does not want them.
            if let file { try? connection.send(value: 0, descriptors: [file]) }
            beforeAnswer()
            try connection.waitForPacket(milliseconds: 60_000)
            var welcome = PassthroughMessage.Welcome.min
            try connection.receive(value: &welcome)
            return (connection, welcome)
        }

        /// Returns the processes that the helper has started and that have not ended.
        func servers() throws -> [ProcessDescriptor] {
            let path = "/proc/\(peer.program.processID)/task/\(peer.program.processID)/children"
            let numbers = try FileDescriptor.open(path, .readOnly).readToEnd(limit: 1 << 16)
            return try String(decoding: numbers, as: UTF8.self).split(separator: " ").compactMap { number in
                try pid_t(number).map { try ProcessDescriptor.open($0) }
            }
        }

        func descriptorCount() throws -> Int {
            try FileDescriptor.open("/proc/\(peer.program.processID)/fd", [.readOnly, .directory]).entries().count
        }
    }

    private static let connectionLimit = 64
    private static let fileLimit = 16_384

    @Test func aProcessWithoutTheRightPassesThroughWithHelp() throws {
        let folder = try TestFolder()
        try folder.folder("mount")
        let helper = try Helper(in: folder)
        defer { helper.end() }
        // The server drops root's privileges once it has mounted, but needs access to the directory.
        try retrying { chmod(folder.path, 0o755) }
        let path = folder.path + "/mount"
        let alone = try Peer(builtProgram("FusePeer"), [path, "passthrough", "user=65534"])
        #expect(try alone.line() == "ready false")
        alone.kill(SIGKILL)
        _ = try alone.program.wait()

        let peer = try Peer(builtProgram("FusePeer"), [path, "passthrough", "user=65534", "helper=\(helper.socket)"])
        #expect(try peer.line() == "ready true")
        let greeting = try FileDescriptor.open(path + "/greeting", .readOnly)
        #expect(try greeting.readToEnd(limit: 100) == Array("hello\n".utf8))
        peer.kill(SIGKILL)
        _ = try peer.program.wait()
        #expect(Session.unmountStale(at: path))
    }

    /// A process of another user at the helper's socket gets neither the session nor files.
    @Test func aHelperOfAnotherUserIsNotUsed() throws {
        let folder = try TestFolder()
        try folder.folder("mount")
        try folder.folder("theirs")
        for name in ["", "/theirs"] { try retrying { chmod(folder.path + name, 0o777) } }
        let socket = folder.path + "/theirs/helper"
        let script = """
            use Socket;
            socket(my $listener, AF_UNIX, SOCK_SEQPACKET, 0) or die;
            umask 0;
            bind($listener, pack_sockaddr_un($ARGV[0])) or die;
            listen($listener, 5) or die;
            $| = 1;
            print "listens\\n";
            while (accept(my $peer, $listener)) { print(recv($peer, my $bytes, 100, 0) ne "" || $bytes ? "asked\\n" : "left\\n") }
            """
        let stranger = try Peer(
            "/usr/bin/setpriv",
            ["--reuid=65533", "--regid=65533", "--clear-groups", "/usr/bin/perl", "-e", script, socket])
        defer {
            stranger.kill(SIGKILL)
            _ = try? stranger.program.wait()
        }
        #expect(try stranger.line() == "listens")
        let path = folder.path + "/mount"
        let peer = try Peer(builtProgram("FusePeer"), [path, "passthrough", "user=65534", "helper=\(socket)"])
        #expect(try peer.line() == "ready false")
        #expect(try stranger.line() == "left")
        peer.kill(SIGKILL)
        _ = try peer.program.wait()
        #expect(Session.unmountStale(at: path))
    }

    /// Sends a request to a helper, and returns its reply.
    private func ask(
        _ connection: SequencedPacketSocket, _ what: Int32, _ file: FileDescriptor?, number: Int32 = 0
    ) throws -> Int32 {
        let request: PassthroughMessage.Request = (what, number)
        try connection.send(value: request, descriptors: file.map { [$0] } ?? [])
        try connection.waitForPacket(milliseconds: 60_000)
        var reply: PassthroughMessage.Reply = .min
        try connection.receive(value: &reply)
        return reply
    }

    @Test func theHelperReleasesWhatItsPredecessorInASessionRegistered() throws {
        let folder = try TestFolder()
        let helper = try Helper(in: folder)
        defer { helper.end() }
        let mounts = try (0..<2).map { _ in try TestMount { $0.wantsPassthrough = true } }
        let devices = mounts.compactMap { $0.session.handover?.devices.first }
        guard devices.count == 2 else { return }
        func connect(_ device: FileDescriptor) throws -> SequencedPacketSocket {
            let connection = try helper.connect()
            #expect(try ask(connection, PassthroughMessage.greeting, device) == 0)
            return connection
        }
        let file = try MemoryFile.create(name: "file")
        let number = try ask(connect(devices[0]), PassthroughMessage.open, file)
        try #require(number > 0)
        // Numbers are valid within a session.
        let other = try connect(devices[1])
        #expect(try ask(other, PassthroughMessage.close, nil, number: number) == -ENOENT)
        let next = try connect(devices[0])
        for bad: Int32 in [0, -1, .min] {
            #expect(try ask(next, PassthroughMessage.close, nil, number: bad) == -EINVAL)
        }
        #expect(try ask(next, PassthroughMessage.close, nil, number: number) == 0)
        #expect(try ask(next, PassthroughMessage.close, nil, number: number) == -ENOENT)
        withExtendedLifetime(mounts) {}
    }

    @Test func theHelperRegistersNothingOfOthers() throws {
        let folder = try TestFolder()
        let helper = try Helper(in: folder)
        defer { helper.end() }
        let connection = try helper.connect()
        let file = try folder.file("file", [1])
        let others = try folder.file("others", [1])
        try retrying { fchown(others.rawValue, 65534, 65534) }
        // A request without a device fails, and so does a greeting with another file.
        #expect(try ask(connection, PassthroughMessage.open, file) == -EINVAL)
        #expect(try ask(connection, PassthroughMessage.greeting, .open("/dev/null", .readWrite)) == -EPERM)
        #expect(try ask(connection, PassthroughMessage.greeting, file) == -EPERM)
        #expect(try ask(connection, PassthroughMessage.greeting, nil) == -EINVAL)
        #expect(try ask(connection, 99, nil) == -ENOSYS)
        #expect(try ask(connection, PassthroughMessage.greeting, .open("/dev/fuse", .readWrite)) == 0)
        #expect(try ask(connection, PassthroughMessage.open, others) == -EPERM)
        #expect(try ask(connection, PassthroughMessage.open, .open(folder.path, .readOnly)) == -EPERM)
        let handle = try FileDescriptor.open(folder.path + "/file", .pathOnly)
        #expect(try ask(connection, PassthroughMessage.open, handle) == -EPERM)
        // For a device without a session, the kernel reports an error.
        #expect(try ask(connection, PassthroughMessage.open, file) < 0)
        #expect(try ask(connection, PassthroughMessage.close, nil) == -EINVAL)
    }

    /// The close of a file waits for its file system.
    @Test func aUserWhoHangsAConnectionPreventsNoRegistration() throws {
        let folder = try TestFolder()
        try folder.folder("mount")
        let helper = try Helper(in: folder)
        defer { helper.end() }
        try folder.folder("hanging")
        let hanging = try Peer(builtProgram("FusePeer"), [folder.path + "/hanging", "hang=\(helper.socket)"])
        defer { _ = try? hanging.program.wait() }
        defer { try? hanging.say() }
        #expect(try hanging.line() == "hangs")
        // Another connection of that user is served by another process.
        #expect(try ask(helper.connect(), PassthroughMessage.greeting, .open("/dev/fuse", .readWrite)) == 0)
        let path = folder.path + "/mount"
        let peer = try Peer(
            builtProgram("FusePeer"), [path, "passthrough", "user=65534", "helper=\(helper.socket)"])
        #expect(try peer.line() == "ready true")
        peer.kill(SIGKILL)
        _ = try peer.program.wait()
        #expect(Session.unmountStale(at: path))
    }

    @Test func theHelperLeavesNoProcessesWhenItEnds() throws {
        let mount = try TestMount()
        let node = try mount.files.add("file")
        let file = try FileDescriptor.open(mount.path + "/file", .readOnly)
        let folder = try TestFolder()
        let helper = try Helper(in: folder)
        defer { helper.end() }
        defer { mount.session.unmount(aborting: true) }
        let connections = try (0..<3).map { _ in try helper.connect() }
        // One connection waits for a file system, and only the end of that file system ends the wait.
        mount.files.neverAnswer("attributes", of: node)
        let calls = mount.files.calls("attributes")
        let request: PassthroughMessage.Request = (PassthroughMessage.greeting, 0)
        try connections[0].send(value: request, descriptors: [file])
        try eventually { mount.files.calls("attributes") > calls }
        let servers = try helper.servers()
        #expect(servers.count == 3)
        helper.end()
        try eventually { servers.count(where: \.hasEnded) == 2 }
        mount.session.unmount(aborting: true)
        try eventually { servers.allSatisfy(\.hasEnded) }
        withExtendedLifetime(connections) {}
    }

    @Test func theHelperKeepsNothingOfConnectionsThatHaveEnded() throws {
        let folder = try TestFolder()
        let helper = try Helper(in: folder)
        defer { helper.end() }
        let count = try helper.descriptorCount()
        for _ in 0..<10 {
            let connection = try helper.connect()
            #expect(try ask(connection, PassthroughMessage.greeting, .open("/dev/fuse", .readWrite)) == 0)
            #expect(try helper.descriptorCount() > count)
        }
        try eventually { try helper.servers().isEmpty && helper.descriptorCount() == count }
    }

    @Test func aUserHasSoManyConnectionsAndIsToldWhenThereAreMore() throws {
        let folder = try TestFolder()
        try folder.folder("mount")
        let helper = try Helper(in: folder)
        defer { helper.end() }
        var connections = try (0..<Self.connectionLimit).map { _ in try helper.connect() }
        let count = try helper.descriptorCount()
        let (refused, welcome) = try helper.tryToConnect()
        #expect(welcome == -Int16(ECONNREFUSED))
        try eventually { refused.isHungUp }
        // Other users are not affected.
        let path = folder.path + "/mount"
        let peer = try Peer(
            builtProgram("FusePeer"), [path, "passthrough", "user=65534", "helper=\(helper.socket)"])
        #expect(try peer.line() == "ready true")
        peer.kill(SIGKILL)
        _ = try peer.program.wait()
        #expect(Session.unmountStale(at: path))
        try eventually { try helper.descriptorCount() == count }

        connections.removeLast()
        try eventually { try helper.tryToConnect().welcome == 0 }
        withExtendedLifetime(connections) {}
    }

    @Test func descriptorsSentOverARefusedConnectionAreClosedAtOnce() throws {
        let folder = try TestFolder()
        let helper = try Helper(in: folder)
        defer { helper.end() }
        let connections = try (0..<Self.connectionLimit).map { _ in try helper.connect() }
        let count = try helper.descriptorCount()
        var (reading, writing): (FileDescriptor, FileDescriptor?) = try FileDescriptor.pipe()
        // The file is queued before the helper looks at the connection.
        helper.peer.kill(SIGSTOP)
        let (refused, welcome) = try helper.tryToConnect(sending: writing) {
            writing = nil
            helper.peer.kill(SIGCONT)
        }
        #expect(welcome == -Int16(ECONNREFUSED))
        // No process has the other end any more: the helper has closed it, or the kernel has refused to transfer it.
        var request = pollfd(fd: reading.rawValue, events: CShort(POLLIN), revents: 0)
        #expect(poll(&request, 1, 300_000) == 1)
        try eventually { try helper.descriptorCount() == count }
        withExtendedLifetime((connections, refused, reading)) {}
    }

    @Test func theFilesOfAUserAreCountedOverAllConnections() throws {
        let folder = try TestFolder()
        let helper = try Helper(in: folder)
        defer { helper.end() }
        let mount = try TestMount { $0.wantsPassthrough = true }
        let device = try #require(mount.session.handover?.devices.first)
        let file = try MemoryFile.create(name: "file")
        func connect() throws -> SequencedPacketSocket {
            let connection = try helper.connect()
            #expect(try ask(connection, PassthroughMessage.greeting, device) == 0)
            return connection
        }
        var connection = try connect()
        var number: Int32 = 0
        for count in 0..<Self.fileLimit {
            // Files that a connection has registered stay registered after its end.
            if count == Self.fileLimit / 2 { connection = try connect() }
            number = try ask(connection, PassthroughMessage.open, file)
            try #require(number > 0)
        }
        #expect(try ask(connection, PassthroughMessage.open, file) == -ENFILE)
        let other = try connect()
        #expect(try ask(other, PassthroughMessage.open, file) == -ENFILE)
        #expect(try ask(other, PassthroughMessage.close, nil, number: 1) == 0)
        #expect(try ask(connection, PassthroughMessage.open, file) > 0)
        #expect(try ask(other, PassthroughMessage.open, file) == -ENFILE)
        // A file that the kernel refuses does not count.
        #expect(try ask(other, PassthroughMessage.close, nil, number: number) == 0)
        let folderFile = try FileDescriptor.open(mount.path + "/stacked", [.create, .readWrite])
        #expect(try ask(other, PassthroughMessage.open, folderFile) == -ELOOP)
        #expect(try ask(other, PassthroughMessage.open, file) > 0)
    }

    /// The thread that closes a file also drops its backing file, and must not wait for a process that does not
    /// reply.
    @Test func lettingGoOfABackingFileWaitsForNoHelper() throws {
        let folder = try TestFolder()
        let path = folder.path + "/helper"
        let listener = try SequencedPacketSocket.bound(to: LocalSocketAddress(path: path))
        try listener.listen()
        let wasLetGo = Latch()
        let asked = Lock<[Int32]>([])
        HandlerThreads.shared.run {
            do throws(Errno) {
                try listener.waitForPacket(milliseconds: 60_000)
                let connection = try listener.accept()
                try connection.send(value: PassthroughMessage.Welcome(0))
                while true {
                    try connection.waitForPacket(milliseconds: 60_000)
                    var request: PassthroughMessage.Request = (-1, 0)
                    try connection.receive(value: &request)
                    asked.withLock { $0.append(request.operation) }
                    if request.operation == PassthroughMessage.close { wasLetGo.wait() }
                    let reply: PassthroughMessage.Reply = request.operation == PassthroughMessage.open ? 5 : 0
                    try connection.send(value: reply)
                }
            } catch {}
        }
        let file = try MemoryFile.create(name: "file")
        let registrar = try HelperRegistrar(path, file)
        var backing: BackingFile? = BackingFile(try registrar.open(file), registrar)
        #expect(backing?.identifier == 5)
        backing = nil
        wasLetGo.open()
        #expect(try registrar.open(file) == 5)
        try eventually { asked.withLock { $0.contains(PassthroughMessage.close) } }
    }
}
