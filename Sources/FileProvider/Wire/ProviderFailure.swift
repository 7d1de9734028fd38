/// Why a provider did not do what it was asked: its own error as a plain value, or what became of its process.
package struct ProviderFailure: Error, Sendable, Equatable {
    /// What an engine does about a failure.
    package enum Kind: UInt8, Sendable {
        /// Tried again later, by itself, with growing pauses.
        case transient = 0
        /// `notAuthenticated`: waits until a person signed in (`signalErrorResolved`).
        case notAuthenticated = 1
        /// `serverUnreachable`: tried again later.
        case serverUnreachable = 2
        /// `insufficientQuota`: waits until it is resolved.
        case insufficientQuota = 3
        /// `noSuchItem`
        case noSuchItem = 4
        /// `syncAnchorExpired`, `pageExpired`: start from the beginning.
        case expired = 5
        /// `filenameCollision`; ``collidingItem`` is the item that has the name.
        case filenameCollision = 6
        case deletionRejected = 7
        case directoryNotEmpty = 8
        case cannotSynchronize = 9
        /// The provider does not do that at all (`NSFeatureUnsupportedError`).
        case unsupported = 10
        case cancelled = 11
        /// The extension's process ended before it answered, or was ended: over its memory or time.
        case processEnded = 12
        /// Its answer cannot be used: an oversized page, another item's identifier.
        case badAnswer = 13
        /// The disk of this machine is full, on the extension's side or here.
        case noSpace = 14
        /// The extension ended three times in a row: nothing is asked of it until a person asks for a retry.
        case disabled = 15
        case notPermitted = 16
    }

    package var kind: Kind
    /// The domain and code of the error, as the provider gave them; empty and 0 where there was none.
    package var domain: String
    package var code: Int
    /// One sentence for a person.
    package var message: String
    /// Of a collision.
    package var collidingItem: String?
    /// What the person can do about it, as the provider says (`NSLocalizedRecoverySuggestionErrorKey`).
    package var suggestion: String?

    package init(
        _ kind: Kind, message: String, domain: String = "", code: Int = 0, collidingItem: String? = nil,
        suggestion: String? = nil
    ) {
        self.kind = kind
        self.message = message
        self.domain = domain
        self.code = code
        self.collidingItem = collidingItem
        self.suggestion = suggestion
    }

    /// What happened, and what to do about it.
    package var advice: String { suggestion.map { message + " " + $0 } ?? message }
}
