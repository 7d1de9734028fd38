import LinuxSystem

/// The fault points of an exchange. After each of them, the server has files of the exchange, or the catalogue has a
/// record of them.
package enum DAVStep: String, FaultPoint {
    /// The catalogue has the record, and the server has nothing.
    case exchangeNoted = "dav.exchange.noted"
    /// The server has the new contents under another name.
    case contentsSent = "dav.exchange.sent"
    /// The server has no file with the item's name.
    case fileTaken = "dav.exchange.taken"
    /// The new contents have the item's name, and the old ones are still aside.
    case contentsPlaced = "dav.exchange.placed"
    /// The server has nothing of the exchange any more, and the catalogue has the record.
    case remainsCleared = "dav.exchange.cleared"
}
