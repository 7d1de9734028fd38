import LinuxSystem

/// The items with edits that could not be put into the folder yet, and why: a full disk, a disk that is not mounted. That there are
/// such edits a later process sees from the copies themselves.
final class UnsentEdits: Sendable {
    private struct State {
        var errors: [String: any Error] = [:]
        /// The names of copies of an item whose edits were told and are not in the catalogue yet: there may be no room for that.
        var told: [String: Set<String>] = [:]
        /// How many threads put edits of an item into the folder, or wait to do it.
        var working: [String: Int] = [:]
    }

    // Innermost.
    private let state = Lock(State())

    /// Of the items that have one.
    var identifiers: [String] { state.withLock { Array($0.errors.keys) } }

    /// Why an item's edit is not in the folder; `nil` where there is none that is not.
    func error(of identifier: String) -> (any Error)? { state.withLock { $0.errors[identifier] } }

    /// An edit of a copy was told: until ``end(_:)`` it counts as not being in the folder.
    func tell(_ identifier: String, _ name: String) {
        state.withLock { state in
            state.told[identifier, default: []].insert(name)
            state.errors[identifier] = FolderFailure.busy
        }
    }

    /// The copies whose edits were told, and of which the catalogue does not know.
    func told(of identifier: String) -> Set<String> { state.withLock { $0.told[identifier] ?? [] } }

    /// The catalogue knows of an edit.
    func noted(_ identifier: String, _ name: String) {
        state.withLock { state in
            state.told[identifier]?.remove(name)
            if state.told[identifier]?.isEmpty == true { state.told[identifier] = nil }
        }
    }

    /// - Returns: whether the reason is another one than before.
    @discardableResult
    func fail(_ identifier: String, _ error: any Error) -> Bool {
        state.withLock { state in
            let before = state.errors.updateValue(error, forKey: identifier)
            return before.map { "\($0)" } != "\(error)"
        }
    }

    /// The folder has the edits of an item, but for those that were told meanwhile.
    func end(_ identifier: String) {
        state.withLock { if $0.told[identifier] == nil { $0.errors[identifier] = nil } }
    }

    /// The edits of an item are of no use any more.
    func forget(_ identifier: String) {
        state.withLock { state in
            state.told[identifier] = nil
            state.errors[identifier] = nil
        }
    }

    /// Whether somebody puts edits of an item into the folder.
    func isWorking(_ identifier: String) -> Bool { state.withLock { $0.working[identifier] != nil } }

    /// Runs a function that puts edits of an item into the folder.
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
