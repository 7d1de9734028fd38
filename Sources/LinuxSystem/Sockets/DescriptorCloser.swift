import Glibc

/// Closes the descriptors that peers sent, on threads that wait for nothing else.
///
/// close(2) of a descriptor that a peer sent may block for as long as the peer likes: a TCP socket that lingers waits
/// for its receiver, and a file waits for the server of its file system. Each peer has a ``ClosingLane``, which takes
/// one thread at most, so that no peer waits for another one's descriptors unless ``threadLimit`` lanes are blocked.
package final class DescriptorCloser: Sendable {
    package static let shared = DescriptorCloser()

    /// The most threads that close descriptors at the same time.
    package static let threadLimit = 64
    /// The number of descriptors after which a lane makes way for one that waits.
    private static let turn = 64

    private struct State {
        var threads = 0
        /// Lanes that wait for a thread.
        var waiting: [ClosingLane] = []
    }

    // Leaf lock.
    private let state = Lock(State())
    private let close: @Sendable (CInt) -> Void
    private let threadLimit: Int

    /// - Parameters:
    ///   - threadLimit: the most threads at the same time.
    ///   - close: closes one descriptor. It may block.
    package init(
        threadLimit: Int = DescriptorCloser.threadLimit,
        close: @escaping @Sendable (CInt) -> Void = DescriptorCloser.closeWithoutLingering
    ) {
        self.threadLimit = threadLimit
        self.close = close
    }

    /// Gives a lane a thread, now or when one is free.
    func serve(_ lane: ClosingLane) {
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

    private func run(_ first: ClosingLane) {
        var lane = first
        while true {
            let isUnfinished = lane.closeSome(atMost: Self.turn, with: close)
            let next = state.withLock { state -> ClosingLane? in
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

    /// Closes a descriptor. A socket that would wait for its receiver is told not to; the kernel still sends what is
    /// left in it.
    ///
    /// A peer that has the same socket can undo that before it is closed, so that the call may block nevertheless.
    package static let closeWithoutLingering: @Sendable (CInt) -> Void = { number in
        var option = linger()
        var size = socklen_t(MemoryLayout<linger>.size)
        // Fails for what is no socket.
        if getsockopt(number, SOL_SOCKET, SO_LINGER, &option, &size) == 0, option.l_onoff != 0, option.l_linger > 0 {
            option.l_onoff = 0
            _ = setsockopt(number, SOL_SOCKET, SO_LINGER, &option, size)
        }
        // Linux frees the number whatever close(2) answers.
        _ = Glibc.close(number)
    }
}
