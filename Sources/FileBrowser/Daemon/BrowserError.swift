import Conduit
import DomainMessages
import Exchange
import FileProvider
import LinuxSystem

/// A failure as the browser shows it: a sentence, and a remedy if there is one.
package struct BrowserError: Error, Sendable, Equatable {
    /// The kinds of failures that the browser distinguishes.
    package enum Kind: Sendable, Equatable {
        /// The daemon cannot be reached, or the connection to it ended.
        case disconnected
        /// The item does not exist any more.
        case noSuchItem
        case noSuchDomain
        /// The item is not evicted, because one of its parent folders is pinned.
        case kept
        case cancelled
        /// The provider's extension ran and reported a failure.
        case failedInExtension
        case other
    }

    package let kind: Kind
    /// The failure in one sentence, with a capital letter and a full stop.
    package let message: String
    package let remedy: Remedy?

    package init(_ message: String, kind: Kind = .other, remedy: Remedy? = nil) {
        self.kind = kind
        self.message = Self.sentence(message)
        self.remedy = remedy
    }

    package init(_ error: ConduitError) {
        switch error {
        case let error where error.tellsOfAnotherVersion:
            self.init(ConduitError.daemonOfAnotherVersion)
        case .remote(let failure):
            self.init(failure.description, kind: Self.kind(of: failure))
        case .cancelled:
            self.init("It was cancelled", kind: .cancelled)
        case .disconnected, .system:
            self.init("The connection to the daemon of Purvey ended", kind: .disconnected, remedy: .reconnect)
        default:
            self.init("The daemon of Purvey did not answer: \(error)", kind: .disconnected, remedy: .reconnect)
        }
    }

    package init(_ error: ExchangeError) {
        self.init(error.description, kind: .disconnected, remedy: .reconnect)
    }

    private static func kind(of failure: RemoteError) -> Kind {
        guard failure.domain == DomainFault.domain else { return .other }
        return switch DomainFault.Code(rawValue: failure.code) {
        case .noSuchItem: .noSuchItem
        case .noSuchDomain: .noSuchDomain
        case .kept: .kept
        case .cancelled: .cancelled
        default: .other
        }
    }

    /// Returns a text as a sentence. Messages of the daemon need this, because they begin with a lower-case letter:
    /// commands print them after a program's name.
    package static func sentence(_ text: String) -> String {
        guard let first = text.first, let last = text.last else { return "Something failed." }
        let ending = ".!?…".contains(last) ? "" : "."
        return first.uppercased() + text.dropFirst() + ending
    }
}

/// A remedy for a failure, which the user starts with one click.
package enum Remedy: Sendable, Hashable {
    /// Repeats the failed work of a domain.
    case retry(domain: String)
    /// Opens the sign-in of a domain.
    case signIn(domain: String)
    /// Connects to the daemon again, and starts it if it does not run.
    case reconnect
    /// Lists the current folder again.
    case reload

    /// The label of a button.
    package var label: String {
        switch self {
        case .retry: "Try Again"
        case .signIn: "Sign In…"
        case .reconnect: "Connect"
        case .reload: "Reload"
        }
    }
}
