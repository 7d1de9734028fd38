import CLinux
import Glibc

/// A process, represented by a descriptor (pidfd). Unlike a PID, the descriptor never refers to a different process.
package struct ProcessDescriptor: Sendable {
    /// The descriptor. For poll(2) and epoll(7), it is readable after the process has ended.
    package let descriptor: FileDescriptor
    /// The PID of the process. It may refer to another process after this process has ended and its parent has waited
    /// for it.
    package let processID: pid_t

    package init(_ descriptor: FileDescriptor, processID: pid_t) {
        self.descriptor = descriptor
        self.processID = processID
    }

    /// Opens the process that has the given PID now. Throws `noSuchProcess` if there is none.
    package static func open(_ processID: pid_t) throws(Errno) -> ProcessDescriptor {
        guard processID > 0 else { throw .noSuchProcess }
        let descriptor = FileDescriptor(owning: try retrying { clinux_pidfd_open(processID) })
        return ProcessDescriptor(descriptor, processID: processID)
    }

    /// Whether the process has ended. This is `true` even if its parent has not waited for it yet.
    package var hasEnded: Bool { hasEnded(within: 0) }

    /// Blocks until the process has ended, or the given number of milliseconds has passed. Returns whether the process
    /// has ended. The parent need not have waited for it.
    package func hasEnded(within milliseconds: CInt) -> Bool {
        var request = pollfd(fd: descriptor.rawValue, events: CShort(POLLIN), revents: 0)
        let deadline = ContinuousClock.now + .milliseconds(Int(milliseconds))
        while true {
            // An interruption by a signal does not prolong the wait.
            let left = (deadline - .now) / .milliseconds(1)
            let ready = poll(&request, 1, CInt(max(0, left.rounded(.up))))
            if ready < 0, errno == EINTR { continue }
            return ready > 0
        }
    }

    /// Whether the process has ended, or is ending and has already released its memory.
    ///
    /// A killed process first releases its memory, then closes its descriptors one by one. It counts as ended only when
    /// its last thread has left the kernel. On a busy machine, a process that replaces it may already be running before
    /// that.
    package var isDying: Bool {
        if hasEnded { return true }
        var first: CChar = 0
        guard readlink("/proc/\(processID)/exe", &first, 1) < 0, Errno.current == .noSuchFile else { return false }
        // Returns `false` if `/proc` hides the other process from this process.
        return hasEnded || access("/proc/\(processID)", F_OK) == 0
    }

    /// Sends a signal to this process. The signal never reaches another process that has got the same PID. Throws
    /// `noSuchProcess` if the process has ended.
    package func send(signal: CInt) throws(Errno) {
        try retrying { clinux_pidfd_send_signal(descriptor.rawValue, signal) }
    }
}

extension ProcessDescriptor {
    /// The executable file that a process runs.
    package struct Executable: Hashable, Sendable {
        /// The identity of the file, which does not depend on the file's current path.
        package let identity: FileStatus.Identity
        /// The path of the file as this process sees it; `nil` if the file was deleted, or if its path is not visible
        /// to this process.
        package let path: String?
    }

    /// Returns the executable that the process runs at the moment. The result may be outdated soon, because the process
    /// can run another executable with exec(2).
    ///
    /// - Throws: `noSuchProcess` if the process has ended, even if its PID was reused in the meantime;
    ///   `permissionDenied` if this user may not inspect the process.
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
        // If the process has not ended even now, the PID belonged to it when the link was opened.
        guard !hasEnded else { throw .noSuchProcess }
        return Executable(identity: status.identity, path: file.path)
    }

    /// Returns the process's start time in clock ticks since boot (field 22 of `/proc/PID/stat`); `nil` if it cannot be
    /// read.
    package func startTicks() -> UInt64? {
        guard let file = try? FileDescriptor.open("/proc/\(processID)/stat", .readOnly) else { return nil }
        let text: String? = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            guard let count = try? file.read(into: buffer) else { return nil }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
        // The second field is the name in parentheses, and may contain anything, parentheses too.
        guard let text, let nameEnd = text.lastIndex(of: ")"), !hasEnded else { return nil }
        let fields = text[text.index(after: nameEnd)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }

    /// Returns the current time in clock ticks since boot, rounded up. It is never less than `startTicks()` of a
    /// process that exists.
    package static func ticksSinceBoot() -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        let ticksPerSecond = UInt64(sysconf(CInt(_SC_CLK_TCK)))
        return UInt64(now.tv_sec) * ticksPerSecond + UInt64(now.tv_nsec) * ticksPerSecond / 1_000_000_000 + 1
    }
}
