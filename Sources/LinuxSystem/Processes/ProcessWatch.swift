import Glibc

/// Reports the ends of any number of processes. All waits use one thread, which exists only while processes are
/// watched.
package final class ProcessWatch: Sendable {
    private struct Watched {
        let process: ProcessDescriptor
        let deadline: ContinuousClock.Instant
        let isOver: @Sendable (Bool) -> Void
    }

    private struct State {
        var watched: [UInt64: Watched] = [:]
        var isRunning = false
    }

    // Leaf lock: closures are called after it is released.
    private let state = Lock(State())
    /// The counter that wakes the thread when a wait is added. `nil` if no descriptor was available for the counter. In
    /// that case, the thread checks for new waits periodically.
    private let hasChanged = try? EventCounter()
    private static let usualPause: CInt = 100

    package init() {}

    /// Starts to wait for the end of a process, with a timeout. Does not block.
    ///
    /// - Parameters:
    ///   - pause: the timeout.
    ///   - number: an identifier of this wait for ``stopWatching(_:)``, unique among the current waits.
    ///   - isOver: called with `true` when the process has ended, or with `false` when the timeout has passed. Not
    ///     called if the wait was cancelled before. The closure must not block.
    package func watch(
        _ process: ProcessDescriptor, for pause: Duration, as number: UInt64,
        _ isOver: @escaping @Sendable (_ hasEnded: Bool) -> Void
    ) {
        let watched = Watched(process: process, deadline: .now + pause, isOver: isOver)
        let isNew = state.withLock { state in
            state.watched[number] = watched
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isNew else {
            hasChanged?.raise()
            return
        }
        do {
            try SystemThread.start("purvey-watch") { self.run() }
        } catch {
            HandlerThreads.shared.run { self.run() }
        }
    }

    /// Cancels the wait with the given identifier, if it exists.
    package func stopWatching(_ number: UInt64) {
        state.withLock { $0.watched[number] = nil }
    }

    private func run() {
        while true {
            let watched = state.withLock { state in
                if state.watched.isEmpty { state.isRunning = false }
                return state.watched
            }
            guard let next = watched.values.map(\.deadline).min() else { return }
            let numbers = watched.keys.sorted()
            var requests = numbers.compactMap { watched[$0] }.map {
                pollfd(fd: $0.process.descriptor.rawValue, events: CShort(POLLIN), revents: 0)
            }
            if let hasChanged {
                requests.append(pollfd(fd: hasChanged.descriptor.rawValue, events: CShort(POLLIN), revents: 0))
            }
            let left = max(0, ((next - .now) / .milliseconds(1)).rounded(.up))
            let pause = CInt(min(left, Double(CInt.max)))
            // A failed poll, for lack of memory for example, is repeated. The deadlines are still checked.
            if poll(&requests, nfds_t(requests.count), hasChanged == nil ? min(pause, Self.usualPause) : pause) < 0 {
                usleep(1_000)
                for index in requests.indices { requests[index].revents = 0 }
            }
            hasChanged?.reset()
            for (number, request) in zip(numbers, requests) {
                let hasEnded = request.revents != 0
                let over = state.withLock { state -> Watched? in
                    guard let known = state.watched[number], hasEnded || known.deadline <= .now else { return nil }
                    return state.watched.removeValue(forKey: number)
                }
                over?.isOver(hasEnded)
            }
        }
    }
}
