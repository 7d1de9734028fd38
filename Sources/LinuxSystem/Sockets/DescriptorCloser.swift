import Glibc

/// A thread pool that closes descriptors that other processes have sent.
///
/// close(2) of a received descriptor may block for as long as the peer chooses: a TCP socket with SO_LINGER waits for
/// its receiver, and a file waits for the server of its file system. Each peer has a ``DescriptorCloseQueue``, which
/// uses at most one thread. Therefore a peer delays the descriptors of other peers only if ``threadLimit`` queues are
/// blocked.
package final class DescriptorCloser: Sendable {
    package static let shared = DescriptorCloser()

    /// The maximum number of threads that close descriptors at the same time.
    package static let threadLimit = 64
    /// The number of descriptors that a thread closes for one queue before it serves the next waiting queue.
    private static let turn = 64

    private struct State {
        var threads = 0
        /// The queues that wait for a thread, in order.
        var waiting: [DescriptorCloseQueue] = []
    }

    // Leaf lock.
    private let state = Lock(State())
    private let close: @Sendable (CInt) -> Void
    private let threadLimit: Int

    /// Creates a closer.
    ///
    /// - Parameters:
    ///   - threadLimit: the maximum number of threads at the same time.
    ///   - close: closes one descriptor. It may block.
    package init(
        threadLimit: Int = DescriptorCloser.threadLimit,
        close: @escaping @Sendable (CInt) -> Void = DescriptorCloser.closeWithoutLingering
    ) {
        self.threadLimit = threadLimit
        self.close = close
    }

    /// Assigns a thread to a queue, now or when a thread is free.
    func serve(_ lane: DescriptorCloseQueue) {
        let hasThread = state.withLock { state in
            guard state.threads < threadLimit else {
                state.waiting.append(lane)
                return false
            }
            state.threads += 1
            return true
        }
        if hasThread { HandlerThreads.shared.run { [self] in run(lane) } }
    }

    private func run(_ first: DescriptorCloseQueue) {
        var lane = first
        while true {
            let isUnfinished = lane.closeSome(atMost: Self.turn, with: close)
            let next = state.withLock { state -> DescriptorCloseQueue? in
                if isUnfinished {
                    guard !state.waiting.isEmpty else { return lane }
                    state.waiting.append(lane)
                }
                if state.waiting.isEmpty {
                    state.threads -= 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
            guard let next else { return }
            lane = next
        }
    }

    /// Closes a descriptor. If it is a socket, first disables SO_LINGER, so that closing does not wait for the socket's
    /// receiver. The kernel still sends the data that is left in the socket.
    ///
    /// The call may block in spite of this, because another process that has the same socket can set SO_LINGER again
    /// before the close.
    package static let closeWithoutLingering: @Sendable (CInt) -> Void = { number in
        var option = linger()
        var size = socklen_t(MemoryLayout<linger>.size)
        // getsockopt(2) fails if this is not a socket.
        if getsockopt(number, SOL_SOCKET, SO_LINGER, &option, &size) == 0, option.l_onoff != 0, option.l_linger > 0 {
            option.l_onoff = 0
            _ = setsockopt(number, SOL_SOCKET, SO_LINGER, &option, size)
        }
        // Linux frees the number regardless of the result of close(2).
        _ = Glibc.close(number)
    }
}
