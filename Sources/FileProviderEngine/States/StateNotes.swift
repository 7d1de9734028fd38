import LinuxSystem

/// Which items may show another state than before, of all domains, for those who follow that.
///
/// Engines write, whoever follows asks for what came after a position. Nobody who writes waits for anybody: only the newest
/// notes are kept, and of what was dropped it is known which domains it was of. While nobody follows, nothing is kept.
package final class StateNotes: Sendable {
    package struct Note: Sendable, Equatable {
        /// The domain's identifier.
        package let domain: String
        package let subject: Subject

        package init(domain: String, subject: Subject) {
            self.domain = domain
            self.subject = subject
        }
    }

    package enum Subject: Sendable, Equatable {
        /// An item is there, and may be in another state than before.
        case item(ItemNumber)
        /// What a folder had under a name is not there any more.
        case gone(parent: ItemNumber, name: String)
        /// What is said of the domain itself may be different.
        case domain
    }

    /// What came after a position.
    package struct Batch: Sendable, Equatable {
        /// In their order.
        package var notes: [Note] = []
        /// The identifiers of domains of which notes were dropped that nobody has seen.
        package var incomplete: Set<String> = []
        /// The position after these.
        package var position: UInt64
    }

    private struct State {
        var followers = 0
        var notes: [Note] = []
        /// The position of the first of them.
        var start: UInt64 = 1
        /// The furthest position that somebody has been told.
        var told: UInt64 = 1
        /// For each domain, the position after the last of its notes that was dropped.
        var dropped: [String: UInt64] = [:]
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter: UInt64 = 0
        /// Waiters that were given up before they waited.
        var givenUp: Set<UInt64> = []

        var end: UInt64 { start + UInt64(notes.count) }

        /// Drops the oldest.
        mutating func drop(_ count: Int) {
            for note in notes.prefix(count) {
                start += 1
                dropped[note.domain] = start
            }
            notes.removeFirst(count)
        }
    }

    // Innermost: whoever waits goes on after it is released.
    private let state = Lock(State())
    private let limit: Int

    /// - Parameter limit: so many notes are kept at most.
    package init(limit: Int = 1 << 15) { self.limit = limit }

    /// Begins to keep notes, until ``unfollow()`` was called as often as this.
    package func follow() { state.withLock { $0.followers += 1 } }

    package func unfollow() {
        state.withLock { state in
            state.followers -= 1
            guard state.followers == 0 else { return }
            state.start = state.end
            state.notes = []
            state.dropped = [:]
        }
    }

    // MARK: Writing

    func add(_ subjects: some Sequence<Subject>, of domain: String) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.followers > 0 else { return [] }
            for subject in subjects {
                if state.notes.count >= limit { state.drop(limit / 2) }
                let note = Note(domain: domain, subject: subject)
                // Once more what nobody has seen yet is nothing new.
                if state.notes.last != note || state.told == state.end { state.notes.append(note) }
            }
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Which domains there are, or what is said of one, may be different.
    package func noteDomain(_ identifier: String = "") { add(CollectionOfOne(.domain), of: identifier) }

    // MARK: Reading

    /// The position after everything that has been noted.
    package var position: UInt64 {
        state.withLock { state in
            state.told = state.end
            return state.end
        }
    }

    /// What has been noted from a position on.
    ///
    /// - Returns: `nil` for a position that there has not been yet.
    package func notes(from position: UInt64) -> Batch? {
        state.withLock { state in
            guard position <= state.end else { return nil }
            var batch = Batch(position: state.end)
            state.told = state.end
            let skipped = position > state.start ? Int(position - state.start) : 0
            batch.notes = Array(state.notes[skipped...])
            if position < state.start {
                batch.incomplete = Set(state.dropped.filter { $0.value > position }.keys)
            }
            return batch
        }
    }

    /// Waits until something has been noted from a position on, or the task is cancelled.
    package func wait(from position: UInt64) async {
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.givenUp.remove(waiter) != nil || state.end != position { return true }
                    state.waiters[waiter] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let continuation = state.waiters.removeValue(forKey: waiter)
                if continuation == nil { state.givenUp.insert(waiter) }
                return continuation
            }
            continuation?.resume()
        }
        state.withLock { _ = $0.givenUp.remove(waiter) }
    }

    /// The notes of one domain, for who writes them.
    package struct Writer: Sendable {
        private let notes: StateNotes
        private let domain: String

        /// - Parameter domain: the domain's identifier.
        package init(_ notes: StateNotes, domain: String) {
            self.notes = notes
            self.domain = domain
        }

        /// An item may be in another state.
        package func note(_ number: ItemNumber) { notes.add(CollectionOfOne(.item(number)), of: domain) }

        /// What is said of the domain may be different.
        package func noteDomain() { notes.noteDomain(domain) }

        package func note(_ changes: [IndexChange]) { notes.add(changes.lazy.flatMap(Self.subjects), of: domain) }

        private static func subjects(_ change: IndexChange) -> [Subject] {
            switch change {
            case .added(let number, _, _), .changed(let number, _): [.item(number)]
            case .moved(let number, let parent, let name, _, _): [.gone(parent: parent, name: name), .item(number)]
            case .removed(_, let parent, let name): [.gone(parent: parent, name: name)]
            }
        }
    }
}
