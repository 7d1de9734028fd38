import CLinux
import Glibc

/// A process, held by descriptor (pidfd): unlike its number it never comes to mean another process.
package struct ProcessDescriptor: Sendable {
    /// Readable for poll(2) and epoll(7) once the process has ended.
    package let descriptor: FileDescriptor
    /// The number it had, and has for as long as it has not ended and been waited for.
    package let processID: pid_t

    package init(_ descriptor: FileDescriptor, processID: pid_t) {
        self.descriptor = descriptor
        self.processID = processID
    }

    /// The process that has a number now. Fails with `noSuchProcess` when there is none.
    package static func open(_ processID: pid_t) throws(Errno) -> ProcessDescriptor {
        guard processID > 0 else { throw .noSuchProcess }
        let descriptor = FileDescriptor(owning: try retrying { clinux_pidfd_open(processID) })
        return ProcessDescriptor(descriptor, processID: processID)
    }

    /// Whether the process has ended, waited for or not.
    package var hasEnded: Bool { hasEnded(within: 0) }

    /// Blocks until the process has ended, waited for or not, but not for longer than so many milliseconds. Returns whether it
    /// has.
    package func hasEnded(within milliseconds: CInt) -> Bool {
        var request = pollfd(fd: descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        let deadline = ContinuousClock.now + .milliseconds(Int(milliseconds))
        while true {
            // A signal's handler does not make it longer.
            let left = (deadline - .now) / .milliseconds(1)
            let ready = poll(&request, 1, CInt(max(0, left.rounded(.up))))
            if ready < 0, errno == EINTR { continue }
            return ready != 0
        }
    }

    /// Whether the process has ended, or runs no program any more and is about to.
    ///
    /// A process that is killed loses its memory first, then closes its descriptors one after the other, and has ended only when the
    /// last of its threads has left the kernel: on a busy machine the next process may be there before that.
    package var isDying: Bool {
        if hasEnded { return true }
        var first: CChar = 0
        guard readlink("/proc/\(processID)/exe", &first, 1) < 0, Errno.current == .noSuchFile else { return false }
        // Not where this process cannot see the other one at all.
        return hasEnded || access("/proc/\(processID)", F_OK) == 0
    }

    /// Sends a signal to this process and to no other. Fails with `noSuchProcess` when it has ended.
    package func send(signal: CInt) throws(Errno) {
        try retrying { clinux_pidfd_send_signal(descriptor.rawValue, signal) }
    }
}

extension ProcessDescriptor {
    /// The program a process runs.
    package struct Executable: Hashable, Sendable {
        /// The file itself, whatever its path is now.
        package let identity: FileStatus.Identity
        /// Its path as this process sees it, or `nil` when it has been deleted or lies outside of what can be seen.
        package let path: String?
    }

    /// The program the process runs now. A process can change it by exec(2): ask when it matters.
    ///
    /// The answer is about this process even when its number has been recycled in the meantime: then it fails with
    /// `noSuchProcess`. Fails with `permissionDenied` when this user may not look at that process.
    package func executable() throws(Errno) -> Executable {
        let link = "/proc/\(processID)/exe"
        let file: FileDescriptor
        let status: FileStatus
        do {
            file = try FileDescriptor.open(link, .pathOnly)
            status = try file.status()
        } catch .noSuchFile {
            // A process that has ended and was not waited for has no program any more.
            throw .noSuchProcess
        }
        // The number was this process's for as long as the process is still there.
        guard !hasEnded else { throw .noSuchProcess }
        return Executable(identity: status.identity, path: file.path)
    }

    /// When the process started, in clock ticks since the system did (field 22 of `/proc/PID/stat`).
    package func startTicks() -> UInt64? {
        guard let file = try? FileDescriptor.open("/proc/\(processID)/stat", .readOnly) else { return nil }
        let text: String? = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            guard let count = try? file.read(into: buffer) else { return nil }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
        // The second field is the name in parentheses and may contain anything, parentheses too.
        guard let text, let nameEnd = text.lastIndex(of: ")"), !hasEnded else { return nil }
        let fields = text[text.index(after: nameEnd)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }

    /// Clock ticks since the system started, rounded up: never less than `startTicks()` of a process that exists.
    package static func ticksSinceBoot() -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        let ticksPerSecond = UInt64(sysconf(CInt(_SC_CLK_TCK)))
        return UInt64(now.tv_sec) * ticksPerSecond + UInt64(now.tv_nsec) * ticksPerSecond / 1_000_000_000 + 1
    }
}
