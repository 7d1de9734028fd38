import Foundation

/// Why something between processes could not be done.
///
/// Errors of a load are errors of `NSItemProvider`; these are the errors of offering, listing and of the daemon itself.
public enum ExchangeError: Error, Sendable, Equatable {
    /// The daemon cannot be reached or started; the text says why.
    case daemonUnavailable(String)
    /// The daemon said no: a limit was reached, or what was asked makes no sense. The text says which.
    case refused(String)
    /// The item is not offered any more, or never was, or may not be seen by this process.
    case noSuchItem
    /// The request was cancelled.
    case cancelled
    /// The daemon or the other process broke off or did not keep to the protocol; the text says how.
    case interrupted(String)
}

extension ExchangeError: LocalizedError, CustomStringConvertible {
    /// One line that says what failed and, where that helps, what to do.
    public var description: String {
        switch self {
        case .daemonUnavailable(let reason): "the Purvey daemon cannot be reached: \(reason)"
        case .refused(let reason): reason
        case .noSuchItem: "the item is not offered any more"
        case .cancelled: "the request was cancelled"
        case .interrupted(let reason): "the connection to the Purvey daemon was interrupted: \(reason)"
        }
    }

    /// The same line, for code that reads `localizedDescription`.
    public var errorDescription: String? { description }
}
