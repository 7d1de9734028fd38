import LinuxSystem

/// Tells which answers of the provider are older than what it said since they were asked for.
///
/// Questions overlap: a page may be made up before a rename and arrive after the rename was confirmed, and would then take the
/// item back to where it was. An answer counts for an item only as far as nothing newer was said of it after the question.
final class AnswerOrder: Sendable {
    /// Something that was asked; for as long as it is kept, what is said meanwhile is remembered.
    final class Question: Sendable {
        fileprivate let time: Int
        private let order: AnswerOrder

        fileprivate init(_ order: AnswerOrder, _ time: Int) {
            self.order = order
            self.time = time
        }

        deinit { order.end(time) }
    }

    private struct State {
        /// Counts what is said.
        var time = 0
        /// How many questions are kept that were asked at each time.
        var open: [Int: Int] = [:]
        /// When something was last said of an item, by its identifier.
        var said: [String: Int] = [:]
        /// Of questions that were asked before, everything is taken to be old: what was said since was too much to remember.
        var forgotten = 0

        func hasNews(of identifier: String, since question: Question) -> Bool {
            question.time < forgotten || said[identifier].map { $0 > question.time } ?? false
        }
    }

    /// So many items are remembered.
    private static let limit = 1 << 16

    // Innermost.
    private let state = Lock(State())

    /// To be called before the provider is asked.
    func ask() -> Question {
        Question(
            self,
            state.withLock { state in
                state.open[state.time, default: 0] += 1
                return state.time
            })
    }

    /// Something was said of items that answers to earlier questions do not know.
    func note(_ identifiers: some Collection<String>) {
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

    /// Whether something was said of an item since a question was asked.
    func hasNews(of identifier: String, since question: Question) -> Bool {
        state.withLock { $0.hasNews(of: identifier, since: question) }
    }

    /// Those of the items of which something was said since a question was asked.
    func withNews(_ identifiers: some Sequence<String>, since question: Question) -> Set<String> {
        state.withLock { state in
            guard !state.said.isEmpty || state.forgotten > 0 else { return [] }
            return Set(identifiers.filter { state.hasNews(of: $0, since: question) })
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
