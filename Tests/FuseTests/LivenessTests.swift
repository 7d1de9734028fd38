import CLinux
import FileTesting
import Fuse
import FuseTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests of waits, interrupts and notifications, with separate processes for callers that wait.
@Suite(.ownThreads, .enabled(if: TestMount.isWanted)) struct LivenessTests {
    private func contents(_ path: String) throws -> [UInt8] {
        try FileDescriptor.open(path, .readOnly).readToEnd(limit: 1 << 20)
    }

    private func mountWithSlowFile(
        _ attribute: String, _ way: MemoryFileSystem.Way = .cached
    ) throws -> TestMount {
        let mount = try TestMount(MemoryFileSystem(way))
        try mount.files.add("slow", [1, 2, 3])
        try mount.files.add("quick", [4])
        let file = try FileDescriptor.open(mount.path + "/slow", .readOnly)
        try file.setAttribute(attribute, "")
        return mount
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGKILL], [MemoryFileSystem.Way.cached, .direct])
    func aReaderOfAFileThatNeverComesEndsAtASignal(signal: CInt, way: MemoryFileSystem.Way) throws {
        let mount = try mountWithSlowFile("user.never", way)
        let output = try FileDescriptor.open("/dev/null", .writeOnly)
        let reader = try ChildProgram.start(
            "/bin/cat", arguments: [mount.path + "/slow"], descriptors: [nil, output, output])
        try eventually { mount.files.waitingReads > 0 }
        // The waiting read delays no other request.
        #expect(try contents(mount.path + "/quick") == [4])
        kill(reader.processID, signal)
        #expect(try reader.wait() == .signalled(signal))
        // The kernel's read-ahead for the page cache belongs to no process and continues; other reads are
        // interrupted.
        if way == .direct { try eventually { mount.files.waitingReads == 0 } }
    }

    @Test func aHandlerThatBlocksItsThreadDelaysNoOther() throws {
        let mount = try mountWithSlowFile("user.blocks")
        let output = try FileDescriptor.open("/dev/null", .writeOnly)
        // The readers outnumber the threads.
        let readers = try (0..<8).map { _ in
            try ChildProgram.start(
                "/bin/dd", arguments: ["if=\(mount.path)/slow", "iflag=direct", "bs=4096"],
                descriptors: [nil, output, output])
        }
        try eventually { mount.files.calls("read") >= 8 }
        #expect(try contents(mount.path + "/quick") == [4])
        let slow = try FileDescriptor.open(mount.path + "/slow", .readOnly)
        #expect(clinux_fremovexattr(slow.rawValue, "user.blocks") == 0)
        for reader in readers { #expect(try reader.wait() == .exited(0)) }
    }

    @Test func theExistingThreadServesIfNoOtherCanStart() throws {
        let files = MemoryFileSystem()
        let (slow, starts) = (try files.add("slow", [1, 2, 3]), Starts(given: 2))
        try files.add("quick", [4])
        let mount = try TestMount(files) { $0.startThread = starts.start }
        let output = try FileDescriptor.open("/dev/null", .writeOnly)
        func read() throws -> ChildProgram {
            files.block(slow, true)
            let (reads, refused) = (files.calls("read"), starts.refused)
            let reader = try ChildProgram.start(
                "/bin/dd", arguments: ["if=\(mount.path)/slow", "iflag=direct", "bs=4096"],
                descriptors: [nil, output, output])
            try eventually { files.calls("read") > reads }
            // The attempts exceed the requests: another thread is requested again and again.
            try eventually { starts.refused > refused + 50 }
            return reader
        }
        let first = try read()
        files.block(slow, false)
        #expect(try first.wait() == .exited(0))
        #expect(try contents(mount.path + "/quick") == [4])

        // A thread that starts at last serves the other requests.
        let second = try read()
        starts.give()
        #expect(try contents(mount.path + "/quick") == [4])
        files.block(slow, false)
        #expect(try second.wait() == .exited(0))
    }

    @Test(arguments: [0, 1]) func nothingIsMountedIfTheFirstThreadsCannotStart(given: Int) throws {
        let folder = try TestFolder()
        let files = MemoryFileSystem()
        let starts = Starts(given: given)
        var options = MountOptions(name: "none")
        options.startThread = starts.start
        #expect(throws: MountError.self) { try Session.mount(at: folder.path, options: options, files) }
        #expect(files.hasEnded)
        #expect(starts.refused == 1)
        #expect(try folder.names().isEmpty)
    }

    /// A machine that grants only a number of threads.
    private final class Starts: Sendable {
        // The numbers of threads that are left, and of attempts that were refused.
        private let state: Lock<(left: Int, refused: Int)>

        init(given: Int) { state = Lock((given, 0)) }

        var refused: Int { state.withLock { $0.refused } }

        func give() { state.withLock { $0.left = .max } }

        @Sendable func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
            let isGiven = state.withLock { state in
                guard state.left > 0 else {
                    state.refused += 1
                    return false
                }
                state.left -= 1
                return true
            }
            guard isGiven else { throw .wouldBlock }
            try SystemThread.start(name, body)
        }
    }

    @Test func unmountingEndsWhatWaits() throws {
        let mount = try mountWithSlowFile("user.never")
        let output = try FileDescriptor.open("/dev/null", .writeOnly)
        let reader = try ChildProgram.start(
            "/bin/cat", arguments: [mount.path + "/slow"], descriptors: [nil, output, output])
        try eventually { mount.files.waitingReads > 0 }
        mount.session.unmount(aborting: true)
        #expect(try reader.wait() == .exited(1))
        mount.session.waitForEnd()
        #expect(mount.files.hasEnded)
    }

    @Test func openFilesOutliveAGentleUnmount() throws {
        let mount = try TestMount()
        try mount.files.add("file", [1, 2, 3])
        do {
            let file = try FileDescriptor.open(mount.path + "/file", .readOnly)
            mount.session.unmount()
            #expect(throws: Errno.noSuchFile) { try FileStatus.of(mount.path + "/file") }
            #expect(try file.everything() == [1, 2, 3])
            #expect(!mount.files.hasEnded)
        }
        mount.session.waitForEnd()
        #expect(mount.files.hasEnded)
    }

    @Test func notificationsToTheKernelTakeEffectAtOnce() throws {
        let files = MemoryFileSystem(.keeping, validity: .seconds(3600))
        let node = try files.add("file", [1])
        let mount = try TestMount(files) { $0.dropsChangedPages = false }
        let path = mount.path + "/file"
        #expect(try contents(path) == [1])
        // Cached contents are not requested again.
        try files.overwrite(node, [1, 2, 3])
        #expect(try contents(path) == [1])
        mount.session.invalidate(node)
        try eventually { try contents(path) == [1, 2, 3] }

        // A name that does not exist at first, and then does.
        #expect(throws: Errno.noSuchFile) { try FileStatus.of(mount.path + "/new") }
        try files.add("new", [5])
        #expect(throws: Errno.noSuchFile) { try FileStatus.of(mount.path + "/new") }
        mount.session.invalidateEntry("new", in: .root)
        try eventually { (try? contents(mount.path + "/new")) == [5] }

        // A name that is removed.
        let opened = try FileDescriptor.open(path, .readOnly)
        files.take("file")
        #expect(try FileStatus.of(path).size == 3)
        mount.session.deleteEntry("file", node, in: .root)
        try eventually { (try? FileStatus.of(path)) == nil }
        #expect(try opened.everything() == [1, 2, 3])

        // Contents that are stored in the page cache without a request.
        let other = try files.add("other", [0, 0, 0])
        #expect(try FileStatus.of(mount.path + "/other").size == 3)
        mount.session.store([7, 8, 9], of: other, at: 0)
        try eventually { try contents(mount.path + "/other") == [7, 8, 9] }
        #expect(try FileDescriptor.open(mount.path + "/other", .readOnly).everything() == [7, 8, 9])
    }

    @Test func aFolderThatIsBeingListedKeepsTheKernelFromNothingElse() throws {
        /// A file system that delays its listings until the test allows them.
        final class Slow: FileSystem {
            let waiting = Lock<[Reply<Listing>]>([])
            func attributes(of node: NodeID, handle: UInt64?, _ reply: Reply<AttributesReply>) {
                reply.reply(AttributesReply(Attributes(node: node, mode: S_IFDIR | 0o755), validity: .seconds(3600)))
            }
            func lookup(_ name: Name, in parent: NodeID, _ reply: Reply<Entry>) {
                guard let number = name.text.flatMap({ UInt64($0) }) else {
                    return reply.reply(.none(nameValidity: .seconds(3600)))
                }
                let node = NodeID(rawValue: number)
                reply.reply(
                    Entry(
                        node: node, attributes: Attributes(node: node, mode: S_IFDIR | 0o755),
                        nameValidity: .seconds(3600), attributeValidity: .seconds(3600)))
            }
            func readDirectory(_ node: NodeID, handle: UInt64, after cookie: UInt64, _ reply: Reply<Listing>) {
                if node.rawValue >= 100 { return waiting.withLock { $0.append(reply) } }
                reply.reply(reply.listing())
            }
        }
        let folder = try TestFolder()
        let files = Slow()
        let session = try Session.mount(at: folder.path, options: MountOptions(name: "slow"), files)
        let output = try FileDescriptor.open("/dev/null", .writeOnly)
        let readers = try (100..<104).map { number in
            try ChildProgram.start(
                "/bin/ls", arguments: ["-f", folder.path + "/\(number)"], descriptors: [nil, output, output])
        }
        try eventually { files.waiting.withLock { $0.count } == 4 }
        // The kernel has to wait for these directories.
        for number: UInt64 in 100..<104 {
            for index in 0..<10 { session.invalidateEntry(Name("name \(index)"), in: NodeID(rawValue: number)) }
        }
        // The kernel need not wait for this one.
        #expect(throws: Errno.noSuchFile) { try FileStatus.of(folder.path + "/none") }
        session.invalidateEntry("2", in: .root)
        #expect(try FileStatus.of(folder.path + "/2").kind == .directory)
        files.waiting.withLock { waiting in
            for reply in waiting { reply.reply(reply.listing()) }
            waiting = []
        }
        for reader in readers { #expect(try reader.wait() == .exited(0)) }
        session.unmount(aborting: true)
        session.waitForEnd()
    }

    @Test func manyProgramsAtATimeAreAllServed() async throws {
        let mount = try TestMount()
        let path = mount.path
        let bytes = pattern(200_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for round in 0..<25 {
                        let name = "\(path)/\(number)-\(round)"
                        do {
                            let file = try FileDescriptor.open(name, [.readWrite, .create])
                            try bytes.withUnsafeBytes { try file.writeAll($0) }
                        }
                        let read = try FileDescriptor.open(name, .readOnly).readToEnd(limit: 1 << 20)
                        #expect(read == bytes)
                        if round % 2 == 0 { try retrying { unlink(name) } }
                    }
                }
            }
            try await group.waitForAll()
        }
        let left = try FileDescriptor.open(path, [.readOnly, .directory]).entries()
        #expect(left.count == 8 * 12)
    }
}
