import FileProvider
import LinuxSystem

/// The calls of clients that components serve.
extension DomainEngine {
    // MARK: Sign-in

    package func signInStatus() -> SignInStatus { signIn.status }

    /// Sets the function that is called each time a sign-in becomes necessary. It is called on the engine's thread
    /// and must not block.
    package nonisolated func onSignInNeeded(_ receiver: (@Sendable (ProviderFailure) -> Void)?) {
        resources.signInRequests.function = receiver
    }

    /// Signs in with a password, as ``SignIn/attempt(password:)`` does, and resumes what waited for the sign-in.
    package func signIn(password: String) async throws(ProviderFailure) {
        try await signIn.attempt(password: password)
        retry()
    }

    /// Counts a failed attempt to sign in through the provider's own user interface. Ignored if no sign-in is needed.
    package func noteFailedSignIn(_ failure: ProviderFailure) { signIn.noteFailedAttempt(failure) }
}
