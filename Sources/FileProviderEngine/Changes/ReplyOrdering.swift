import LinuxSystem

/// Detects stale replies, which are older than something learnt from the provider since the request was sent.
///
/// Requests overlap. A page may be assembled before a rename and arrive after the rename was confirmed, and would then
/// undo the rename locally. A reply is used for an item only if nothing newer was learnt about the item after the
/// request.
package final class ReplyOrdering: Sendable {
    /// A request whose reply is still in use. While any such object exists, the ordering remembers which items are
    /// reported.
    package final class Request: Sendable {
        fileprivate let time: Int
        private let order: ReplyOrdering

        fileprivate init(_ order: ReplyOrdering, _ time: Int) {
            self.order = order
            self.time = time
        }

        deinit { order.end(time) }
    }

    private struct State {
        /// The logical clock: the number of reports so far.
        var time = 0
        /// The number of open requests, by the logical time at which they were sent.
        var open: [Int: Int] = [:]
        /// The logical time of the last report of each item, by identifier.
        var said: [String: Int] = [:]
        /// The logical time of the oldest usable request. Replies to earlier requests count as stale for all items,
        /// because the reports before this time were dropped.
        var forgotten = 0

        func isStale(for identifier: String, since request: Request) -> Bool {
            request.time < forgotten || said[identifier].map { $0 > request.time } ?? false
        }
    }

    /// The maximum number of items that are remembered.
    private static let limit = 1 << 16

    // Leaf lock.
    private let state = Lock(State())

    package init() {}

    /// Returns the context of a new request. Called before the request is sent.
    package func beginRequest() -> Request {
        Request(
            self,
            state.withLock { state in
                state.open[state.time, default: 0] += 1
                return state.time
            })
    }

    /// Records that items were reported. For these items, the replies to earlier requests are stale.
    func noteReport(of identifiers: some Collection<String>) {
        guard !identifiers.isEmpty else { return }
        state.withLock { state in
            guard !state.open.isEmpty else { return }
            state.time += 1
            for identifier in identifiers { state.said[identifier] = state.time }
            guard state.said.count > Self.limit else { return }
            state.said = [:]
            state.forgotten = state.time
        }
    }

    /// Whether an item was reported since a request was sent.
    func isStale(for identifier: String, since request: Request) -> Bool {
        state.withLock { $0.isStale(for: identifier, since: request) }
    }

    /// Returns the items that were reported since a request was sent.
    func staleItems(_ identifiers: some Sequence<String>, since request: Request) -> Set<String> {
        state.withLock { state in
            guard !state.said.isEmpty || state.forgotten > 0 else { return [] }
            return Set(identifiers.filter { state.isStale(for: $0, since: request) })
        }
    }

    private func end(_ time: Int) {
        state.withLock { state in
            guard let count = state.open[time] else { return }
            state.open[time] = count > 1 ? count - 1 : nil
            guard state.open.isEmpty else { return }
            state.said = [:]
            state.forgotten = 0
        }
    }
}
