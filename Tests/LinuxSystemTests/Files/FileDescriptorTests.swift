import FileTesting
import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct FileDescriptorTests {
    private func write(_ text: String, to file: FileDescriptor) throws {
        try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
    }

    private func read(_ file: FileDescriptor, at offset: Int = 0, room: Int = 100) throws -> String {
        var buffer = [UInt8](repeating: 0, count: room)
        let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    @Test func everyDescriptorIsCloseOnExec() throws {
        let memory = try MemoryFile.create(name: "test")
        let (one, other) = try SequencedPacketSocket.pair()
        let all = [
            memory, try memory.duplicate(), try memory.reopen(.readOnly), try .open("/", [.readOnly, .directory]),
            one.descriptor, other.descriptor, try EventCounter().descriptor,
            try ProcessDescriptor.open(getpid()).descriptor,
        ]
        for file in all { #expect(fcntl(file.rawValue, F_GETFD) & FD_CLOEXEC != 0) }
    }

    @Test func aDuplicateIsTheSameOpenFileWithAnOwnerOfItsOwn() throws {
        var first: FileDescriptor? = try MemoryFile.create(name: "test")
        let second = try #require(try first?.duplicate())
        try write("abc", to: #require(first))
        first = nil
        // The position is shared, and the file is still open.
        try write("def", to: second)
        #expect(try read(second) == "abcdef")
    }

    @Test func reopeningGivesAPositionAndAnAccessOfItsOwn() throws {
        let file = try MemoryFile.create(name: "test")
        try write("abcdef", to: file)
        let again = try file.reopen(.readOnly)
        var buffer = [UInt8](repeating: 0, count: 3)
        #expect(try buffer.withUnsafeMutableBytes { try again.read(into: $0) } == 3)
        #expect(buffer == Array("abc".utf8))
        #expect(throws: Errno(rawValue: EBADF)) { try write("no", to: again) }
    }

    @Test func readingAtAnOffsetLeavesThePositionAloneAndEndsWithTheFile() throws {
        let file = try MemoryFile.create(name: "test")
        try write("abcdef", to: file)
        #expect(try read(file, at: 4) == "ef")
        #expect(try read(file, at: 6) == "")
        try write("gh", to: file)
        try Array("XY".utf8).withUnsafeBytes { try file.writeAll($0, at: 1) }
        #expect(try read(file) == "aXYdefgh")
        try file.truncate(to: 2)
        #expect(try file.status().size == 2)
    }

    @Test func failuresSayWhatTheSystemSays() throws {
        #expect(throws: Errno.noSuchFile) { try FileDescriptor.open("/no/such/file", .readOnly) }
        #expect(throws: Errno.notDirectory) { try FileDescriptor.open("/proc/self/exe", [.readOnly, .directory]) }
        #expect(throws: Errno.isDirectory) { try FileDescriptor.open("/", .writeOnly) }
        #expect("\(Errno.noSpace)" == "No space left on device")
        let full = try FileDescriptor.open("/dev/full", .writeOnly)
        #expect(throws: Errno.noSpace) { try write("a", to: full) }
    }

    @Test func aPathThatMayNotLeaveItsDirectoryDoesNot() throws {
        let directory = try FileDescriptor.open("/proc/self", [.readOnly, .directory])
        _ = try directory.open("status", .readOnly, resolving: .beneath)
        #expect(throws: Errno.crossDevice) { try directory.open("../version", .readOnly, resolving: .beneath) }
        #expect(throws: Errno.crossDevice) { try directory.open("/proc/version", .readOnly, resolving: .beneath) }
        #expect(throws: Errno.self) { try directory.open("exe", .readOnly, resolving: [.beneath, .noSymbolicLinks]) }
    }

    @Test func aDescriptorKnowsItsPathWhileItHasOne() throws {
        #expect(try FileDescriptor.open("/usr", [.pathOnly]).path == "/usr")
        #expect(try MemoryFile.create(name: "test").path == nil)
        let folder = try SocketFolder()
        let file = try FileDescriptor.open(folder.path + "/socket", [.writeOnly, .create])
        #expect(file.path == folder.path + "/socket")
        unlink(folder.path + "/socket")
        #expect(file.path == nil)
    }

    @Test func aFileMayHaveANameLikeThatOfARemovedOne() throws {
        let folder = try TestFolder()
        let file = try folder.file("a (deleted)", [1])
        #expect(file.path == folder.path + "/a (deleted)")
        let removed = try folder.file("a", [2])
        unlink(folder.path + "/a")
        #expect(removed.path == nil)
        unlink(folder.path + "/a (deleted)")
        #expect(file.path == nil)
    }
}
