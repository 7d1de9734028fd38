import FileProvider
import LinuxSystem

/// The provider wants to know who is asking. What was edited stays here meanwhile, and nothing of it is sent: it would be refused
/// again and again. Readers are told at once; they may find the provider willing at any time.
extension DomainEngine {
    package func signInStatus() -> SignInStatus { signIn }

    /// Sets who is told, once each time, that somebody has to sign in; on the engine's thread, and it must not block.
    package nonisolated func onSignInNeeded(_ receiver: (@Sendable (ProviderFailure) -> Void)?) {
        signInRequests.function = receiver
    }

    /// The provider has refused something because nobody is signed in.
    func noteSignInNeeded(_ failure: ProviderFailure) {
        let isNew = signIn.failure == nil
        signIn.failure = failure
        configuration.states?.noteDomain()
        edits.nextSignInProbe = clock.now + edits.pauses.longest
        if isNew { signInRequests.tell(failure) }
    }

    /// Signs in with a password, and goes on with what waits for that.
    ///
    /// - Throws: of kind `notAuthenticated` when the provider does not take it, which counts; of another when it could not be
    ///   asked, or has no passwords.
    package func signIn(password: String) async throws(ProviderFailure) {
        guard !isClosed else { throw .closed }
        do throws(ProviderFailure) {
            try await provider.signIn(password: password)
        } catch {
            if error.kind == .notAuthenticated {
                noteSignInNeeded(error)
                signIn.failedAttempts += 1
            }
            throw error
        }
        guard !isClosed else { throw .closed }
        retry()
    }
}
