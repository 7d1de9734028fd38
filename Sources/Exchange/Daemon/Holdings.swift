import Foundation
import ItemProvider
import LinuxSystem

/// What the daemon keeps for processes that have ended or are about to, so that what they copied can still be pasted.
struct Holdings {
    /// What keeping something costs.
    private struct Cost {
        /// Of memory. Files are open, but take none.
        var bytes = 0
        var representations = 0

        static func + (one: Cost, other: Cost) -> Cost {
            Cost(bytes: one.bytes + other.bytes, representations: one.representations + other.representations)
        }

        static func - (one: Cost, other: Cost) -> Cost {
            Cost(bytes: one.bytes - other.bytes, representations: one.representations - other.representations)
        }
    }

    /// The general pasteboard has half of the room to itself: others, which nobody may ever empty, leave it that.
    private enum Room {
        case general, others

        init(board: String) { self = board == BoardTable.general ? .general : .others }

        /// A part of a limit.
        func share(of limit: Int) -> Int { self == .general ? limit : limit / 2 }
    }

    /// An item on its way from its process to the daemon.
    private struct Unfinished {
        let owner: UInt64
        let room: Room
        var supplies: [Int: KeptSupply] = [:]

        var cost: Cost {
            Cost(bytes: supplies.values.reduce(0) { $0 + $1.bytes }, representations: supplies.count)
        }
    }

    /// An item that the daemon offers itself.
    private struct Held {
        let offer: HostedOffer
        /// The process that offered it, as it was then.
        let provider: Participant
        let room: Room
        let cost: Cost
    }

    private var unfinished: [UUID: Unfinished] = [:]
    private var held: [UUID: Held] = [:]
    private var costs: [Room: Cost] = [:]

    /// Bytes of memory that all of it takes.
    var bytes: Int { costs.values.reduce(0) { $0 + $1.bytes } }

    /// Keeps one representation of an item.
    ///
    /// - Parameters:
    ///   - board: the one that the item is on, or will be.
    ///   - replaced: items that are about to be dropped for it. They do not count, so that what fills the room can be
    ///     replaced by something as large; for a moment there is both.
    mutating func add(
        _ supply: KeptSupply, index: Int, of identifier: UUID, on board: String, owner: UInt64,
        replacing replaced: [UUID] = [], limits: ExchangeLimits
    ) throws(ExchangeFault) {
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

    /// What a process handed over of an item so far.
    func supplies(of identifier: UUID, owner: UInt64) -> [Int: KeptSupply] {
        guard let item = unfinished[identifier], item.owner == owner else { return [:] }
        return item.supplies
    }

    /// Keeps what was handed over for as long as the item is offered.
    mutating func keep(_ offer: HostedOffer, provider: Participant) {
        // The sums stay: what is finished is kept as well.
        guard let item = unfinished.removeValue(forKey: offer.identifier) else { return }
        held[offer.identifier] = Held(offer: offer, provider: provider, room: item.room, cost: item.cost)
    }

    func offer(_ identifier: UUID) -> HostedOffer? { held[identifier]?.offer }

    func provider(of identifier: UUID) -> Participant? { held[identifier]?.provider }

    /// Forgets an item of the daemon's own and returns what served it.
    mutating func drop(_ identifier: UUID) -> HostedOffer? {
        guard let item = held.removeValue(forKey: identifier) else { return nil }
        costs[item.room] = (costs[item.room] ?? Cost()) - item.cost
        return item.offer
    }

    /// Forgets what a process handed over of an item that it does not offer after all.
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

/// A representation as it is kept, with what that costs.
struct KeptSupply: Sendable {
    let supply: Supply
    /// The object of the coercing interface, for whoever asks for that.
    let item: ItemMessage?
    /// Bytes of memory that keeping it takes. A file that has a name somewhere takes none.
    let bytes: Int

    /// Asks the file system, which may take its time.
    init(_ supply: Supply, item: ItemMessage? = nil) throws(Errno) {
        // Nobody waits for the end of a load any more: the lease goes.
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
