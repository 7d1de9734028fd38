import FileProvider
import LinuxSystem

/// Sign-in at the provider. While a sign-in is needed, edits stay local and are not sent, because each would be
/// refused again. Reads are still attempted and fail at once if refused, because the provider may accept them at any
/// time.
extension DomainEngine {
    package func signInStatus() -> SignInStatus { signIn }

    /// Sets the function that is called each time a sign-in becomes necessary. It is called on the engine's thread
    /// and must not block.
    package nonisolated func onSignInNeeded(_ receiver: (@Sendable (ProviderFailure) -> Void)?) {
        signInRequests.function = receiver
    }

    /// Records that the provider has refused a request because the user is not signed in.
    ///
    /// - Parameter era: the value of ``signInEra`` when the request was sent. A reply to a request from before the
    ///   last sign-in is stale.
    /// - Returns: whether a sign-in is needed; `false` if the request is to be retried.
    @discardableResult
    func noteSignInNeeded(_ failure: ProviderFailure, askedIn era: Int) -> Bool {
        guard era == signInEra else { return false }
        let isNew = signIn.failure == nil
        signIn.failure = failure
        configuration.states?.noteDomain()
        edits.nextSignInProbe = clock.now + context.backoff.longest
        if isNew, !signIn.isGivenUp { signInRequests.tell(failure) }
        return true
    }

    /// Whether a request failed only because it was sent before the user signed in.
    func isOutdated(_ failure: ProviderFailure, askedIn era: Int) -> Bool {
        failure.kind == .notAuthenticated && era != signInEra
    }

    /// Resets the number of failed attempts after a successful request, unless a sign-in is still needed.
    func noteSignedIn() { if signIn.failure == nil { signIn.failedAttempts = 0 } }

    /// Signs in with a password, and resumes what waited for the sign-in.
    ///
    /// - Throws: a failure of kind `notAuthenticated` if the provider rejects the password, which counts as a failed
    ///   attempt. Failures of other kinds mean that the provider could not be reached, or does not support passwords.
    package func signIn(password: String) async throws(ProviderFailure) {
        guard !isClosed else { throw .closed }
        let era = signInEra
        do throws(ProviderFailure) {
            try await provider.signIn(password: password)
        } catch {
            if error.kind == .notAuthenticated {
                signIn.failedAttempts += 1
                if !noteSignInNeeded(error, askedIn: era) { signIn.failedAttempts = 0 }
            }
            throw error
        }
        guard !isClosed else { throw .closed }
        retry()
    }

    /// Counts a failed attempt to sign in through the provider's own user interface. Ignored if no sign-in is needed.
    package func noteFailedSignIn(_ failure: ProviderFailure) {
        guard !isClosed, signIn.failure != nil else { return }
        signIn.failure = failure
        signIn.failedAttempts += 1
    }
}
