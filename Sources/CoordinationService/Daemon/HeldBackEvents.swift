import FileCoordination
import LinuxSystem

/// The events that clients send during a new daemon's grace period, and the ends of the clients' connections, in order.
/// When a connection ends, the client's earlier events are dropped. If they were handled later, claims would be granted
/// that no client can end.
package struct HeldBackEvents {
    package enum Item {
        case event(CoordinationEvent, from: UInt64)
        /// The end of a connection.
        case end(of: UInt64, ProcessDescriptor?)
    }

    /// The maximum number of events, other than claims, that are held back for one client. A large event counts as
    /// several events.
    package static let limit = 100_000

    private var items: [Item] = []
    private var usages: [UInt64: (claims: ClaimUsage, others: Int)] = [:]

    package init() {}

    /// The reason why an event is not held back: it exceeds a limit. For a claim, the value contains the claim's number
    /// and the denial to send to the client.
    package enum Excess {
        case claim(UInt64, ClaimDenial)
        case other
    }

    /// Appends an event and returns `nil`. If the client has sent too many or too large events, drops this event and
    /// returns the reason.
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

    /// Records that a connection has ended, and drops the client's earlier events.
    package mutating func end(_ client: UInt64, _ process: ProcessDescriptor?) {
        if usages.removeValue(forKey: client) != nil {
            items.removeAll {
                if case .event(_, from: client) = $0 { true } else { false }
            }
        }
        items.append(.end(of: client, process))
    }

    /// Removes and returns all events. The caller repeats the call until the result is empty, because further events
    /// may arrive in the meantime.
    package mutating func takeAll() -> [Item] {
        defer { self = HeldBackEvents() }
        return items
    }
}

extension CoordinationEvent {
    /// The approximate size of the event in bytes.
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
