import CFuse
import Glibc
import LinuxSystem

/// A thread that writes to the kernel what may have to wait for the kernel's locks, and has no descriptor but the device's.
///
/// Nothing ends such a wait but an answer to the request that has the lock. When this process is killed there is none, and the thread
/// stays, with all descriptors that it shares with others: then the locks and sockets of a dead process would keep the next one out,
/// which is to end the session. So this one shares none: close_range(2), CLOSE_RANGE_UNSHARE. What it opened or closed, and the
/// threads that it started, would be in a world of its own. It does neither: it writes, and lets go of nothing but memory.
final class Teller: Sendable {
    /// What is written before the next look for more; `nil` ends the thread.
    private final class Turn: Sendable {
        let frames = Lock<[[UInt8]]?>(nil)
        let next = Lock<Turn?>(nil)
        let hasCome = Latch()
        let isOver = Latch()
    }

    private let turn: Lock<Turn>

    /// Starts the thread. Not on such a thread.
    init(_ device: FileDescriptor) throws(Errno) {
        let first = Turn()
        turn = Lock(first)
        let number = device.rawValue
        let hasParted = Latch()
        try SystemThread.start("purvey-teller") {
            // Where the kernel cannot do that, all is as it is with any other thread.
            _ = cfuse_part_descriptors(number)
            hasParted.open()
            Self.run(first, number)
        }
        // Until then the descriptor must stay.
        withExtendedLifetime(device) { hasParted.wait() }
    }

    deinit { turn.withLock { $0 }.hasCome.open() }

    /// Writes messages of the kernel's protocol, and comes back when that is done. For one thread at a time.
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

    /// Writes one message. The kernel answers with ENOENT for what it does not keep, which is as good.
    static func write(_ frame: [UInt8], to device: CInt) {
        frame.withUnsafeBytes { frame in
            while cfuse_write(device, frame.baseAddress, frame.count, nil, 0) < 0, errno == EINTR {}
        }
    }
}
