import FileProvider

/// Whether somebody has to sign in before the provider takes anything more.
package struct SignInStatus: Sendable, Equatable {
    /// What the provider said; `nil` where nobody has to sign in.
    package var failure: ProviderFailure?
    /// Attempts to sign in that failed, one after the other.
    package var failedAttempts = 0

    package init() {}

    /// After so many attempts nobody is asked any more by itself.
    package static let mostAttempts = 3

    /// Whether that is so: edits stay, and a later sign-in is as good as any.
    package var isGivenUp: Bool { failedAttempts >= Self.mostAttempts }
}
