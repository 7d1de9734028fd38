import ItemProvider

/// What one peer may ask of the daemon. Beyond a limit the one request fails with a sentence that names it.
package struct ExchangeLimits: Sendable {
    /// Items that one connection offers at a time.
    package var offersPerConnection = OfferBounds.items
    /// Representations of one item.
    package var representationsPerOffer = OfferBounds.representations
    /// Bytes of a type identifier.
    package var typeIdentifierBytes = OfferBounds.typeIdentifierBytes
    /// Bytes of a suggested name. Longer than a file name may be, because names are shortened where a file is made.
    package var nameBytes = OfferBounds.nameBytes
    /// Bytes of a board's name.
    package var boardNameBytes = OfferBounds.boardNameBytes
    /// Boards on which one connection has items at a time.
    package var boardsPerConnection = 256
    /// Boards whose change count is remembered after they became empty.
    package var boards = 1_024
    /// Consumers on their way to one provider's process that it has not taken in yet. More wait in the daemon.
    package var opensInFlight = 64
    /// Consumers that wait in the daemon for one provider's process.
    package var opensWaiting = 8_192
    /// Registered bundles.
    package var bundles = 2_000
    /// Bytes of memory files that the daemon keeps for pasteboards whose process has ended; half of it for those that are
    /// not the general one.
    package var heldBytes = 512 << 20
    /// Representations that the daemon keeps for such pasteboards; half of it for those that are not the general one.
    package var heldRepresentations = 4_096

    package init() {}
}
