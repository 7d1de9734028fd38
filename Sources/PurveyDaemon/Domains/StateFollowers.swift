import Conduit
import FileProviderEngine
import LinuxSystem

/// The clients that follow the states of items. If there are none, state changes are not recorded.
final class StateFollowers: Sendable {
    private let states: StateNotes
    // Only the notes are called under it; their own lock is a leaf lock.
    private let connections = Lock<Set<Connection>>([])

    init(_ states: StateNotes) { self.states = states }

    /// Adds a client. It is removed when its connection ends.
    func add(_ connection: Connection) {
        let isNew = connections.withLock { connections in
            let isNew = connections.insert(connection).inserted
            if isNew { states.follow() }
            return isNew
        }
        if isNew { connection.onClose { _ in self.remove(connection) } }
    }

    private func remove(_ connection: Connection) {
        connections.withLock { if $0.remove(connection) != nil { states.unfollow() } }
    }
}
