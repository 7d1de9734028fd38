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
    ///
    /// - Parameter era: the one in which it was asked. What was asked before somebody signed in, and is answered after that, tells
    ///   nothing of now.
    /// - Returns: whether somebody has to sign in; otherwise it is to be asked again.
    @discardableResult
    func noteSignInNeeded(_ failure: ProviderFailure, askedIn era: Int) -> Bool {
        guard era == signInEra else { return false }
        let isNew = signIn.failure == nil
        signIn.failure = failure
        configuration.states?.noteDomain()
        edits.nextSignInProbe = clock.now + edits.pauses.longest
        if isNew, !signIn.isGivenUp { signInRequests.tell(failure) }
        return true
    }

    /// Whether something failed only because it was asked before somebody signed in.
    func isOutdated(_ failure: ProviderFailure, askedIn era: Int) -> Bool {
        failure.kind == .notAuthenticated && era != signInEra
    }

    /// Something was done for which somebody has to be signed in, if that is needed at all.
    func noteSignedIn() { if signIn.failure == nil { signIn.failedAttempts = 0 } }

    /// Signs in with a password, and goes on with what waits for that.
    ///
    /// - Throws: of kind `notAuthenticated` when the provider does not take it, which counts; of another when it could not be
    ///   asked, or has no passwords.
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

    /// The provider's own user interface was to sign somebody in, and did not: that counts as any other attempt. Where nobody has to
    /// sign in, it is nobody's business.
    package func noteFailedSignIn(_ failure: ProviderFailure) {
        guard !isClosed, signIn.failure != nil else { return }
        signIn.failure = failure
        signIn.failedAttempts += 1
    }
}
