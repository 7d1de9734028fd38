import DomainMessages
import FileProvider
import FileProviderEngine
import FileProviderWire

/// The wording of the errors of `purvey status`. Each error names a remedy.
struct StatusErrors {
    /// The domain's name.
    let domain: String
    /// The identifier of the domain's extension.
    let provider: String

    /// Returns the message of a failure with a remedy. The provider's own suggestion is preferred.
    func text(_ failure: ProviderError) -> String {
        failure.suggestion == nil ? "\(failure.message) (\(remedy(of: failure.kind)))" : failure.advice
    }

    /// Returns a message followed by the command that retries, unless the message already names a command.
    func text(_ message: String) -> String {
        message.contains("'purvey ") ? message : "\(message) ('purvey retry \(domain.shellWord)' tries again)"
    }

    private func remedy(of kind: ProviderError.Kind) -> String {
        let retry = "'purvey retry \(domain.shellWord)'"
        return switch kind {
        case .transient, .serverUnreachable, .processEnded, .cancelled, .expired:
            "Purvey tries again by itself; \(retry) tries at once"
        case .noSpace: "make room on this machine's disk; \(retry) tries at once"
        case .insufficientQuota: "make room at the service; \(retry) tries again"
        case .badAnswer:
            "a fault of the provider: 'purvey extensions logs \(provider.shellWord)' shows what it logged, \(retry) tries again"
        case .disabled: "\(retry) starts it again"
        case .notAuthenticated: "'purvey sign-in \(domain.shellWord)' signs in"
        case .noSuchItem, .filenameCollision, .deletionRejected, .directoryNotEmpty, .cannotSynchronize, .unsupported,
            .notPermitted:
            "\(retry) tries again"
        }
    }
}

extension DomainQuota {
    /// Returns the quota in the state that a provider reports for a domain; `nil` if the state has no quota.
    init?(_ state: ProviderDomainState) {
        let (used, available) = (state.quotaUsed, state.quotaAvailable)
        guard used != nil || available != nil else { return nil }
        self.init(used: used.map { Int64(clamping: $0) }, available: available.map { Int64(clamping: $0) })
    }
}

extension EditEvent {
    /// The result of the edit in one sentence, for the user who made the edit.
    var sentence: String {
        switch kind {
        case .conflict(let copy): "\(name) was also changed elsewhere: the version from this machine is in \(copy)"
        case .renamed(let newName): "\(name) is now called \(newName), because its name was taken"
        case .deletionRefused(let failure?): "\(name) was restored: its service refused the removal: \(failure.message)"
        case .deletionRefused(nil): "\(name) was restored, because another client has changed it"
        case .madeAgain: "\(name) was removed by another client, and created again, because you had changed it"
        case .forbidden(let reason): "\(name) stays as it is, because its provider forbids the change: \(reason)"
        case .recovered: "\(name) has bytes that were found after a crash"
        }
    }
}
