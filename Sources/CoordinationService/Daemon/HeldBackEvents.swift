import FileCoordination
import LinuxSystem

/// What processes say while a new daemon waits for those that may have claimed files before, in its order, with the ends of their
/// connections: what a process asked for before it went is not dealt with after that is known, and would be its for ever.
package struct HeldBackEvents {
    package enum Item {
        case event(CoordinationEvent, from: UInt64)
        /// A connection has ended.
        case end(of: UInt64, ProcessDescriptor?)
    }

    /// How many events that are no claims are kept for one process; large ones count as several.
    package static let limit = 100_000

    private var items: [Item] = []
    private var usages: [UInt64: (claims: ClaimUsage, others: Int)] = [:]

    package init() {}

    /// Why an event is not kept: for a claim, in the words that its maker gets.
    package enum Excess {
        case claim(UInt64, ClaimDenial)
        case other
    }

    /// Keeps an event. Returns what is too much about it.
    package mutating func append(_ event: CoordinationEvent, from client: UInt64) -> Excess? {
        var usage = usages[client] ?? (ClaimUsage(), 0)
        if case .claim(let request) = event {
            let cost = ClaimCost(request)
            if let denial = usage.claims.denial(of: cost) { return .claim(request.number, denial) }
            usage.claims.add(cost)
        } else {
            guard usage.others < Self.limit else { return .other }
            usage.others += event.bytes / 256 + 1
        }
        usages[client] = usage
        items.append(.event(event, from: client))
        return nil
    }

    /// Keeps that a connection has ended. What it has asked for and was not given is not needed any more.
    package mutating func end(_ client: UInt64, _ process: ProcessDescriptor?) {
        if usages.removeValue(forKey: client) != nil {
            items.removeAll {
                if case .event(_, from: client) = $0 { true } else { false }
            }
        }
        items.append(.end(of: client, process))
    }

    /// All that was kept, to be dealt with now. What comes meanwhile is kept until that is done.
    package mutating func takeAll() -> [Item] {
        defer { self = HeldBackEvents() }
        return items
    }
}

extension CoordinationEvent {
    /// About how much it says.
    fileprivate var bytes: Int {
        switch self {
        case .release(_, let outcomes):
            outcomes.reduce(0) { sum, outcome in
                guard case .moved(let path, let key) = outcome.change else { return sum + 16 }
                return sum + 16 + path.utf8.count + key.utf8.count
            }
        case .answer(_, let failure): failure.map { $0.domain.utf8.count + $0.message.utf8.count } ?? 0
        case .moved(let move): move.path.utf8.count + move.newPath.utf8.count + move.newKey.utf8.count
        case .changedAttributes(let path, let names, _): names.reduce(path.utf8.count) { $0 + 16 + $1.utf8.count }
        case .changedVersion(let path, _): path.utf8.count + 1_024
        case .claim, .adopt, .adoptedAll, .cancel, .present, .removePresenter: 0
        }
    }
}
