import Conduit
import FileProvider

/// Why something was not done, as D-Bus tells it: a name for programs, a sentence for people.
struct BusError: Error, Equatable {
    enum Kind: String, Sendable {
        case failed = "Failed"
        /// What is named is in no domain, or no path.
        case invalidPath = "InvalidPath"
        case noSuchFile = "NoSuchFile"
        case noSuchDomain = "NoSuchDomain"
        case signInNeeded = "SignInNeeded"
        /// It stays, because a person has it kept.
        case kept = "Kept"
        /// More at once than is done.
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
                case .failed, .hasEdits, .noSuchAction, nil: .failed
                }
            self.init(kind, failure.message)
        case .remote(let failure): self.init(.failed, failure.description)
        case .cancelled: self.init(.failed, "it was given up")
        default: self.init(.unavailable, "the daemon did not answer: \(error)")
        }
    }

    /// One for several, of the kind of the first.
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

    /// More sentences than these help nobody.
    private static let mostTold = 10
}
