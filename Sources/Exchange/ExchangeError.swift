import Foundation
import ItemProvider

/// An error of the exchange between processes.
///
/// The error concerns offering or listing items, or the daemon itself. Loading an item fails with the errors of
/// `NSItemProvider`.
public enum ExchangeError: Error, Sendable, Equatable {
    /// The daemon cannot be reached or started. The text gives the reason.
    case daemonUnavailable(String)
    /// The daemon refused the request, because of a limit or because it is invalid. The text gives the reason.
    case refused(String)
    /// The item is not offered any more, was never offered, or is not visible to this process.
    case noSuchItem
    /// The request was cancelled.
    case cancelled
    /// The daemon or the other process closed the connection or violated the protocol. The text gives the reason.
    case interrupted(String)
}

extension ExchangeError: LocalizedError, CustomStringConvertible {
    /// One line that describes the failure and, if possible, a remedy.
    public var description: String {
        switch self {
        case .daemonUnavailable(let reason): "the Purvey daemon cannot be reached: \(reason)"
        case .refused(let reason): reason
        case .noSuchItem: "the item is not offered any more"
        case .cancelled: "the request was cancelled"
        case .interrupted(let reason): "the connection to the Purvey daemon was interrupted: \(reason)"
        }
    }

    /// The description, for code that reads `localizedDescription`.
    public var errorDescription: String? { description }
}

extension ExchangeError {
    /// The error to report for a load that could not be requested from the process that offers the item.
    var loadError: any Error {
        switch self {
        case .noSuchItem: ItemProviderError.providerIsGone()
        case .cancelled: ItemProviderError.cancelled()
        case .daemonUnavailable, .refused, .interrupted:
            ItemProviderError.make(.itemUnavailableError, description)
        }
    }
}

/// The reason why the daemon refuses a request. It is sent to the client as a code and a sentence.
package enum ExchangeRefusalError: Error, Equatable, Sendable {
    /// A limit was reached, or the request is invalid. The sentence gives the reason.
    case refused(String)
    /// The item is not offered, or is not visible to this client. The client must not be able to distinguish these
    /// cases.
    case noSuchItem
    /// The process that offers the item does not respond.
    case providerUnavailable(String)

    /// The domain of the error when it is sent.
    package static let domain = "PurveyExchange"

    /// The code of the error when it is sent.
    package var code: Int64 {
        switch self {
        case .refused: 1
        case .noSuchItem: 2
        case .providerUnavailable: 3
        }
    }

    /// The sentence that is sent with the error.
    package var message: String {
        switch self {
        case .refused(let reason), .providerUnavailable(let reason): reason
        case .noSuchItem: "the item is not offered any more"
        }
    }
}
