import Conduit
import FileProviderEngine
import LinuxSystem

/// Who follows the states of items: while nobody does, nothing is noted of them.
final class StateFollowers: Sendable {
    private let states: StateNotes
    // Nothing is called while it is held but the notes, whose own lock is the innermost.
    private let connections = Lock<Set<Connection>>([])

    init(_ states: StateNotes) { self.states = states }

    /// Whoever is at the other end follows from now on, until the connection ends.
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
