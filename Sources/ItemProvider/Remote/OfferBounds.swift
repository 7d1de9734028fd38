/// What other processes can be offered at all. Within one process the same holds, so that a program does not behave otherwise
/// without a daemon.
package enum OfferBounds {
    /// Items that one process offers at a time.
    package static let items = 20_000
    /// Representations of one item.
    package static let representations = 256
    /// Bytes of a type identifier.
    package static let typeIdentifierBytes = 1_024
    /// Bytes of a suggested name. Longer than a file name may be, because names are shortened where a file is made.
    package static let nameBytes = 4_096
    /// Bytes of a board's name.
    package static let boardNameBytes = 255

    /// Whether a board can have a name: one with something in it, not too long, and without control characters.
    package static func isBoardName(_ name: String) -> Bool {
        1...boardNameBytes ~= name.utf8.count
            && !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}

extension ItemPromise {
    /// The item without what cannot be offered: types that are none, and the last of too many; `nil` where nothing is left. Itself
    /// where all of it can be.
    package var offerable: ItemPromise? {
        let all = offered
        let good = all.filter { 1...OfferBounds.typeIdentifierBytes ~= $0.typeIdentifier.utf8.count }
        guard !good.isEmpty else { return nil }
        let isNameGood = suggestedName?.utf8.count ?? 0 <= OfferBounds.nameBytes
        if good.count == all.count, all.count <= OfferBounds.representations, isNameGood { return self }
        var left = OfferBounds.representations - (teamRepresentation == nil ? 0 : 1)
        let copy = changed { representation in
            guard 1...OfferBounds.typeIdentifierBytes ~= representation.typeIdentifier.utf8.count, left > 0 else {
                return nil
            }
            left -= 1
            return representation
        }
        if !isNameGood { copy.suggestedName = suggestedName?.prefix(bytes: OfferBounds.nameBytes) }
        return copy
    }
}

extension [ItemPromise] {
    /// What of items can be offered, the first of too many.
    package var offerable: [ItemPromise] { Array(compactMap(\.offerable).prefix(OfferBounds.items)) }
}

extension String {
    /// As many whole characters as have this many bytes.
    fileprivate func prefix(bytes: Int) -> String {
        var left = bytes
        return String(
            prefix { character in
                left -= character.utf8.count
                return left >= 0
            })
    }
}
