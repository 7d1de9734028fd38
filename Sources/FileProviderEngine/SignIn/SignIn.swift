import FileProviderWire
import LinuxSystem

/// The state of the user's sign-in at the provider. While a sign-in is needed, edits stay local and are not sent,
/// because the provider would refuse each of them. Requests to read are still sent, because the provider may accept
/// them at any time. If it refuses one, that request fails at once.
///
/// It calls no other part of the engine. Used only on the engine's thread (see ``EngineContext``).
package final class SignIn {
    private let context: EngineContext
    package private(set) var status = SignInStatus()
    /// A counter that increases with each sign-in, and when the provider reports an error as resolved. If a request was
    /// sent while the counter was lower, its failure is outdated.
    private(set) var epoch = 0
    /// The time, in seconds since 1970, at which one edit is sent although a sign-in is needed, because the user may
    /// have signed in by other means.
    private(set) var nextProbe = 0.0

    init(_ context: EngineContext) { self.context = context }

    var isNeeded: Bool { status.failure != nil }

    /// Records that the provider has refused a request because the user is not signed in.
    ///
    /// - Parameter sentEpoch: The value of ``epoch`` when the request was sent. If the value has changed since, the
    ///   failure is ignored.
    /// - Returns: Whether a sign-in is needed; `false` if the request is to be repeated instead.
    @discardableResult
    func noteNeeded(_ failure: ProviderError, sentIn sentEpoch: Int) -> Bool {
        guard sentEpoch == epoch else { return false }
        let isNew = status.failure == nil
        status.failure = failure
        context.configuration.states?.noteDomain()
        nextProbe = context.clock.now + context.backoff.longest
        if isNew, !status.isGivenUp { context.resources.signInRequests.tell(failure) }
        return true
    }

    /// Records that a request to the provider has failed, so that the domain's status shows the failure.
    ///
    /// - Parameter sentEpoch: The value of ``epoch`` when the request was sent.
    func noteFailure(_ failure: ProviderError, sentIn sentEpoch: Int) {
        context.configuration.states?.noteDomain()
        switch failure.kind {
        case .cancelled, .noSuchItem: break
        case .notAuthenticated: noteNeeded(failure, sentIn: sentEpoch)
        default: context.recordRequestFailure(failure)
        }
    }

    /// Whether a request was refused because the user was not signed in, and the user has signed in since the request
    /// was sent.
    func isOutdated(_ failure: ProviderError, sentIn sentEpoch: Int) -> Bool {
        failure.kind == .notAuthenticated && sentEpoch != epoch
    }

    /// Resets the number of failed attempts to sign in, unless a sign-in is still needed. Called after a successful
    /// request.
    func noteSignedIn() { if status.failure == nil { status.failedAttempts = 0 } }

    /// Asks the provider to sign the user in with a password.
    ///
    /// - Throws: A failure of kind `notAuthenticated` if the provider rejects the password. This counts as a failed
    ///   attempt. A failure of another kind if the provider could not be reached, or does not support passwords.
    nonisolated(nonsending) func attempt(password: String) async throws(ProviderError) {
        guard !context.isClosed else { throw .closed }
        let epoch = epoch
        do throws(ProviderError) {
            try await context.provider.signIn(password: password)
        } catch {
            if error.kind == .notAuthenticated {
                status.failedAttempts += 1
                if !noteNeeded(error, sentIn: epoch) { status.failedAttempts = 0 }
            }
            throw error
        }
        guard !context.isClosed else { throw .closed }
    }

    /// Counts a failed attempt to sign in through the provider's own user interface. Ignored if no sign-in is needed.
    package func noteFailedAttempt(_ failure: ProviderError) {
        guard !context.isClosed, status.failure != nil else { return }
        status.failure = failure
        status.failedAttempts += 1
    }

    func forgetFailedAttempts() { status.failedAttempts = 0 }

    /// Records that the user has signed in, or that the provider reports an error as resolved.
    func resolve() {
        status.failure = nil
        context.configuration.states?.noteDomain()
        epoch += 1
    }
}

/// The status of the user's sign-in at the provider.
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
