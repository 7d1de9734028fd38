import Foundation
import ItemProvider

/// Which items are on which board, and who offers them: the daemon's memory, as plain values.
///
/// A board is a name; it exists when something is offered on it. Items keep the order in which they were offered.
package struct BoardTable {
    /// The name of the pasteboard of cut, copy and paste.
    package static let general = "general"

    /// One item on a board.
    package struct Entry: Sendable {
        package let manifest: OfferManifest
        package let board: String
        /// The connection that offers it.
        package let owner: UInt64
        /// Grows with every offer; the order of items on a board, and the cursor of a listing.
        package let sequence: UInt64
        /// Whether it came as the contents of a pasteboard, which should outlive its process.
        package let isPasteboardItem: Bool
    }

    private struct Board {
        var items: [UInt64: UUID] = [:]
        var changeCount: UInt64
    }

    private let limits: ExchangeLimits
    private var boards: [String: Board] = [:]
    private var entries: [UUID: Entry] = [:]
    private var offersOfOwner: [UInt64: Set<UUID>] = [:]
    /// How many items a connection has on each board.
    private var boardsOfOwner: [UInt64: [String: Int]] = [:]
    private var sequence: UInt64 = 0
    /// The count of a board that nothing is remembered of: above that of every board forgotten so far, so that a count
    /// never comes back.
    private var forgottenChangeCount: UInt64

    /// - Parameter firstChangeCount: the change count of boards that were never used. A daemon starts above what an
    ///   earlier one can have reached.
    package init(limits: ExchangeLimits = ExchangeLimits(), firstChangeCount: UInt64 = 0) {
        self.limits = limits
        forgottenChangeCount = firstChangeCount
    }

    /// How many items are offered on all boards.
    package var count: Int { entries.count }

    /// Puts an item on a board, after those that are there.
    package mutating func offer(_ manifest: OfferManifest, on board: String, owner: UInt64) throws(ExchangeFault) {
        try check(board: board, owner: owner)
        try check([manifest], owner: owner, replacing: 0)
        insert(manifest, on: board, owner: owner, isPasteboardItem: false)
        changed(board)
    }

    /// Makes these items the contents of a board, and returns what was there before.
    ///
    /// - Parameter amended: the change count of the board as its owner left it, who goes on writing: the count stays, and nothing is
    ///   done where it is another by now, or items of others are there.
    @discardableResult
    package mutating func replaceContents(
        of board: String, with manifests: [OfferManifest], owner: UInt64, amending amended: UInt64? = nil
    ) throws(ExchangeFault) -> [Entry] {
        // Clearing a board is no further one of its owner's.
        try check(board: board, owner: manifests.isEmpty ? nil : owner)
        let replaced = items(on: board)
        if let amended, changeCount(of: board) != amended || replaced.contains(where: { $0.owner != owner }) {
            throw .refused("the board \(board) has newer contents")
        }
        try check(manifests, owner: owner, replacing: replaced.count { $0.owner == owner })
        for entry in replaced { remove(entry) }
        for manifest in manifests { insert(manifest, on: board, owner: owner, isPasteboardItem: true) }
        if amended == nil { changed(board) }
        return replaced
    }

    /// Takes an item away from its board. Only its owner may.
    package mutating func withdraw(_ identifier: UUID, owner: UInt64) throws(ExchangeFault) {
        guard let entry = entries[identifier], entry.owner == owner else { throw .noSuchItem }
        remove(entry)
        changed(entry.board)
    }

    /// Takes away everything that a connection offers, because it has ended.
    @discardableResult
    package mutating func removeAll(of owner: UInt64) -> [Entry] {
        let removed = (offersOfOwner[owner] ?? []).compactMap { entries[$0] }
        for entry in removed { remove(entry) }
        for board in Set(removed.map(\.board)) { changed(board) }
        return removed
    }

    /// Puts another owner in an item's place, who keeps some of its representations. The board's change count stays.
    package mutating func transfer(
        _ identifier: UUID, from owner: UInt64, to successor: UInt64, keeping indexes: Set<Int>
    ) throws(ExchangeFault) {
        guard let entry = entries[identifier], entry.owner == owner else { throw .noSuchItem }
        let kept = OfferManifest(
            identifier: identifier, name: entry.manifest.name,
            representations: entry.manifest.representations.filter { indexes.contains($0.index) })
        entries[identifier] = Entry(
            manifest: kept, board: entry.board, owner: successor, sequence: entry.sequence,
            isPasteboardItem: entry.isPasteboardItem)
        forget(entry)
        offersOfOwner[successor, default: []].insert(identifier)
        boardsOfOwner[successor, default: [:]][entry.board, default: 0] += 1
    }

    /// The items on a board in the order in which they were offered.
    ///
    /// - Parameter cursor: only those offered after this one.
    package func items(on board: String, after cursor: UInt64 = 0) -> [Entry] {
        guard let items = boards[board]?.items else { return [] }
        return items.keys.filter { $0 > cursor }.sorted().compactMap { items[$0].flatMap { entries[$0] } }
    }

    /// Everything that a connection offers, in the order in which it was offered.
    package func items(of owner: UInt64) -> [Entry] {
        (offersOfOwner[owner] ?? []).compactMap { entries[$0] }.sorted { $0.sequence < $1.sequence }
    }

    package func entry(_ identifier: UUID) -> Entry? { entries[identifier] }

    /// Grows whenever the contents of the board change, but for what its owner adds, and never comes back to a value it had.
    package func changeCount(of board: String) -> UInt64 {
        boards[board]?.changeCount ?? forgottenChangeCount
    }

    /// Whether anything was put on the board since it was last forgotten, as far as is remembered.
    package func isTouched(_ board: String) -> Bool { boards[board] != nil }

    /// Makes a board with nothing on it one that was never used. Its change count never comes back.
    package mutating func forget(_ name: String) {
        guard let board = boards[name], board.items.isEmpty else { return }
        forgottenChangeCount = max(forgottenChangeCount, board.changeCount)
        boards[name] = nil
    }

    private mutating func insert(_ manifest: OfferManifest, on board: String, owner: UInt64, isPasteboardItem: Bool) {
        sequence += 1
        entries[manifest.identifier] = Entry(
            manifest: manifest, board: board, owner: owner, sequence: sequence, isPasteboardItem: isPasteboardItem)
        offersOfOwner[owner, default: []].insert(manifest.identifier)
        boardsOfOwner[owner, default: [:]][board, default: 0] += 1
        boards[board, default: Board(changeCount: forgottenChangeCount)].items[sequence] = manifest.identifier
    }

    private mutating func remove(_ entry: Entry) {
        entries[entry.manifest.identifier] = nil
        boards[entry.board]?.items[entry.sequence] = nil
        forget(entry)
    }

    /// The item is no longer its owner's.
    private mutating func forget(_ entry: Entry) {
        let owner = entry.owner
        offersOfOwner[owner]?.remove(entry.manifest.identifier)
        if offersOfOwner[owner]?.isEmpty == true { offersOfOwner[owner] = nil }
        let left = (boardsOfOwner[owner]?[entry.board] ?? 1) - 1
        boardsOfOwner[owner]?[entry.board] = left > 0 ? left : nil
        if boardsOfOwner[owner]?.isEmpty == true { boardsOfOwner[owner] = nil }
    }

    private mutating func changed(_ name: String) {
        boards[name, default: Board(changeCount: forgottenChangeCount)].changeCount += 1
        guard boards.count > limits.boards else { return }
        for (name, board) in boards where board.items.isEmpty {
            forgottenChangeCount = max(forgottenChangeCount, board.changeCount)
            boards[name] = nil
        }
    }
}

// MARK: - Limits

extension BoardTable {
    private func check(board: String, owner: UInt64?) throws(ExchangeFault) {
        guard !board.isEmpty else { throw .refused("a board needs a name") }
        guard board.utf8.count <= limits.boardNameBytes else {
            throw .refused("a board's name has at most \(limits.boardNameBytes) bytes")
        }
        guard !board.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw .refused("a board's name has no control characters")
        }
        guard let owner else { return }
        guard boardsOfOwner[owner]?[board] != nil || boardsOfOwner[owner]?.count ?? 0 < limits.boardsPerConnection
        else {
            throw .refused(
                "one process has items on at most \(limits.boardsPerConnection) boards at a time; withdraw some first")
        }
    }

    private func check(
        _ manifests: [OfferManifest], owner: UInt64, replacing: Int
    ) throws(ExchangeFault) {
        let offered = offersOfOwner[owner]?.count ?? 0
        guard offered - replacing + manifests.count <= limits.offersPerConnection else {
            throw .refused("one process offers at most \(limits.offersPerConnection) items at a time")
        }
        var identifiers: Set<UUID> = []
        for manifest in manifests {
            guard entries[manifest.identifier] == nil, identifiers.insert(manifest.identifier).inserted else {
                throw .refused("the item \(manifest.identifier.uuidString) is offered already")
            }
            try manifest.check(limits)
        }
    }
}

extension OfferManifest {
    /// Finds fault with what a peer sent, before anything of it is kept.
    package func check(_ limits: ExchangeLimits) throws(ExchangeFault) {
        guard !representations.isEmpty else { throw .refused("the item has no representation") }
        guard representations.count <= limits.representationsPerOffer else {
            throw .refused("an item has at most \(limits.representationsPerOffer) representations")
        }
        guard (name?.utf8.count ?? 0) <= limits.nameBytes else {
            throw .refused("an item's name has at most \(limits.nameBytes) bytes")
        }
        for (position, representation) in representations.enumerated() {
            guard representation.index == position else {
                throw .refused("the representations are not numbered in order")
            }
            guard !representation.typeIdentifier.isEmpty,
                representation.typeIdentifier.utf8.count <= limits.typeIdentifierBytes
            else { throw .refused("a type identifier has 1 to \(limits.typeIdentifierBytes) bytes") }
            guard Visibility(rawValue: representation.visibility) != nil else {
                throw .refused("there is no visibility \(representation.visibility)")
            }
        }
    }
}
