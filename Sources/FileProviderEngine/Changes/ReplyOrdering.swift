import ItemValues
import LinuxSystem

/// Detects stale replies: those that are older than a report that the provider made after the request was sent.
///
/// Requests overlap. The provider may compute a page before a rename, and the page may arrive after the rename was
/// confirmed. The page would then undo the rename locally. A reply is used for an item only if no other report of the
/// item has arrived since the request was sent.
package final class ReplyOrdering: Sendable {
    /// A request whose reply is still in use. While any such object exists, ``ReplyOrdering`` remembers which items are
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
        /// The number of requests whose replies are still in use, by the logical time at which the requests were sent.
        var open: [Int: Int] = [:]
        /// The logical time of the last report of each item, by identifier.
        var said: [ExactText: Int] = [:]
        /// The logical time of the oldest request whose reply may be used. Replies to earlier requests count as stale
        /// for all items, because the reports before this time are no longer stored.
        var forgotten = 0

        func isStale(for identifier: String, since request: Request) -> Bool {
            request.time < forgotten || said[ExactText(identifier)].map { $0 > request.time } ?? false
        }
    }

    /// The maximum number of items whose last report is remembered.
    private static let limit = 1 << 16

    // Leaf lock.
    private let state = Lock(State())

    package init() {}

    /// Returns the context of a request that the caller is about to send.
    package func beginRequest() -> Request {
        Request(
            self,
            state.withLock { state in
                state.open[state.time, default: 0] += 1
                return state.time
            })
    }

    /// Records that the given items were reported. For these items, the replies to earlier requests are stale.
    func noteReport(of identifiers: some Collection<String>) {
        guard !identifiers.isEmpty else { return }
        state.withLock { state in
            guard !state.open.isEmpty else { return }
            state.time += 1
            for identifier in identifiers { state.said[ExactText(identifier)] = state.time }
            guard state.said.count > Self.limit else { return }
            state.said = [:]
            state.forgotten = state.time
        }
    }

    /// Whether the given item was reported after the given request was sent.
    func isStale(for identifier: String, since request: Request) -> Bool {
        state.withLock { $0.isStale(for: identifier, since: request) }
    }

    /// Returns those of the given items that were reported after the given request was sent.
    func staleItems(_ identifiers: some Sequence<String>, since request: Request) -> Set<ExactText> {
        state.withLock { state in
            guard !state.said.isEmpty || state.forgotten > 0 else { return [] }
            return Set(texts: identifiers.filter { state.isStale(for: $0, since: request) })
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
