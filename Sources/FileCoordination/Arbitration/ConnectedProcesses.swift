/// The connections of each process. Without it, a process could multiply its limits by its number of connections.
struct ConnectedProcesses: Sendable {
    private var processes: [UInt64: UInt64] = [:]
    private var connections: [UInt64: [UInt64]] = [:]

    /// Adds a connection. Returns `false` if the process, or all processes together, have too many.
    mutating func add(_ client: UInt64, of process: UInt64) -> Bool {
        guard connections[process, default: []].count < ClaimUsage.connectionLimit,
            processes.count < ClaimUsage.processesLimit
        else { return false }
        if processes.updateValue(process, forKey: client) == nil { connections[process, default: []].append(client) }
        return true
    }

    mutating func remove(_ client: UInt64) {
        guard let process = processes.removeValue(forKey: client) else { return }
        connections[process]?.removeAll { $0 == client }
        if connections[process]?.isEmpty == true { connections[process] = nil }
    }

    /// Returns all connections of the client's process, including this one, if it has more than one.
    func connections(beside client: UInt64) -> [UInt64] {
        guard let process = processes[client], let all = connections[process], all.count > 1 else { return [] }
        return all
    }
}
