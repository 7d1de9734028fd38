import Foundation
import ItemProvider
import LinuxSystem

/// Representations that the daemon holds for processes that have ended or are about to end, so that items that were
/// copied from these processes can still be pasted.
struct HeldItems {
    /// The resources that the held representations use.
    private struct Cost {
        /// The number of bytes of memory. A file that has a name uses no memory, and counts 0 bytes.
        var bytes = 0
        var representations = 0

        static func + (one: Cost, other: Cost) -> Cost {
            Cost(bytes: one.bytes + other.bytes, representations: one.representations + other.representations)
        }

        static func - (one: Cost, other: Cost) -> Cost {
            Cost(bytes: one.bytes - other.bytes, representations: one.representations - other.representations)
        }
    }

    /// The boards that share a part of the limits. The general pasteboard may use the limits in full. All other boards
    /// together may use half, because their contents may never be replaced.
    private enum Room {
        case general, others

        init(board: String) { self = board == BoardTable.general ? .general : .others }

        /// Returns the part of the given limit that these boards may use.
        func share(of limit: Int) -> Int { self == .general ? limit : limit / 2 }
    }

    /// An item of which a process has passed representations to the daemon, but which the daemon does not offer yet.
    private struct Unfinished {
        let owner: UInt64
        let room: Room
        var supplies: [Int: KeptSupply] = [:]

        var cost: Cost {
            Cost(bytes: supplies.values.reduce(0) { $0 + $1.bytes }, representations: supplies.count)
        }
    }

    /// An item that the daemon itself offers.
    private struct Held {
        let offer: HostedOffer
        /// The process that offered the item before the daemon did.
        let provider: Participant
        let room: Room
        let cost: Cost
    }

    private var unfinished: [UUID: Unfinished] = [:]
    private var held: [UUID: Held] = [:]
    private var costs: [Room: Cost] = [:]

    /// The number of bytes of memory that the held representations use.
    var bytes: Int { costs.values.reduce(0) { $0 + $1.bytes } }

    /// Stores a representation of an item.
    ///
    /// - Parameters:
    ///   - board: The board on which the item is offered, or will be offered.
    ///   - replaced: Items that the new item will replace. They do not count towards the limits. Otherwise, contents
    ///     that use a limit in full could not be replaced by contents of the same size, because both exist for a
    ///     moment.
    mutating func add(
        _ supply: KeptSupply, index: Int, of identifier: UUID, on board: String, owner: UInt64,
        replacing replaced: [UUID] = [], limits: ExchangeLimits
    ) throws(ExchangeRefusalError) {
        var item = unfinished[identifier] ?? Unfinished(owner: owner, room: Room(board: board))
        guard item.owner == owner else { throw .noSuchItem }
        guard item.supplies[index] == nil else { throw .refused("the representation was handed over before") }
        let room = item.room
        let others = room == .general ? costs.values.reduce(Cost(), +) : costs[.others] ?? Cost()
        let taken = replaced.compactMap { held[$0]?.cost }.reduce(others, -)
        let mostBytes = room.share(of: limits.heldBytes)
        guard supply.bytes <= mostBytes - taken.bytes else {
            throw .refused("at most \(mostBytes >> 20) MiB are kept for processes that have ended")
        }
        let most = room.share(of: limits.heldRepresentations)
        guard taken.representations < most else {
            throw .refused("at most \(most) representations are kept for processes that have ended")
        }
        item.supplies[index] = supply
        unfinished[identifier] = item
        costs[room] = (costs[room] ?? Cost()) + Cost(bytes: supply.bytes, representations: 1)
    }

    /// Returns the representations of an item that its process has passed to the daemon so far, by their indexes.
    func supplies(of identifier: UUID, owner: UInt64) -> [Int: KeptSupply] {
        guard let item = unfinished[identifier], item.owner == owner else { return [:] }
        return item.supplies
    }

    /// Retains the representations that a process has passed, while the daemon offers the item.
    mutating func keep(_ offer: HostedOffer, provider: Participant) {
        // The costs stay the same, as finished items count as well.
        guard let item = unfinished.removeValue(forKey: offer.identifier) else { return }
        held[offer.identifier] = Held(offer: offer, provider: provider, room: item.room, cost: item.cost)
    }

    func offer(_ identifier: UUID) -> HostedOffer? { held[identifier]?.offer }

    func provider(of identifier: UUID) -> Participant? { held[identifier]?.provider }

    /// Removes an item that the daemon itself offers. Returns its offer; `nil` if the daemon does not offer the item.
    mutating func drop(_ identifier: UUID) -> HostedOffer? {
        guard let item = held.removeValue(forKey: identifier) else { return nil }
        costs[item.room] = (costs[item.room] ?? Cost()) - item.cost
        return item.offer
    }

    /// Removes the representations of an item that its process has passed to the daemon, because the process will not
    /// offer the item.
    mutating func dropUnfinished(_ identifier: UUID, of owner: UInt64) {
        guard let item = unfinished[identifier], item.owner == owner else { return }
        unfinished[identifier] = nil
        costs[item.room] = (costs[item.room] ?? Cost()) - item.cost
    }

    mutating func dropUnfinished(of owner: UInt64) {
        for identifier in unfinished.filter({ $0.value.owner == owner }).keys {
            dropUnfinished(identifier, of: owner)
        }
    }
}

/// A representation that the daemon holds, and the memory that it uses.
struct KeptSupply: Sendable {
    let supply: Supply
    /// The object that `loadItem` returns for this representation; `nil` if there is none.
    let item: ItemMessage?
    /// The number of bytes of memory that the representation uses; 0 for a file that has a name.
    let bytes: Int

    /// Creates a representation that the daemon holds. If it is a file, reads the file's status, which may block.
    init(_ supply: Supply, item: ItemMessage? = nil) throws(Errno) {
        // The lease of a directory is dropped, because no provider waits for the end of the load.
        if case .file(let file) = supply { self.supply = .file(file.withoutLease) } else { self.supply = supply }
        self.item = item
        bytes = try Self.bytes(of: supply) + (item.map { item throws(Errno) in try Self.bytes(of: item.supply) } ?? 0)
    }

    private static func bytes(of supply: Supply) throws(Errno) -> Int {
        switch supply {
        case .bytes(let data): return data.count
        case .memory(_, let size): return size
        case .file(let file):
            let status = try file.descriptor.status()
            return status.linkCount == 0 ? status.size : 0
        }
    }
}

extension Supply {

    /// Returns the same bytes or file for another load. A file is opened anew, because processes that share an open
    /// file also share its position.
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
