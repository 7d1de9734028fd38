import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct ProcessDescriptorTests {
    @Test func ourOwnProcessIsDescribed() throws {
        let own = try ProcessDescriptor.open(getpid())
        #expect(!own.hasEnded)
        try own.send(signal: 0)
        #expect(try own.executable().identity == FileStatus.of("/proc/self/exe").identity)
        let started = try #require(own.startTicks())
        #expect(started > 0)
        #expect(started <= ProcessDescriptor.ticksSinceBoot())
    }

    @Test func aProcessThatEndedIsKnownToHaveEndedWhateverItsNumberMeansNow() throws {
        let child = try ChildProgram.start("/bin/sleep", arguments: ["1000"], descriptors: [nil, nil, nil])
        let process = try ProcessDescriptor.open(child.processID)
        #expect(!process.hasEnded)
        #expect(try process.executable().path?.hasSuffix("/sleep") == true)
        try process.send(signal: SIGKILL)
        // Ended, and not waited for: the number is still taken.
        var waiting = pollfd(fd: process.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        try retrying { poll(&waiting, 1, -1) }
        #expect(process.hasEnded)
        #expect(throws: Errno.noSuchProcess) { try process.executable() }
        #expect(process.startTicks() == nil)
        #expect(try child.wait() == .signalled(SIGKILL))
        #expect(process.hasEnded)
        #expect(throws: Errno.noSuchProcess) { try process.executable() }
        #expect(throws: Errno.noSuchProcess) { try process.send(signal: SIGKILL) }
    }

    @Test func aNumberThatNoProcessHasIsReported() {
        #expect(throws: Errno.noSuchProcess) { try ProcessDescriptor.open(0) }
        #expect(throws: Errno.noSuchProcess) { try ProcessDescriptor.open(-1) }
        // Above the greatest number there can be (2^22).
        #expect(throws: Errno.self) { try ProcessDescriptor.open(pid_t.max) }
    }
}
