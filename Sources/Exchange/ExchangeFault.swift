/// Why the daemon says no to a request. It crosses to the peer as a code and a sentence.
package enum ExchangeFault: Error, Equatable, Sendable {
    /// A limit was reached, or what was asked makes no sense; the sentence says which.
    case refused(String)
    /// The item is not offered, or this peer may not know that it is: the two look the same from outside.
    case noSuchItem
    /// The process that offers the item does not answer.
    case providerUnavailable(String)

    /// The error domain on the wire.
    package static let domain = "PurveyExchange"

    /// The number on the wire.
    package var code: Int64 {
        switch self {
        case .refused: 1
        case .noSuchItem: 2
        case .providerUnavailable: 3
        }
    }

    /// The sentence on the wire.
    package var message: String {
        switch self {
        case .refused(let reason), .providerUnavailable(let reason): reason
        case .noSuchItem: "the item is not offered any more"
        }
    }
}
