import LinuxSystem

/// The fault points of an engine, at which tests kill the engine. Between two consecutive fault points, either the disk
/// changes, or the provider makes a change that is not known locally yet.
package enum EngineStep: String, FaultPoint {
    // Contents are fetched.
    case fetched = "engine.fetching.fetched"
    case fetchMoved = "engine.fetching.moved"
    case partFetched = "engine.parts.fetched"
    case partsMoved = "engine.parts.moved"

    // A file is opened for writing, and closed without a write.
    case openingMoved = "engine.opening.moved"
    case openingJournalled = "engine.opening.journalled"
    case emptyingJournalled = "engine.emptying.journalled"
    case emptied = "engine.emptying.done"
    case unchangedMoved = "engine.unchanged.moved"
    case unchangedJournalled = "engine.unchanged.journalled"

    // An item is created, changed, moved or removed locally.
    case newFileMade = "engine.new.file"
    case editJournalled = "engine.edit.journalled"
    case editIndexed = "engine.edit.indexed"

    // An edit is sent.
    case copied = "engine.sending.copied"
    case placeNoted = "engine.sending.place"
    case asked = "engine.sending.asked"
    case answered = "engine.sending.answered"
    case failed = "engine.sending.failed"

    // The provider has confirmed an edit.
    case settledMoved = "engine.settling.moved"
    case confirmedIndexed = "engine.confirming.indexed"
    case confirmedJournalled = "engine.confirming.journalled"

    // User metadata is set locally, and sent.
    case markJournalled = "engine.mark.journalled"
    case markIndexed = "engine.mark.indexed"
    case markAsked = "engine.mark.asked"
    case markAnswered = "engine.mark.answered"
    case markConfirmed = "engine.mark.confirmed"

    // An item moves into the trash, out of it, or is removed from it. The trash is listed.
    case trashedIndexed = "engine.trash.indexed"
    case untrashAsked = "engine.untrash.asked"
    case untrashAnswered = "engine.untrash.answered"
    case removedFromTrash = "engine.trash.removed"
    case trashListed = "engine.trash.listed"

    // A directory is listed, or changes are reported.
    case pageApplied = "engine.listing.page"
    case listingEnded = "engine.listing.ended"
    case changesApplied = "engine.changes.applied"

    // An item is revalidated.
    case revalidationAnswered = "engine.doubt.answered"
    case revalidationApplied = "engine.doubt.applied"

    // Recovery after a crash.
    case recoveredRows = "engine.recovery.rows"
    case recoveredMissing = "engine.recovery.missing"
    case recoveredOpenFiles = "engine.recovery.open"
    case recoveredIdentities = "engine.recovery.identities"
    case recoveredRemovals = "engine.recovery.removals"
    case recoveredPlaces = "engine.recovery.places"
    case recoveredContents = "engine.recovery.contents"
    case recoveredFiles = "engine.recovery.files"
}
