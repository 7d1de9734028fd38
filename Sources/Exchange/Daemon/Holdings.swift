import Foundation
import ItemProvider
import LinuxSystem

/// What the daemon keeps for processes that have ended or are about to, so that what they copied can still be pasted.
struct Holdings {
    /// An item on its way from its process to the daemon.
    private struct Unfinished {
        let owner: UInt64
        var supplies: [Int: Supply] = [:]
    }

    /// An item that the daemon offers itself.
    private struct Held {
        let offer: HostedOffer
        /// The process that offered it, as it was then.
        let provider: Participant
        let bytes: Int
        let count: Int
    }

    private var unfinished: [UUID: Unfinished] = [:]
    private var held: [UUID: Held] = [:]
    /// Bytes of memory that all of it takes. Files are open, but take none.
    private(set) var bytes = 0
    /// Representations of all items together.
    private(set) var count = 0

    /// Keeps one representation of an item.
    mutating func add(
        _ supply: Supply, index: Int, of identifier: UUID, owner: UInt64, limits: ExchangeLimits
    ) throws(ExchangeFault) {
        let size = supply.heldBytes
        guard bytes + size <= limits.heldBytes else {
            throw .refused("at most \(limits.heldBytes >> 20) MiB are kept for processes that have ended")
        }
        guard count < limits.heldRepresentations else {
            throw .refused(
                "at most \(limits.heldRepresentations) representations are kept for processes that have ended")
        }
        var item = unfinished[identifier] ?? Unfinished(owner: owner)
        guard item.supplies[index] == nil else { throw .refused("the representation was handed over before") }
        item.supplies[index] = supply
        unfinished[identifier] = item
        bytes += size
        count += 1
    }

    /// What was kept of an item so far; it is not unfinished any more.
    mutating func finish(_ identifier: UUID) -> [Int: Supply] {
        // The sums stay: what is finished is kept as well.
        unfinished.removeValue(forKey: identifier)?.supplies ?? [:]
    }

    mutating func keep(_ offer: HostedOffer, provider: Participant, supplies: [Int: Supply]) {
        held[offer.identifier] = Held(
            offer: offer, provider: provider, bytes: supplies.values.reduce(0) { $0 + $1.heldBytes },
            count: supplies.count)
    }

    func offer(_ identifier: UUID) -> HostedOffer? { held[identifier]?.offer }

    func provider(of identifier: UUID) -> Participant? { held[identifier]?.provider }

    /// Forgets an item of the daemon's own and returns what served it.
    mutating func drop(_ identifier: UUID) -> HostedOffer? {
        dropUnfinished(identifier)
        guard let item = held.removeValue(forKey: identifier) else { return nil }
        bytes -= item.bytes
        count -= item.count
        return item.offer
    }

    mutating func dropUnfinished(_ identifier: UUID) {
        guard let item = unfinished.removeValue(forKey: identifier) else { return }
        bytes -= item.supplies.values.reduce(0) { $0 + $1.heldBytes }
        count -= item.supplies.count
    }

    mutating func dropUnfinished(of owner: UInt64) {
        for identifier in unfinished.filter({ $0.value.owner == owner }).keys { dropUnfinished(identifier) }
    }
}

extension Supply {
    /// Bytes of memory that keeping this takes.
    var heldBytes: Int {
        switch self {
        case .bytes(let data): data.count
        case .memory(_, let size): size
        case .file: 0
        }
    }

    /// The same bytes or file for one more load. A file is opened anew, because two processes that share one open file
    /// share its position as well.
    func again() -> Supply {
        guard case .file(let file) = self, let descriptor = try? file.descriptor.reopen([.readOnly, .nonBlocking])
        else {
            return self
        }
        return .file(
            SuppliedFile(
                descriptor: descriptor, isDirectory: file.isDirectory, path: file.path, name: file.name,
                isOfferedInPlace: file.isOfferedInPlace, isCoordinated: file.isCoordinated))
    }
}
