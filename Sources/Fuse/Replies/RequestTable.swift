import LinuxSystem

/// The requests that are being served, so that they can be interrupted.
///
/// Entries are found by their place, which a reply knows; only an interrupt looks through them.
package final class RequestTable: Sendable {
    private struct Entry {
        /// 0 for a place that is free.
        var unique: UInt64 = 0
        var isInterrupted = false
        var handler: (@Sendable () -> Void)?
    }

    private struct State {
        var entries: [Entry] = []
        var free: [Int] = []
    }

    // Innermost: handlers are called, and let go of, after it is released.
    private let state = Lock(State())

    package init() {}

    /// How many requests are being served.
    package var count: Int { state.withLock { $0.entries.count - $0.free.count } }

    func add(_ unique: UInt64) -> Int {
        state.withLock { state in
            if let place = state.free.popLast() {
                state.entries[place].unique = unique
                return place
            }
            state.entries.append(Entry(unique: unique))
            return state.entries.count - 1
        }
    }

    func remove(at place: Int) {
        let handler = state.withLock { state in
            let handler = state.entries[place].handler
            state.entries[place] = Entry()
            state.free.append(place)
            return handler
        }
        withExtendedLifetime(handler) {}
    }

    func isInterrupted(at place: Int, _ unique: UInt64) -> Bool {
        state.withLock { $0.entries[place].unique == unique && $0.entries[place].isInterrupted }
    }

    /// Says what to do when the request is interrupted: at once where it was already, never where it was answered.
    func setHandler(at place: Int, _ unique: UInt64, _ handler: @escaping @Sendable () -> Void) {
        let isInterrupted = state.withLock { state in
            guard state.entries[place].unique == unique else { return false }
            if state.entries[place].isInterrupted { return true }
            state.entries[place].handler = handler
            return false
        }
        if isInterrupted { handler() }
    }

    /// Interrupts a request.
    ///
    /// - Returns: `false` where it is not here: answered, or read by a thread that has not come to add it yet.
    func interrupt(_ unique: UInt64) -> Bool {
        let (isHere, handler) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard let place = state.entries.firstIndex(where: { $0.unique == unique }) else { return (false, nil) }
            state.entries[place].isInterrupted = true
            let handler = state.entries[place].handler
            state.entries[place].handler = nil
            return (true, handler)
        }
        handler?()
        return isHere
    }
}
