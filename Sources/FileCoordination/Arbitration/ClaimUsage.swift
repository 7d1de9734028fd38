/// What the claims of one process take of whoever decides, and how much of that one process may have. Without bounds, one that
/// makes claims and never ends them would take all of the daemon's memory.
package struct ClaimUsage: Sendable {
    /// Granted and waiting.
    package static let claimLimit = 100_000
    package static let itemLimit = 200_000
    /// Bytes of paths, purposes and what else the claims say.
    package static let byteLimit = 64 << 20
    /// How many presenters one process may have.
    package static let presenterLimit = 10_000

    private var claims = 0
    private var items = 0
    private var bytes = 0

    package init() {}

    package var count: Int { claims }

    /// Why a further claim cannot be taken.
    package func denial(of cost: ClaimCost) -> ClaimDenial? {
        guard claims < Self.claimLimit else { return .tooManyClaims(limit: Self.claimLimit) }
        guard items + cost.items <= Self.itemLimit else {
            return .refused(
                reason: "all coordinated accesses of one process have at most \(Self.itemLimit) items together")
        }
        guard bytes + cost.bytes <= Self.byteLimit else {
            return .refused(
                reason:
                    "the paths in all coordinated accesses of one process have at most \(Self.byteLimit) bytes together"
            )
        }
        return nil
    }

    package mutating func add(_ cost: ClaimCost) {
        claims += 1
        items += cost.items
        bytes += cost.bytes
    }

    package mutating func remove(_ cost: ClaimCost) {
        claims -= 1
        items -= cost.items
        bytes -= cost.bytes
    }
}

/// What one claim takes, as it was made.
package struct ClaimCost: Sendable {
    let items: Int
    let bytes: Int

    package init(_ request: ClaimRequest) {
        items = request.accesses.count
        let numbers = request.enclosing.count + request.answering.count + request.blocking.count
        bytes = request.accesses.reduce(request.purpose.utf8.count + numbers * MemoryLayout<UInt64>.size) {
            $0 + $1.path.utf8.count + ($1.key == $1.path ? 0 : $1.key.utf8.count)
        }
    }
}
