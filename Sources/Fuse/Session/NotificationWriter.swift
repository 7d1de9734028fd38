import CFuse
import Glibc
import LinuxSystem

/// A thread that writes notifications. The writes may block on kernel locks. The thread has no descriptor except the
/// device's.
///
/// A write that blocks on a lock continues only after the reply to the request that holds the lock. If this process is
/// killed, no reply comes, and the thread continues to exist with all descriptors that it shares. File locks and
/// sockets of the killed process would then stay open. They would block the next process, which must run to end the
/// session. Therefore this thread unshares its descriptor table, by close_range(2) with CLOSE_RANGE_UNSHARE. Afterwards
/// it must not open or close descriptors or start threads, because the rest of the process would not see these changes.
/// Therefore the thread only writes messages and frees memory.
final class NotificationWriter: Sendable {
    /// An element of a linked list of batches of messages. If a batch has no messages, the thread ends.
    private final class Batch: Sendable {
        let frames = Lock<[[UInt8]]?>(nil)
        let next = Lock<Batch?>(nil)
        let isReady = Latch()
        let isWritten = Latch()
    }

    private let next: Lock<Batch>

    /// Starts the thread. Must not be called on a thread of this kind.
    init(_ device: FileDescriptor) throws(Errno) {
        let first = Batch()
        next = Lock(first)
        let number = device.rawValue
        let isUnshared = Latch()
        try SystemThread.start("purvey-notify") {
            // If the kernel cannot unshare the descriptor table, the thread shares it with all other threads.
            _ = cfuse_part_descriptors(number)
            isUnshared.open()
            Self.run(first, number)
        }
        // The descriptor must stay open until the thread has its own descriptor table.
        withExtendedLifetime(device) { isUnshared.wait() }
    }

    deinit { next.withLock { $0 }.isReady.open() }

    /// Writes messages of the kernel's protocol, and returns when they are written. Not thread-safe.
    func write(_ frames: [[UInt8]]) {
        let batch = next.withLock { next in
            let batch = next
            next = Batch()
            batch.next.withLock { $0 = next }
            return batch
        }
        batch.frames.withLock { $0 = frames }
        batch.isReady.open()
        batch.isWritten.wait()
    }

    private static func run(_ first: Batch, _ device: CInt) {
        var batch = first
        while true {
            batch.isReady.wait()
            guard let frames = batch.frames.withLock({ $0.take() }), let next = batch.next.withLock({ $0.take() })
            else { return }
            for frame in frames { write(frame, to: device) }
            batch.isWritten.open()
            batch = next
        }
    }

    /// Writes one message. If the kernel has not cached the object of the message, the kernel replies with ENOENT,
    /// which is ignored.
    static func write(_ frame: [UInt8], to device: CInt) {
        frame.withUnsafeBytes { frame in
            while cfuse_write(device, frame.baseAddress, frame.count, nil, 0) < 0, errno == EINTR {}
        }
    }
}
