import FileProvider

/// Actions of the provider's own.
extension DomainEngine {
    /// Has the provider do something with items. What comes of it, the provider tells as any other change; it is asked for that,
    /// whatever became of the action.
    ///
    /// - Parameters:
    ///   - action: as the provider's property list has it.
    ///   - progress: how much is done, and how much is to be done.
    package func perform(
        _ action: String, on identifiers: [String], progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderFailure) {
        guard !isClosed else { throw .closed }
        defer { signal(container: nil) }
        let era = signInEra
        do throws(ProviderFailure) {
            try await provider.perform(action, on: identifiers, progress: progress)
        } catch {
            if error.kind == .notAuthenticated { noteSignInNeeded(error, askedIn: era) }
            throw error
        }
    }
}
