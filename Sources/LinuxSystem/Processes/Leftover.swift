import Glibc

/// Something that a program has on the machine while it runs, such as a mount, a daemon or a folder. It goes with this object, and with
/// the program itself when a signal ends that.
package final class Leftover: Sendable {
    private struct State {
        var removals: [(number: UInt64, removal: @Sendable () -> Void)] = []
        var lastNumber: UInt64 = 0
    }

    // Innermost: nothing is taken away while it is held.
    private static let all = Lock(State())
    private let number: UInt64

    package init(_ removal: @escaping @Sendable () -> Void) {
        number = Self.all.withLock { all in
            all.lastNumber += 1
            all.removals.append((all.lastNumber, removal))
            return all.lastNumber
        }
    }

    deinit { remove() }

    /// Takes it away, once.
    package func remove() { take()?() }

    /// Somebody else has taken it away.
    package func forget() { _ = take() }

    private func take() -> (@Sendable () -> Void)? {
        Self.all.withLock { all in
            all.removals.firstIndex { $0.number == number }.map { all.removals.remove(at: $0).removal }
        }
    }

    /// Takes everything away, the newest first: what is mounted before the folder that it is mounted on.
    package static func removeAll() {
        while let last = all.withLock({ $0.removals.popLast() }) { last.removal() }
    }

    /// From now on a signal that asks the program to end takes everything away before.
    package static func removeAllAtSignals() throws {
        let wake = wake
        for number in [SIGTERM, SIGINT, SIGHUP] {
            signal(number) { number in
                // Nothing but a write(2) may happen here.
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(Leftover.wake.1, &byte, 1)
            }
        }
        try SystemThread.start("leftovers") {
            var number: UInt8 = 0
            while read(wake.0, &number, 1) != 1 {}
            removeAll()
            _exit(128 + CInt(number))
        }
    }

    /// A pipe from the signals to whoever cleans up; made before there are any.
    private static let wake: (CInt, CInt) = {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }()
}
