/// The reason why the daemon refuses a request. It is sent to the peer as a code and a sentence.
package enum ExchangeRefusalError: Error, Equatable, Sendable {
    /// A limit was reached, or the request is invalid. The sentence gives the reason.
    case refused(String)
    /// The item is not offered, or is not visible to this peer. The peer must not be able to distinguish these cases.
    case noSuchItem
    /// The process that offers the item does not respond.
    case providerUnavailable(String)

    /// The error domain in messages.
    package static let domain = "PurveyExchange"

    /// The error code in messages.
    package var code: Int64 {
        switch self {
        case .refused: 1
        case .noSuchItem: 2
        case .providerUnavailable: 3
        }
    }

    /// The sentence in messages.
    package var message: String {
        switch self {
        case .refused(let reason), .providerUnavailable(let reason): reason
        case .noSuchItem: "the item is not offered any more"
        }
    }
}
