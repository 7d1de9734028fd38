/// The limits of offers to other processes. They also apply within one process, so that a program behaves in the same
/// way without a daemon.
package enum OfferBounds {
    /// The maximum number of items that one process offers at a time.
    package static let items = 20_000
    /// The maximum number of representations of one item.
    package static let representations = 256
    /// The maximum number of bytes of a type identifier.
    package static let typeIdentifierBytes = 1_024
    /// The maximum number of bytes of a suggested name. It is larger than the limit of a file name, because names are
    /// shortened when a file is created.
    package static let nameBytes = 4_096
    /// The maximum number of bytes of a board's name.
    package static let boardNameBytes = 255

    /// Whether a text is valid as a board's name: it is neither empty nor too long, and has no control characters.
    package static func isBoardName(_ name: String) -> Bool {
        1...boardNameBytes ~= name.utf8.count
            && !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}

extension ItemPromise {
    /// The item without invalid types, without representations beyond the limit, and with its name shortened. It is
    /// `nil` if no representation is left, and the same object if nothing has to be changed.
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
    /// The items in the form in which they can be offered, at most ``OfferBounds/items``. Items without such a form are
    /// left out.
    package var offerable: [ItemPromise] { Array(compactMap(\.offerable).prefix(OfferBounds.items)) }
}

extension String {
    /// Returns as many whole characters as fit into a number of bytes.
    fileprivate func prefix(bytes: Int) -> String {
        var left = bytes
        return String(
            prefix { character in
                left -= character.utf8.count
                return left >= 0
            })
    }
}
