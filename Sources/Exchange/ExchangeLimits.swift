import ItemProvider

/// The limits of the exchange. A request that exceeds a limit fails with a sentence that names the limit.
package struct ExchangeLimits: Sendable {
    /// The maximum number of items that one connection offers at a time.
    package var offersPerConnection = OfferBounds.items
    /// The maximum number of representations of one item.
    package var representationsPerOffer = OfferBounds.representations
    /// The maximum size of a type identifier in bytes.
    package var typeIdentifierBytes = OfferBounds.typeIdentifierBytes
    /// The maximum size of a suggested name in bytes. The limit is higher than that of a file name, because names are
    /// shortened when a file is created.
    package var nameBytes = OfferBounds.nameBytes
    /// The maximum size of a board's name in bytes.
    package var boardNameBytes = OfferBounds.boardNameBytes
    /// The maximum number of boards on which one connection has items at a time.
    package var boardsPerConnection = 256
    /// The number of empty boards above which all empty boards, with their change counts, are removed from the
    /// ``BoardTable``.
    package var boards = 1_024
    /// The maximum number of consumers that are sent to one offering process and not accepted yet. Further consumers
    /// wait in the daemon.
    package var opensInFlight = 64
    /// The maximum number of consumers that wait in the daemon for one offering process.
    package var opensWaiting = 8_192
    /// The maximum number of registered bundles.
    package var bundles = 2_000
    /// The maximum total size in bytes of memory files for pasteboards whose process has ended. All boards other than
    /// the general pasteboard together may use half of this size.
    package var heldBytes = 512 << 20
    /// The maximum number of representations for pasteboards whose process has ended. All boards other than the general
    /// pasteboard together may use half of this number.
    package var heldRepresentations = 4_096

    package init() {}
}
