import FileProviderWire

/// The status of the sign-in at the provider, which may be needed before it accepts further requests.
package struct SignInStatus: Sendable, Equatable {
    /// The provider's failure that made a sign-in necessary; `nil` if no sign-in is necessary.
    package var failure: ProviderError?
    /// The number of consecutive failed attempts to sign in.
    package var failedAttempts = 0

    package init() {}

    /// The number of failed attempts after which the user is not prompted automatically any more.
    package static let mostAttempts = 3

    /// Whether the user is not prompted any more. Edits stay local, and the user can still sign in later.
    package var isGivenUp: Bool { failedAttempts >= Self.mostAttempts }
}
