import FileTesting
import Fuse
import FuseTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests of sessions that several processes serve in succession, each killed, while the mount stays.
@Suite(.ownThreads, .enabled(if: TestMount.isWanted)) struct HandoverTests {
    /// The processes that serve and keep a session, and the mounted directory.
    private final class Place {
        let folder: TestFolder
        let keeper: Peer
        private(set) var server: pid_t = 0
        private(set) var descriptors = 0

        var path: String { folder.path + "/mount" }

        init(_ arguments: [String] = []) throws {
            folder = try TestFolder()
            try folder.folder("mount")
            try folder.folder("shown")
            try folder.folder("shown/inner")
            for (name, text) in [("file", "hello\n"), ("slow", "at last\n"), ("passed", "through\n")] {
                _ = try folder.file("shown/" + name, Array(text.utf8))
            }
            keeper = try Peer(
                builtProgram("FusePeer"), [folder.path + "/mount", "keep=\(folder.path)/shown"] + arguments)
        }

        deinit {
            // The server is killed first, as the keeper waits for it.
            if server > 0 { kill(server, SIGKILL) }
            keeper.kill(SIGKILL)
            _ = try? keeper.program.wait()
            _ = Session.unmountStale(at: path)
        }

        /// - Returns: Whether the kernel can hand over a session.
        func begin() throws -> Bool {
            let line = try keeper.line()
            guard try note(line) else {
                #expect(line == "no handover")
                return false
            }
            return true
        }

        /// - Returns: Whether the line is that of a server that is ready.
        @discardableResult
        func note(_ line: String) throws -> Bool {
            let words = line.split(separator: " ")
            guard words.first == "ready" else { return false }
            server = try #require(pid_t(words[1]))
            descriptors = try #require(Int(words[2]))
            return true
        }

        func killServer() throws {
            kill(server, SIGKILL)
            #expect(try keeper.line() == "died")
        }

        func succeed(_ word: String = "") throws { try keeper.say(word + "\n") }

        /// Returns the next server's lines, which come in any order. If the server cannot take over, ends the
        /// session, so that no program waits in it for ever.
        func nextServer() throws -> [String] {
            let lines = [try keeper.line(), try keeper.line()]
            for line in lines { try note(line) }
            guard lines.contains(where: { $0.hasPrefix("ready") }) else {
                if server > 0 { Glibc.kill(server, SIGKILL) }
                keeper.kill(SIGKILL)
                Issue.record("the next server does not go on: \(lines)")
                return lines
            }
            return lines
        }
    }

    private func contents(_ path: String) throws -> String {
        String(decoding: try FileDescriptor.open(path, .readOnly).readToEnd(limit: 1 << 20), as: UTF8.self)
    }

    @Test func openFilesAndWaitingRequestsGoOnWithTheNextServer() async throws {
        let place = try Place()
        guard try place.begin() else { return }
        let path = place.path
        let file = try FileDescriptor.open(path + "/file", .readWrite)
        let folder = try FileDescriptor.open(path, [.readOnly, .directory])
        let shell = try Peer(
            "/bin/sh", ["-c", "cd '\(path)/inner' && echo in && read word && /bin/pwd && mkdir deeper && ls"])
        #expect(try shell.line() == "in")
        async let slow = contents(path + "/slow")
        #expect(try place.keeper.line() == "reading")

        try place.killServer()
        // No server replies, and no call fails.
        async let new = onOwnThread { mkdir(path + "/new", 0o700) }
        try place.succeed()
        let lines = try place.nextServer()
        #expect(lines.contains("repeated read"))
        #expect(try await slow == "at last\n")
        #expect(try await new == 0)
        #expect(try String(decoding: file.readToEnd(limit: 100), as: UTF8.self) == "hello\n")
        try Array("HELLO".utf8).withUnsafeBytes { try file.writeAll($0, at: 0) }
        #expect(try contents(path + "/file") == "HELLO\n")
        #expect(try folder.entries().map(\.name.description).sorted() == ["file", "inner", "new", "passed", "slow"])
        try shell.say("\n")
        #expect(try shell.line() == path + "/inner")
        #expect(try shell.line() == "deeper")
        #expect(try shell.program.wait() == .exited(0))
    }

    @Test func unansweredRequestsComeAgainAndAreRecognized() async throws {
        let place = try Place()
        guard try place.begin() else { return }
        let path = place.path
        async let made = onOwnThread { mkdir(path + "/fatal", 0o700) }
        #expect(try place.keeper.line() == "died")
        try place.succeed()
        let lines = try place.nextServer()
        #expect(lines.contains("repeated fatal"))
        #expect(try await made == 0)
        #expect(try FileStatus.of(path + "/fatal").kind == .directory)
    }

    @Test func oneServerAfterTheOtherLeavesNoDescriptorBehind() throws {
        let place = try Place()
        guard try place.begin() else { return }
        let file = try FileDescriptor.open(place.path + "/file", .readWrite)
        var counts: [Int] = []
        for _ in 0..<5 {
            try place.killServer()
            try place.succeed()
            #expect(try place.begin())
            counts.append(place.descriptors)
            try file.withContents { #expect($0 == "hello\n") }
        }
        #expect(Set(counts).count == 1, "\(counts)")
        let kept = try FileDescriptor.open("/proc/\(place.keeper.program.processID)/fd", [.readOnly, .directory])
            .entries().count
        // Three are the keeper's own; the others are the socket, two devices, and the descriptor of this listing.
        #expect(kept < 16)
    }

    @Test func renamesDuringADowntimeAreSeen() throws {
        let place = try Place()
        guard try place.begin() else { return }
        // The kernel may cache these entries for an hour.
        #expect(throws: Errno.noSuchFile) { try FileStatus.of(place.path + "/later") }
        #expect(try FileStatus.of(place.path + "/file").size == 6)
        try place.killServer()
        try place.folder.file("shown/later", Array("more".utf8))
        _ = unlink(place.folder.path + "/shown/file")
        try place.succeed()
        #expect(try place.begin())
        #expect(try FileStatus.of(place.path + "/later").size == 4)
        #expect(throws: Errno.noSuchFile) { try FileStatus.of(place.path + "/file") }
    }

    @Test func filesThatAreMappedThroughGoOnAndNewOpeningsJoinThem() throws {
        let place = try Place(["passthrough"])
        guard try place.begin() else { return }
        let file = try FileDescriptor.open(place.path + "/passed", .readWrite)
        let line = try place.keeper.line()
        let number = line.split(separator: " ").last.map(String.init) ?? ""
        #expect(line == "backing \(number)")
        try place.killServer()
        // A read needs no server; before a write, the kernel requests an attribute.
        try file.withContents { #expect($0 == "through\n") }
        try place.succeed(number)
        #expect(try place.begin())
        try Array("T".utf8).withUnsafeBytes { try file.writeAll($0, at: 0) }
        try file.withContents { #expect($0 == "Through\n") }
        // The kernel refuses an open with another backing file while the first one is in use.
        #expect(try contents(place.path + "/passed") == "Through\n")
    }

    @Test func aSessionThatIsNotRetainedEnds() throws {
        let place = try Place()
        guard try place.begin() else { return }
        let file = try FileDescriptor.open(place.path + "/file", .readOnly)
        try place.killServer()
        place.keeper.kill(SIGKILL)
        #expect(try place.keeper.program.wait() == .signalled(SIGKILL))
        #expect(throws: Errno(rawValue: ENOTCONN)) { try FileStatus.of(place.path) }
        withExtendedLifetime(file) {}
        #expect(Session.unmountStale(at: place.path))
    }

    @Test func descriptorsOfOtherKindsAreNoSessions() throws {
        let folder = try TestFolder()
        let files = FolderFileSystem(folder.path, isFirst: false) { _ in }
        #expect(SessionHandover(record: [1, 2], devices: [try .open("/dev/null", .readWrite)]) == nil)
        let mount = try TestMount()
        guard let handover = mount.session.handover else { return }
        #expect(SessionHandover(record: handover.record, devices: []) == nil)
        let copy = try #require(SessionHandover(record: handover.record, devices: handover.devices))
        mount.session.unmount(aborting: true)
        mount.session.waitForEnd()
        #expect(throws: MountError.self) { try Session.resume(copy, options: MountOptions(name: "none"), files) }
        copy.abandon()
    }
}

extension FileDescriptor {
    /// Passes the contents of the whole file, as read through this open file, to a function.
    fileprivate func withContents(_ body: (String) -> Void) throws {
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = try buffer.withUnsafeMutableBytes { bytes in try read(into: bytes, at: 0) }
        body(String(decoding: buffer.prefix(count), as: UTF8.self))
    }
}

/// Runs a closure on a thread that may block.
private func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async throws -> Result { body() }
