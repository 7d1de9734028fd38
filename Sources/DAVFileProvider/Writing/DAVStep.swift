import LinuxSystem

/// The fault points of an exchange. After each of them, the server has temporary files of the exchange, or the
/// catalogue has a record of it.
package enum DAVStep: String, FaultPoint {
    /// The catalogue has the record, and the server has no temporary files.
    case exchangeNoted = "dav.exchange.noted"
    /// The server has the new contents under another name.
    case contentsSent = "dav.exchange.sent"
    /// The old file has its temporary name, and the server has no file with the item's name.
    case fileTaken = "dav.exchange.taken"
    /// The new contents have the item's name, and the old file still has its temporary name.
    case contentsPlaced = "dav.exchange.placed"
    /// The server has no temporary files any more, and the catalogue still has the record.
    case remainsCleared = "dav.exchange.cleared"
}
