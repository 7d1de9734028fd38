import Foundation
import ItemProvider

/// The daemon's table of all boards: the items on each board, and their owners.
///
/// A board is identified by its name, and exists while an item is offered on it. Items stay in the order in which they
/// were offered.
package struct BoardTable {
    /// The name of the pasteboard for cut, copy and paste.
    package static let general = "general"

    /// An item on a board.
    package struct Entry: Sendable {
        package let manifest: OfferManifest
        package let board: String
        /// The number of the client that offers the item.
        package let owner: UInt64
        /// A number that increases with every offer. The items on a board are ordered by it. A listing continues after
        /// the number of the last item of the previous page.
        package let sequence: UInt64
        /// Whether the item is part of a pasteboard's contents, which should outlive the process that offers them.
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
    /// For each client, the number of items that it has on each board.
    private var boardsOfOwner: [UInt64: [String: Int]] = [:]
    private var sequence: UInt64 = 0
    /// The change count of a board that is not in `boards`. It is at least the change count of every board that was
    /// removed from there, so that a count is never repeated.
    private var forgottenChangeCount: UInt64

    /// Creates an empty table.
    ///
    /// - Parameter firstChangeCount: The change count of boards that were never used. It must be greater than every
    ///   count that an earlier daemon can have reached.
    package init(limits: ExchangeLimits = ExchangeLimits(), firstChangeCount: UInt64 = 0) {
        self.limits = limits
        forgottenChangeCount = firstChangeCount
    }

    /// The number of items on all boards.
    package var count: Int { entries.count }

    /// Adds an item to a board, after the items that are on the board.
    package mutating func offer(_ manifest: OfferManifest, on board: String, owner: UInt64) throws(ExchangeRefusalError)
    {
        try check(board: board, owner: owner)
        try check([manifest], owner: owner, replacing: 0)
        insert(manifest, on: board, owner: owner, isPasteboardItem: false)
        changed(board)
    }

    /// Replaces the contents of a board. Returns the former items.
    ///
    /// - Parameter amended: The change count of contents that the owner has written earlier and now changes; `nil` for
    ///   new contents. If it is not `nil`, the board's change count stays the same. An error is thrown if the board has
    ///   another change count, or items of other owners.
    @discardableResult
    package mutating func replaceContents(
        of board: String, with manifests: [OfferManifest], owner: UInt64, amending amended: UInt64? = nil
    ) throws(ExchangeRefusalError) -> [Entry] {
        // Clearing a board does not count towards the owner's number of boards.
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

    /// Removes an item from its board. Throws an error if `owner` is not the item's owner.
    package mutating func withdraw(_ identifier: UUID, owner: UInt64) throws(ExchangeRefusalError) {
        guard let entry = entries[identifier], entry.owner == owner else { throw .noSuchItem }
        remove(entry)
        changed(entry.board)
    }

    /// Removes and returns all items of a client that has disconnected.
    @discardableResult
    package mutating func removeAll(of owner: UInt64) -> [Entry] {
        let removed = (offersOfOwner[owner] ?? []).compactMap { entries[$0] }
        for entry in removed { remove(entry) }
        for board in Set(removed.map(\.board)) { changed(board) }
        return removed
    }

    /// Changes the owner of an item, and limits the item to its representations with the given indexes. The board's
    /// change count stays the same.
    package mutating func transfer(
        _ identifier: UUID, from owner: UInt64, to successor: UInt64, keeping indexes: Set<Int>
    ) throws(ExchangeRefusalError) {
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

    /// Returns the items on a board in the order in which they were offered.
    ///
    /// - Parameter cursor: Only items with a greater sequence number are returned.
    package func items(on board: String, after cursor: UInt64 = 0) -> [Entry] {
        guard let items = boards[board]?.items else { return [] }
        return items.keys.filter { $0 > cursor }.sorted().compactMap { items[$0].flatMap { entries[$0] } }
    }

    /// Returns all items of a client, in the order in which they were offered.
    package func items(of owner: UInt64) -> [Entry] {
        (offersOfOwner[owner] ?? []).compactMap { entries[$0] }.sorted { $0.sequence < $1.sequence }
    }

    package func entry(_ identifier: UUID) -> Entry? { entries[identifier] }

    /// Returns the change count of a board. The count increases with each change of the board's contents, and is never
    /// repeated. It does not increase when the owner adds items to its own contents.
    package func changeCount(of board: String) -> UInt64 {
        boards[board]?.changeCount ?? forgottenChangeCount
    }

    /// Whether the board has been used, and was not removed from the table since then. The table retains a limited
    /// number of boards.
    package func isTouched(_ board: String) -> Bool { boards[board] != nil }

    /// Removes an empty board from the table. It then counts as never used. Its change counts are not repeated.
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

    /// Removes an item from the records of its owner's items.
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
        let empty = boards.filter(\.value.items.isEmpty)
        guard empty.count > limits.boards else { return }
        for (name, board) in empty {
            forgottenChangeCount = max(forgottenChangeCount, board.changeCount)
            boards[name] = nil
        }
    }
}

// MARK: - Limits

extension BoardTable {
    private func check(board: String, owner: UInt64?) throws(ExchangeRefusalError) {
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
    ) throws(ExchangeRefusalError) {
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
    /// Checks a manifest that a client sent, before it is stored. Throws an error if the manifest is invalid or exceeds
    /// a limit.
    package func check(_ limits: ExchangeLimits) throws(ExchangeRefusalError) {
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
