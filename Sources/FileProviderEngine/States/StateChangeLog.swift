import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// A log of the items and domains whose state may have changed. A reader of the log is called a follower.
///
/// Engines add entries, and followers read the entries after a position in the log. Engines never wait for followers.
/// Only the newest entries are stored. For older entries, which were dropped, the log remembers only their domains.
/// While there is no follower, no entries are stored.
package final class StateChangeLog: Sendable {
    package struct Entry: Sendable, Equatable {
        /// The identifier of the domain.
        package let domain: String
        package let subject: Subject

        package init(domain: String, subject: Subject) {
            self.domain = domain
            self.subject = subject
        }
    }

    package enum Subject: Sendable, Equatable {
        /// An existing item whose state may have changed.
        case item(ItemNumber)
        /// A name in a directory that no longer denotes an item.
        case gone(parent: ItemNumber, name: ExactText)
        /// The domain itself, whose status may have changed.
        case domain
    }

    /// The entries that one call of ``StateChangeLog/entries(from:)`` returns.
    package struct Batch: Sendable, Equatable {
        /// The entries, in the order in which they were added.
        package var entries: [Entry] = []
        /// The identifiers of the domains with entries that the follower missed, because they were dropped.
        package var incomplete: Set<String> = []
        /// The position in the log after these entries.
        package var position: UInt64
    }

    private struct State {
        var followers = 0
        var entries: [Entry] = []
        /// The position from which on the log has all changes, apart from dropped entries. Changes before this position
        /// were recorded by another process, or not at all because there was no follower.
        var first: UInt64
        /// The position of the oldest stored entry.
        var start: UInt64
        /// The furthest position up to which a follower has read.
        var told: UInt64
        /// The position after the last dropped entry of each domain, by the domain's identifier.
        var dropped: [String: UInt64] = [:]
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter: UInt64 = 0
        /// The numbers of those calls of ``wait(from:)`` that were cancelled before they began to wait.
        var givenUp: Set<UInt64> = []

        init(first: UInt64) { (self.first, start, told) = (first, first, first) }

        var end: UInt64 { start + UInt64(entries.count) }

        /// Drops the given number of oldest entries.
        mutating func drop(_ count: Int) {
            for entry in entries.prefix(count) {
                start += 1
                dropped[entry.domain] = start
            }
            entries.removeFirst(count)
        }
    }

    // Leaf lock: continuations are resumed after it is released.
    private let state: Lock<State>
    private let limit: Int

    /// Creates an empty log.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of stored entries. When it is reached, the older half is dropped.
    ///   - first: The position of the first entry. It differs between processes, so that a follower of an earlier
    ///     process learns that it has missed the changes between the two processes.
    package init(limit: Int = 1 << 15, first: UInt64 = UInt64(max(1, SystemEngineClock().now * 1_000_000))) {
        self.limit = limit
        state = Lock(State(first: first))
    }

    /// Adds a follower. Entries are stored until each follower has called ``unfollow()``.
    package func follow() { state.withLock { $0.followers += 1 } }

    package func unfollow() {
        state.withLock { state in
            state.followers -= 1
            guard state.followers == 0 else { return }
            state.start = state.end
            state.first = state.start
            state.entries = []
            state.dropped = [:]
        }
    }

    // MARK: Writing

    func add(_ subjects: some Sequence<Subject>, of domain: String) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.followers > 0 else {
                // A follower that comes back with an older position learns that it has missed changes.
                state.start += 1
                state.first = state.start
                return []
            }
            for subject in subjects {
                if state.entries.count >= limit { state.drop(limit / 2) }
                let entry = Entry(domain: domain, subject: subject)
                // If no follower has read the last entry, an equal entry adds nothing.
                if state.entries.last != entry || state.told == state.end { state.entries.append(entry) }
            }
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Records that a domain was added or removed, or that its status may have changed.
    ///
    /// - Parameter identifier: The domain's identifier; empty if the set of domains may have changed.
    package func noteDomain(_ identifier: String = "") { add(CollectionOfOne(.domain), of: identifier) }

    // MARK: Reading

    /// The position after the last entry. Reading it counts as reading all entries.
    package var position: UInt64 {
        state.withLock { state in
            state.told = state.end
            return state.end
        }
    }

    /// Returns the entries after the given position.
    ///
    /// - Returns: `nil` if the log does not have all changes after this position: the position is from another process,
    ///   or the log had no follower for some time after it.
    package func entries(from position: UInt64) -> Batch? {
        state.withLock { state in
            guard (state.first...state.end).contains(position) else { return nil }
            var batch = Batch(position: state.end)
            state.told = state.end
            let skipped = position > state.start ? Int(position - state.start) : 0
            batch.entries = Array(state.entries[skipped...])
            if position < state.start {
                batch.incomplete = Set(state.dropped.filter { $0.value > position }.keys)
            }
            return batch
        }
    }

    /// Waits until the log continues after the given position, or the task is cancelled.
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

    /// Adds entries about one domain to the log.
    package struct Writer: Sendable {
        private let log: StateChangeLog
        private let domain: String

        /// Creates a writer.
        ///
        /// - Parameter domain: the identifier of the domain.
        package init(_ log: StateChangeLog, domain: String) {
            self.log = log
            self.domain = domain
        }

        /// Records that an item's state may have changed.
        package func note(_ number: ItemNumber) { log.add(CollectionOfOne(.item(number)), of: domain) }

        /// Records that the domain's status may have changed.
        package func noteDomain() { log.noteDomain(domain) }

        package func note(_ changes: [IndexChange]) { log.add(changes.lazy.flatMap(Self.subjects), of: domain) }

        private static func subjects(_ change: IndexChange) -> [Subject] {
            switch change {
            case .added(let number, _, _), .changed(let number, _): [.item(number)]
            case .moved(let number, let parent, let name, _, _):
                [.gone(parent: parent, name: ExactText(name)), .item(number)]
            case .removed(_, let parent, let name): [.gone(parent: parent, name: ExactText(name))]
            }
        }
    }
}

/// The state of an item's contents that is shown to the user.
package enum ItemState: String, Sendable {
    case dataless
    case partial
    case current
    /// Changed locally and not uploaded yet.
    case edited
    case uploading
    /// A local change could not be uploaded.
    case error
}

extension IndexedItem {
    /// Returns the state that is shown to the user.
    ///
    /// - Parameter upload: The progress of the item's upload; `nil` if the item is not being uploaded.
    package func state(_ upload: UploadState?) -> ItemState {
        let isEdited = !changes.isEmpty || content == .edited
        if item.uploadingError != nil || isEdited && upload?.failure != nil { return .error }
        if isEdited { return upload?.isUnderWay == true || item.flags.contains(.uploading) ? .uploading : .edited }
        switch item.kind {
        // A directory has no contents of its own. Only the items in it have states that depend on contents.
        case .symbolicLink, .folder: return .current
        case .file:
            switch content {
            case .dataless: return .dataless
            case .partial: return .partial
            case .current, .edited: return .current
            }
        }
    }
}
