/// A failure of a provider: its own error as a plain value, or the end of its process.
package struct ProviderError: Error, Sendable, Equatable {
    /// The kind of a failure, which determines how the engine handles it.
    package enum Kind: UInt8, Sendable {
        /// Any temporary failure. Retried automatically, with backoff.
        case transient = 0
        /// `notAuthenticated`. Requests wait until the user has signed in (`signalErrorResolved`).
        case notAuthenticated = 1
        /// `serverUnreachable`. Retried later.
        case serverUnreachable = 2
        /// `insufficientQuota`. The upload waits until the user or the provider reports the failure as resolved.
        case insufficientQuota = 3
        /// `noSuchItem`.
        case noSuchItem = 4
        /// `syncAnchorExpired` or `pageExpired`. Enumeration starts again from the beginning.
        case expired = 5
        /// `filenameCollision`. ``collidingItem`` is the item that has the requested name.
        case filenameCollision = 6
        case deletionRejected = 7
        case directoryNotEmpty = 8
        case cannotSynchronize = 9
        /// An operation that the provider does not support (`NSFeatureUnsupportedError`).
        case unsupported = 10
        case cancelled = 11
        /// The end of the extension's process before its reply. It may have been killed because of its memory or time
        /// limit.
        case processEnded = 12
        /// An unusable reply, such as an oversized page or another item's identifier.
        case badAnswer = 13
        /// A full local disk, found by the extension or by the engine.
        case noSpace = 14
        /// An extension that crashed three times in a row. It gets no requests until the user requests a retry.
        case disabled = 15
        case notPermitted = 16
    }

    package var kind: Kind
    /// The domain and code of the provider's error; empty and 0 if there is no such error.
    package var domain: String
    package var code: Int
    /// One sentence for the user.
    package var message: String
    /// The identifier of the item that has the requested name, after a collision.
    package var collidingItem: String?
    /// The provider's suggestion for the user (`NSLocalizedRecoverySuggestionErrorKey`).
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

    /// The message, followed by the suggestion, if any.
    package var advice: String { suggestion.map { message + " " + $0 } ?? message }
}
