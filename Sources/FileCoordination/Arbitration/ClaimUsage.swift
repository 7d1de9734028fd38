/// The resources that the claims of one connection use in the arbiter, with their limits. Without limits, a process
/// that never ends its claims would exhaust the daemon's memory.
package struct ClaimUsage: Sendable {
    /// The maximum number of granted and waiting claims.
    package static let claimLimit = 100_000
    package static let itemLimit = 200_000
    /// The maximum size in bytes of the paths, purposes and other parts of claims, and of the tree for their paths.
    package static let byteLimit = 64 << 20
    /// The maximum number of references from claims to the claims and preparations in which they are nested, and to the
    /// presenters that they block.
    package static let nestingLimit = 100_000
    /// The maximum number of presenters of one connection. `preparationLimit` is the maximum number of their
    /// preparations whose claims have not ended.
    package static let presenterLimit = 10_000
    package static let preparationLimit = 100_000
    /// The maximum number of connections of one process, including closed connections that retain claims. Together they
    /// may use twice the resources of one connection, because a process may reconnect before the loss of its former
    /// connection is detected.
    package static let connectionLimit = 16
    static let connectionsFactor = 2
    /// The maximum number of connections of all processes together.
    package static let processesLimit = 4_096

    private var claims = 0
    private var items = 0
    private var bytes = 0
    private var nesting = 0

    package init() {}

    package var count: Int { claims }

    /// Returns the reason to deny a further claim of the given cost; `nil` if the claim would be within the limits.
    package func denial(of cost: ClaimCost, times factor: Int = 1) -> ClaimDenial? {
        guard claims < Self.claimLimit * factor else { return .tooManyClaims(limit: Self.claimLimit * factor) }
        func refusal(_ used: Int, _ limit: Int, _ words: (Int) -> String) -> ClaimDenial? {
            used <= limit * factor ? nil : .refused(reason: words(limit * factor))
        }
        return refusal(items + cost.items, Self.itemLimit) {
            "all coordinated accesses of one process have at most \($0) items together"
        }
            ?? refusal(bytes + cost.bytes, Self.byteLimit) {
                "the paths in all coordinated accesses of one process have at most \($0) bytes together"
            }
            ?? refusal(nesting + cost.nesting, Self.nestingLimit) {
                "all coordinated accesses of one process are at most \($0) times inside of others or in the way of presenters"
            }
    }

    package mutating func add(_ cost: ClaimCost) {
        claims += 1
        items += cost.items
        bytes += cost.bytes
        nesting += cost.nesting
    }

    package mutating func remove(_ cost: ClaimCost) {
        claims -= 1
        items -= cost.items
        bytes -= cost.bytes
        nesting -= cost.nesting
    }

    /// Adds the usage of another connection to this value.
    mutating func add(_ other: ClaimUsage) {
        claims += other.claims
        items += other.items
        bytes += other.bytes
        nesting += other.nesting
    }
}

/// The resources that one claim uses, with its items at their current paths.
package struct ClaimCost: Sendable {
    let items: Int
    private(set) var bytes: Int
    let nesting: Int

    package init(_ request: ClaimRequest) {
        items = request.accesses.count
        nesting = request.enclosing.count + request.answering.count + request.blocking.count
        bytes = request.accesses.reduce(request.purpose.utf8.count + nesting * MemoryLayout<UInt64>.size) {
            $0 + Self.bytes($1.path, $1.key)
        }
    }

    /// Returns the cost after an item has moved.
    func moving(_ old: Access, to new: Access) -> ClaimCost {
        var cost = self
        cost.bytes += Self.bytes(new.path, new.key) - Self.bytes(old.path, old.key)
        return cost
    }

    /// The size in bytes of a name's node in the tree, if no other path shares the node. Most nodes are not shared.
    private static let nameBytes = 32

    static func bytes(_ path: ExactPath, _ key: ExactPath) -> Int {
        path.utf8.count + (key == path ? 0 : key.utf8.count) + key.nameCount * nameBytes
    }
}

/// The connections of each process. They are counted so that a process cannot multiply its limits by opening
/// connections.
struct ConnectedProcesses: Sendable {
    private var processes: [UInt64: UInt64] = [:]
    private var connections: [UInt64: [UInt64]] = [:]

    /// Adds a connection. Returns `false` if the process, or all processes together, have too many connections.
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

    /// Returns all connections of the client's process. Returns an empty list if the given connection is the only one.
    func connections(beside client: UInt64) -> [UInt64] {
        guard let process = processes[client], let all = connections[process], all.count > 1 else { return [] }
        return all
    }
}
