/// A failure of a request to a provider, as a plain value: an error that the provider returned, the end of its process,
/// or a failure that the engine found.
package struct ProviderError: Error, Sendable, Equatable {
    /// The kind of a failure. It determines how the engine handles the failure.
    package enum Kind: UInt8, Sendable {
        /// Any temporary failure. The engine retries the request automatically, with backoff.
        case transient = 0
        /// The provider's error `notAuthenticated`. Edits wait until the user has signed in, or until the provider
        /// reports the error as resolved (`signalErrorResolved`).
        case notAuthenticated = 1
        /// The provider's error `serverUnreachable`. The engine retries the request later.
        case serverUnreachable = 2
        /// The provider's error `insufficientQuota`. The upload waits until the user or the provider reports that the
        /// failure is resolved.
        case insufficientQuota = 3
        /// The provider's error `noSuchItem`.
        case noSuchItem = 4
        /// The provider's error `syncAnchorExpired` or `pageExpired`. The enumeration starts again from the beginning.
        case expired = 5
        /// The provider's error `filenameCollision`. ``collidingItem`` is the item that has the requested name.
        case filenameCollision = 6
        case deletionRejected = 7
        case directoryNotEmpty = 8
        case cannotSynchronize = 9
        /// The provider does not support the operation (`NSFeatureUnsupportedError`).
        case unsupported = 10
        case cancelled = 11
        /// The extension's process ended before it replied. The process may have exceeded its memory limit or its time
        /// limit.
        case processEnded = 12
        /// The reply is unusable. For example, a page is too large, or an identifier belongs to another item.
        case badAnswer = 13
        /// The local disk is full, as the extension or the engine has found.
        case noSpace = 14
        /// The extension crashed three times in a row, and gets no requests until the user requests a retry. Also the
        /// provider's error `domainDisabled`, and the failure of requests after the domain was closed.
        case disabled = 15
        case notPermitted = 16
    }

    package var kind: Kind
    /// The domain and code of the provider's `NSError`; an empty text and 0 if there is no such error.
    package var domain: String
    package var code: Int
    /// One sentence for the user.
    package var message: String
    /// After a name collision, the identifier of the item that has the requested name; otherwise `nil`.
    package var collidingItem: String?
    /// The provider's suggestion of a remedy, for the user (`NSLocalizedRecoverySuggestionErrorKey`); `nil` if there is
    /// none.
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

    /// The message, followed by the suggestion if there is one.
    package var advice: String { suggestion.map { message + " " + $0 } ?? message }
}
