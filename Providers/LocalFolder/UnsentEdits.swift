import LinuxSystem

/// The items with edits that could not be put into the served directory yet, and the reason, such as a full or
/// unmounted disk. It is not stored: a later process finds such edits by comparing the copies.
final class UnsentEdits: Sendable {
    private struct State {
        var errors: [String: any Error] = [:]
        /// The names of copies that were reported as edited and are not recorded in the catalogue yet, by item. The
        /// catalogue may have no room for the record.
        var told: [String: Set<String>] = [:]
        /// The number of threads per item that put edits into the served directory, or wait to do so.
        var working: [String: Int] = [:]
    }

    // Leaf lock.
    private let state = Lock(State())

    /// The items that have an unsent edit.
    var identifiers: [String] { state.withLock { Array($0.errors.keys) } }

    /// The reasons why edits are not in the served directory, by item.
    var errors: [String: any Error] { state.withLock { $0.errors } }

    /// Returns the reason why an item's edit is not in the served directory, or `nil` if no edit is missing there.
    func error(of identifier: String) -> (any Error)? { state.withLock { $0.errors[identifier] } }

    /// Records that the system reported an edit of a copy. It counts as unsent until ``end(_:)``.
    func tell(_ identifier: String, _ name: String) {
        state.withLock { state in
            state.told[identifier, default: []].insert(name)
            state.errors[identifier] = FolderError.busy
        }
    }

    /// Returns the names of the copies that were reported as edited and are not recorded in the catalogue.
    func told(of identifier: String) -> Set<String> { state.withLock { $0.told[identifier] ?? [] } }

    /// Records that the catalogue knows of an edit.
    func noted(_ identifier: String, _ name: String) {
        state.withLock { state in
            state.told[identifier]?.remove(name)
            if state.told[identifier]?.isEmpty == true { state.told[identifier] = nil }
        }
    }

    /// Records that an item's edits could not be put into the served directory.
    ///
    /// - Returns: whether the reason differs from the previous one.
    @discardableResult
    func fail(_ identifier: String, _ error: any Error) -> Bool {
        state.withLock { state in
            let before = state.errors.updateValue(error, forKey: identifier)
            return before.map { "\($0)" } != "\(error)"
        }
    }

    /// Records that the served directory has the edits of an item, except those that were reported meanwhile.
    func end(_ identifier: String) {
        state.withLock { if $0.told[identifier] == nil { $0.errors[identifier] = nil } }
    }

    /// Forgets the edits of an item, which are not to be sent any more.
    func forget(_ identifier: String) {
        state.withLock { state in
            state.told[identifier] = nil
            state.errors[identifier] = nil
        }
    }

    /// Whether a thread puts edits of an item into the served directory.
    func isWorking(_ identifier: String) -> Bool { state.withLock { $0.working[identifier] != nil } }

    /// Runs a function that puts edits of an item into the served directory.
    func working(_ identifier: String, _ body: () throws -> Void) rethrows {
        state.withLock { $0.working[identifier, default: 0] += 1 }
        defer {
            state.withLock { state in
                let rest = (state.working[identifier] ?? 1) - 1
                state.working[identifier] = rest == 0 ? nil : rest
            }
        }
        try body()
    }
}
