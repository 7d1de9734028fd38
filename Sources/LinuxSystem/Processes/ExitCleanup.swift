import Glibc

/// Removes a resource that a program creates for the time that it runs, such as a mount, a daemon or a directory. The
/// resource is removed when this object is released, or when a signal ends the program.
package final class ExitCleanup: Sendable {
    private struct State {
        var removals: [(number: UInt64, removal: @Sendable () -> Void)] = []
        var lastNumber: UInt64 = 0
        /// Whether a signal is ending the program.
        var isEnding = false
    }

    // Leaf lock: removals run after it is released.
    private static let all = Lock(State())
    private let number: UInt64

    /// Registers the removal of a resource. If a signal is already ending the program, removes the resource at once and
    /// does not return.
    package init(_ removal: @escaping @Sendable () -> Void) {
        let number: UInt64? = Self.all.withLock { all in
            guard !all.isEnding else { return nil }
            all.lastNumber += 1
            all.removals.append((all.lastNumber, removal))
            return all.lastNumber
        }
        guard let number else {
            removal()
            Self.waitForEnd()
        }
        self.number = number
    }

    deinit { remove() }

    /// Removes the resource, unless it was already removed.
    package func remove() { take()?() }

    /// Cancels the removal, because the resource was already removed in another way.
    package func forget() { _ = take() }

    private func take() -> (@Sendable () -> Void)? {
        Self.all.withLock { all in
            all.removals.firstIndex { $0.number == number }.map { all.removals.remove(at: $0).removal }
        }
    }

    /// Removes all resources, the newest first, so that a mount is removed before the directory that it is mounted on.
    package static func removeAll() {
        while let last = all.withLock({ $0.removals.popLast() }) { last.removal() }
    }

    /// Blocks until the program has ended, if a signal is ending it; otherwise returns at once. Called before an exit,
    /// which would interrupt the removal of the resources, and before another program is started.
    package static func waitIfEnding() {
        if all.withLock({ $0.isEnding }) { waitForEnd() }
    }

    private static func waitForEnd() -> Never {
        while true { pause() }
    }

    /// Installs signal handlers that remove all resources before SIGTERM, SIGINT or SIGHUP ends the program.
    package static func removeAllAtSignals() throws {
        let wake = wake
        for number in [SIGTERM, SIGINT, SIGHUP] {
            signal(number) { number in
                // Only async-signal-safe functions such as write(2) are allowed in a signal handler.
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(ExitCleanup.wake.1, &byte, 1)
            }
        }
        try SystemThread.start("leftovers") {
            var number: UInt8 = 0
            while read(wake.0, &number, 1) != 1 {}
            all.withLock { $0.isEnding = true }
            removeAll()
            _exit(128 + CInt(number))
        }
    }

    /// A pipe through which the signal handlers wake the thread that removes the resources. It is created before the
    /// handlers are installed.
    private static let wake: (CInt, CInt) = {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }()
}
