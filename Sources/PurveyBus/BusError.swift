import Conduit
import DomainMessages

/// The error of a D-Bus call: a name for programs, and a sentence for users.
struct BusError: Error, Equatable {
    enum Kind: String, Sendable {
        case failed = "Failed"
        /// The text is not a path, or no domain contains it.
        case invalidPath = "InvalidPath"
        case noSuchFile = "NoSuchFile"
        case noSuchDomain = "NoSuchDomain"
        case signInNeeded = "SignInNeeded"
        /// The item is not evicted, because the user has pinned it.
        case kept = "Kept"
        /// The maximum number of paths or calls is exceeded.
        case tooMany = "TooMany"
        case unavailable = "Unavailable"
    }

    let kind: Kind
    let message: String

    var name: String { BusNames.errors + kind.rawValue }

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    init(_ error: ConduitError) {
        switch error {
        case .remote(let failure) where failure.domain == DomainFault.domain:
            let kind: Kind =
                switch DomainFault.Code(rawValue: failure.code) {
                case .noSuchItem: .noSuchFile
                case .noSuchDomain: .noSuchDomain
                case .signInRefused: .signInNeeded
                case .kept: .kept
                case .failed, .hasEdits, .noSuchAction, .cancelled, nil: .failed
                }
            self.init(kind, failure.message)
        case .remote(let failure): self.init(.failed, failure.description)
        case .cancelled: self.init(.failed, "it was given up")
        default: self.init(.unavailable, "the daemon did not answer: \(error)")
        }
    }

    /// Combines several errors into one error, which has the kind of the first. Returns `nil` if there are no errors.
    init?(_ errors: [BusError]) {
        guard let first = errors.first else { return nil }
        guard errors.count > 1 else {
            self = first
            return
        }
        let told = errors.prefix(Self.mostTold).map(\.message).joined(separator: "\n")
        let rest = errors.count - Self.mostTold
        self.init(first.kind, rest > 0 ? told + "\nand \(rest) more" : told)
    }

    /// The maximum number of messages in a combined error.
    private static let mostTold = 10
}
