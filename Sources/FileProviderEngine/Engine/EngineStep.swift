import LinuxSystem

/// The steps at which an engine may be killed: between any two of them something is on the disk that was not there before, or the
/// provider has something that is not known of here.
package enum EngineStep: String, FaultPoint {
    // Contents come here.
    case fetched = "engine.fetching.fetched"
    case fetchMoved = "engine.fetching.moved"
    case partFetched = "engine.parts.fetched"
    case partsMoved = "engine.parts.moved"

    // A file is opened for writing, and closed with nothing written to it.
    case openingMoved = "engine.opening.moved"
    case openingJournalled = "engine.opening.journalled"
    case emptyingJournalled = "engine.emptying.journalled"
    case emptied = "engine.emptying.done"
    case unchangedMoved = "engine.unchanged.moved"
    case unchangedJournalled = "engine.unchanged.journalled"

    // Something is made, changed, moved or removed here.
    case newFileMade = "engine.new.file"
    case editJournalled = "engine.edit.journalled"
    case editIndexed = "engine.edit.indexed"

    // It is sent.
    case copied = "engine.sending.copied"
    case placeNoted = "engine.sending.place"
    case asked = "engine.sending.asked"
    case answered = "engine.sending.answered"
    case failed = "engine.sending.failed"

    // The provider has it.
    case settledMoved = "engine.settling.moved"
    case confirmedIndexed = "engine.confirming.indexed"
    case confirmedJournalled = "engine.confirming.journalled"

    // A mark is set here, and sent.
    case markJournalled = "engine.mark.journalled"
    case markIndexed = "engine.mark.indexed"
    case markAsked = "engine.mark.asked"
    case markAnswered = "engine.mark.answered"
    case markConfirmed = "engine.mark.confirmed"

    // Something goes to the trash, comes out of it, or is removed from there; and what lies in it is listed.
    case trashedIndexed = "engine.trash.indexed"
    case untrashAsked = "engine.untrash.asked"
    case untrashAnswered = "engine.untrash.answered"
    case removedFromTrash = "engine.trash.removed"
    case trashListed = "engine.trash.listed"

    // A folder is listed, or changes are told.
    case pageApplied = "engine.listing.page"
    case listingEnded = "engine.listing.ended"
    case changesApplied = "engine.changes.applied"

    // The provider says what became of an item.
    case doubtAnswered = "engine.doubt.answered"
    case doubtApplied = "engine.doubt.applied"

    // After a crash.
    case recoveredRows = "engine.recovery.rows"
    case recoveredMissing = "engine.recovery.missing"
    case recoveredOpenFiles = "engine.recovery.open"
    case recoveredIdentities = "engine.recovery.identities"
    case recoveredRemovals = "engine.recovery.removals"
    case recoveredPlaces = "engine.recovery.places"
    case recoveredContents = "engine.recovery.contents"
    case recoveredFiles = "engine.recovery.files"
}
