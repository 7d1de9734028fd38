import FileProviderWire

/// Custom actions that a provider declares in its property list.
extension DomainEngine {
    /// Performs a provider's action on items. The provider reports its effects as it reports any other change. The
    /// engine requests changes afterwards, even if the action failed.
    ///
    /// - Parameters:
    ///   - action: the action's identifier in the provider's property list.
    ///   - identifiers: the identifiers of the items.
    ///   - progress: receives the completed and the total amount of work.
    package func perform(
        _ action: String, on identifiers: [String], progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) {
        guard !isClosed else { throw .closed }
        defer { signal(container: nil) }
        let epoch = signIn.epoch
        do throws(ProviderError) {
            try await provider.perform(action, on: identifiers, progress: progress)
        } catch {
            if error.kind == .notAuthenticated { signIn.noteNeeded(error, sentIn: epoch) }
            throw error
        }
    }
}
