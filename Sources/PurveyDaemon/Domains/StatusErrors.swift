import FileProvider

/// The wording of the errors of `purvey status`: each names what the user can do.
struct StatusErrors {
    /// The domain's name.
    let domain: String
    /// The identifier of the domain's extension.
    let provider: String

    /// Returns a failure's message with what to do about it. The provider's own suggestion comes first.
    func text(_ failure: ProviderError) -> String {
        failure.suggestion == nil ? "\(failure.message) (\(remedy(of: failure.kind)))" : failure.advice
    }

    /// Returns a message with the command that tries again, unless it names a command already.
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
