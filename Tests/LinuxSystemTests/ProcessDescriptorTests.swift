import Glibc
import LinuxSystem
import TestThreads
import Testing

@Suite(.ownThreads) struct ProcessDescriptorTests {
    @Test func ourOwnProcessIsDescribed() throws {
        let own = try ProcessDescriptor.open(getpid())
        #expect(!own.hasEnded && !own.isDying)
        try own.send(signal: 0)
        #expect(try own.executable().identity == FileStatus.of("/proc/self/exe").identity)
        let started = try #require(own.startTicks())
        #expect(started > 0)
        #expect(started <= ProcessDescriptor.ticksSinceBoot())
    }

    @Test func aProcessThatEndedIsKnownToHaveEndedWhateverItsNumberMeansNow() throws {
        let child = try ChildProgram.start("/bin/sleep", arguments: ["1000"], descriptors: [nil, nil, nil])
        let process = try ProcessDescriptor.open(child.processID)
        #expect(!process.hasEnded && !process.isDying)
        #expect(try process.executable().path?.hasSuffix("/sleep") == true)
        try process.send(signal: SIGKILL)
        // The process has ended but was not reaped, so its ID is still in use.
        var waiting = pollfd(fd: process.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        try retrying { poll(&waiting, 1, -1) }
        #expect(process.hasEnded && process.isDying)
        #expect(throws: Errno.noSuchProcess) { try process.executable() }
        #expect(process.startTicks() == nil)
        #expect(try child.wait() == .signalled(SIGKILL))
        #expect(process.hasEnded)
        #expect(throws: Errno.noSuchProcess) { try process.executable() }
        #expect(throws: Errno.noSuchProcess) { try process.send(signal: SIGKILL) }
    }

    /// A process whose main thread has exited while another one runs. It stands for a dying process that has released
    /// its memory but still has threads in the kernel.
    @Test func aProcessWithoutAProgramIsDyingBeforeItHasEnded() throws {
        let script = """
            import ctypes, sys, threading
            threading.Thread(target=sys.stdin.read).start()
            print("runs", flush=True)
            ctypes.CDLL(None).pthread_exit(None)
            """
        let (theirs, ours) = try FileDescriptor.pipe()
        let (output, writing) = try FileDescriptor.pipe()
        let child = try ChildProgram.start(
            "/usr/bin/python3", arguments: ["-c", script], descriptors: [theirs, consume writing])
        let process = try ProcessDescriptor.open(child.processID)
        defer {
            try? process.send(signal: SIGKILL)
            _ = try? child.wait()
        }
        var line = [UInt8](repeating: 0, count: 5)
        #expect(try line.withUnsafeMutableBytes { try output.read(into: $0) } > 0)
        while !process.isDying { usleep(1_000) }
        #expect(!process.hasEnded)
        withExtendedLifetime(ours) {}
    }

    @Test func aNumberThatNoProcessHasIsReported() {
        #expect(throws: Errno.noSuchProcess) { try ProcessDescriptor.open(0) }
        #expect(throws: Errno.noSuchProcess) { try ProcessDescriptor.open(-1) }
        // Above the greatest possible process ID (2^22).
        #expect(throws: Errno.self) { try ProcessDescriptor.open(pid_t.max) }
    }
}
