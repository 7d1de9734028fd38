/// What the claims of one connection take of whoever decides, and how much of that one may have. Without bounds, a process that
/// makes claims and never ends them would take all of the daemon's memory.
package struct ClaimUsage: Sendable {
    /// Granted and waiting.
    package static let claimLimit = 100_000
    package static let itemLimit = 200_000
    /// Bytes of paths, purposes and what else the claims say, and the tree that their paths make.
    package static let byteLimit = 64 << 20
    /// How many claims, preparations and presenters the claims name that they are inside of, or keep waiting.
    package static let nestingLimit = 100_000
    /// How many presenters one process may have, and how many of the preparations may run that they are asked for.
    package static let presenterLimit = 10_000
    package static let preparationLimit = 100_000
    /// How many connections one process may have, with those that have ended and under which something is kept for it. All of
    /// them have at most twice what one may have: one that comes back may do so before it is known that it had gone.
    package static let connectionLimit = 16
    static let connectionsFactor = 2
    /// How many connections all processes may have.
    package static let processesLimit = 4_096

    private var claims = 0
    private var items = 0
    private var bytes = 0
    private var nesting = 0

    package init() {}

    package var count: Int { claims }

    /// Why a further claim cannot be taken.
    ///
    /// - Parameter factor: how many times the limits are allowed.
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

    /// What two connections take together.
    mutating func add(_ other: ClaimUsage) {
        claims += other.claims
        items += other.items
        bytes += other.bytes
        nesting += other.nesting
    }
}

/// What one claim takes, with its items where they are now.
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

    /// The same when an item is elsewhere.
    func moving(_ old: Access, to new: Access) -> ClaimCost {
        var cost = self
        cost.bytes += Self.bytes(new.path, new.key) - Self.bytes(old.path, old.key)
        return cost
    }

    /// What each name in a path takes in the tree, as far as it is nobody else's as well. Few are not.
    private static let nameBytes = 32

    static func bytes(_ path: ExactPath, _ key: ExactPath) -> Int {
        path.utf8.count + (key == path ? 0 : key.utf8.count) + key.nameCount * nameBytes
    }
}
