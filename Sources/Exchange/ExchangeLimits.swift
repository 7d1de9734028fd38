import ItemProvider

/// The limits for one peer. A request that exceeds one fails with a sentence that names it.
package struct ExchangeLimits: Sendable {
    /// The number of items that one connection offers at a time.
    package var offersPerConnection = OfferBounds.items
    /// The number of representations of one item.
    package var representationsPerOffer = OfferBounds.representations
    /// The size of a type identifier in bytes.
    package var typeIdentifierBytes = OfferBounds.typeIdentifierBytes
    /// The size of a suggested name in bytes. It may exceed that of a file name, as names are shortened when a file
    /// is created.
    package var nameBytes = OfferBounds.nameBytes
    /// The size of a board's name in bytes.
    package var boardNameBytes = OfferBounds.boardNameBytes
    /// The number of boards on which one connection has items at a time.
    package var boardsPerConnection = 256
    /// The number of boards whose change count is remembered after they became empty.
    package var boards = 1_024
    /// The number of consumers sent to one provider's process that it has not accepted yet. More wait in the daemon.
    package var opensInFlight = 64
    /// The number of consumers that wait in the daemon for one provider's process.
    package var opensWaiting = 8_192
    /// The number of registered bundles.
    package var bundles = 2_000
    /// The size in bytes of memory files held for pasteboards whose process has ended; half of it for boards other
    /// than the general one.
    package var heldBytes = 512 << 20
    /// The number of representations held for such pasteboards; half of it for boards other than the general one.
    package var heldRepresentations = 4_096

    package init() {}
}
