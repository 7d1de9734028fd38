import ItemValues
import LinuxSystem

/// The items whose edits could not be written to the served directory yet, with the reason, such as a full or unmounted
/// disk. This list is not stored on disk: a later process finds such edits by comparing the copies.
final class UnsentEdits: Sendable {
    private struct State {
        var errors: [String: any Error] = [:]
        /// The names of copies that were reported as edited and that the catalogue does not record yet, by item. The
        /// disk may have no space for the record.
        var told: [String: Set<ExactText>] = [:]
        /// The number of threads per item that write edits to the served directory, or wait to do so.
        var working: [String: Int] = [:]
    }

    // Leaf lock.
    private let state = Lock(State())

    /// The items that have an unsent edit.
    var identifiers: [String] { state.withLock { Array($0.errors.keys) } }

    /// The reasons why edits are not in the served directory, by item.
    var errors: [String: any Error] { state.withLock { $0.errors } }

    /// Returns the reason why an item's edit is not in the served directory; `nil` if the directory has all edits of
    /// the item.
    func error(of identifier: String) -> (any Error)? { state.withLock { $0.errors[identifier] } }

    /// Records that the system reported an edit of a copy. The edit counts as unsent until ``end(_:)``.
    func tell(_ identifier: String, _ name: String) {
        state.withLock { state in
            state.told[identifier, default: []].insert(name)
            state.errors[identifier] = FolderError.busy
        }
    }

    /// Returns the names of the copies that were reported as edited and are not recorded in the catalogue.
    func told(of identifier: String) -> Set<ExactText> { state.withLock { $0.told[identifier] ?? [] } }

    /// Records that the catalogue has recorded a reported edit.
    func noted(_ identifier: String, _ name: String) {
        state.withLock { state in
            state.told[identifier]?.remove(name)
            if state.told[identifier]?.isEmpty == true { state.told[identifier] = nil }
        }
    }

    /// Records that an item's edits could not be written to the served directory.
    ///
    /// - Returns: whether the reason differs from the previous one.
    @discardableResult
    func fail(_ identifier: String, _ error: any Error) -> Bool {
        state.withLock { state in
            let before = state.errors.updateValue(error, forKey: identifier)
            return before.map { "\($0)" } != "\(error)"
        }
    }

    /// Records that a transfer has written an item's edits to the served directory. Edits that were reported after the
    /// transfer began stay unsent.
    func end(_ identifier: String) {
        state.withLock { if $0.told[identifier] == nil { $0.errors[identifier] = nil } }
    }

    /// Drops the edits of an item, because they must not be sent any more.
    func forget(_ identifier: String) {
        state.withLock { state in
            state.told[identifier] = nil
            state.errors[identifier] = nil
        }
    }

    /// Whether a thread writes edits of an item to the served directory.
    func isWorking(_ identifier: String) -> Bool { state.withLock { $0.working[identifier] != nil } }

    /// Runs a function that writes edits of an item to the served directory.
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
