import CFuse
import Glibc
import LinuxSystem

/// A thread that writes notifications, which may block on kernel locks, and that has no descriptor but the device's.
///
/// Only a reply to the request that holds the lock ends such a wait. If this process is killed, no reply comes, and
/// the thread stays with all descriptors that it shares: the locks and sockets of the dead process would keep out the
/// next one, which is to end the session. So this thread unshares its descriptor table: close_range(2),
/// CLOSE_RANGE_UNSHARE. Descriptors that it opened or closed, and those of threads that it started, would be
/// invisible to the process. So it only writes, and frees only memory.
final class Teller: Sendable {
    /// One batch of messages, and the next batch; without messages the thread ends.
    private final class Turn: Sendable {
        let frames = Lock<[[UInt8]]?>(nil)
        let next = Lock<Turn?>(nil)
        let hasCome = Latch()
        let isOver = Latch()
    }

    private let turn: Lock<Turn>

    /// Starts the thread. Must not be called on such a thread.
    init(_ device: FileDescriptor) throws(Errno) {
        let first = Turn()
        turn = Lock(first)
        let number = device.rawValue
        let hasParted = Latch()
        try SystemThread.start("purvey-teller") {
            // If the kernel cannot do that, the thread shares the descriptors like any other.
            _ = cfuse_part_descriptors(number)
            hasParted.open()
            Self.run(first, number)
        }
        // The descriptor must stay open until then.
        withExtendedLifetime(device) { hasParted.wait() }
    }

    deinit { turn.withLock { $0 }.hasCome.open() }

    /// Writes messages of the kernel's protocol, and returns when they are written. Not thread-safe.
    func write(_ frames: [[UInt8]]) {
        let now = turn.withLock { turn in
            let now = turn
            turn = Turn()
            now.next.withLock { $0 = turn }
            return now
        }
        now.frames.withLock { $0 = frames }
        now.hasCome.open()
        now.isOver.wait()
    }

    private static func run(_ first: Turn, _ device: CInt) {
        var turn = first
        while true {
            turn.hasCome.wait()
            guard let frames = turn.frames.withLock({ $0.take() }), let next = turn.next.withLock({ $0.take() }) else {
                return
            }
            for frame in frames { write(frame, to: device) }
            turn.isOver.open()
            turn = next
        }
    }

    /// Writes one message. The kernel replies with ENOENT for something that it does not cache, which is fine.
    static func write(_ frame: [UInt8], to device: CInt) {
        frame.withUnsafeBytes { frame in
            while cfuse_write(device, frame.baseAddress, frame.count, nil, 0) < 0, errno == EINTR {}
        }
    }
}
