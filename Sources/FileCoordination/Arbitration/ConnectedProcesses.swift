/// Which connections are of the same process: it would have as much as it likes otherwise, with as many connections.
struct ConnectedProcesses: Sendable {
    private var processes: [UInt64: UInt64] = [:]
    private var connections: [UInt64: [UInt64]] = [:]

    /// Returns whether there may be another connection, and of this process.
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

    /// All connections of a process that has more than this one, with this one.
    func connections(beside client: UInt64) -> [UInt64] {
        guard let process = processes[client], let all = connections[process], all.count > 1 else { return [] }
        return all
    }
}
