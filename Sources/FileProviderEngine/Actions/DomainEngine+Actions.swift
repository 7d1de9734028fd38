import FileProviderWire

/// Custom actions that a provider declares in its property list.
extension DomainEngine {
    /// Performs a provider's action on items. The provider reports its effects as it reports any other change. The
    /// engine requests changes afterwards, even if the action failed.
    ///
    /// - Parameters:
    ///   - action: the action's identifier in the provider's property list.
    ///   - identifiers: the identifiers of the items.
    ///   - input: the user's input, if the action asks for it.
    ///   - progress: receives the completed and the total amount of work.
    /// - Returns: the provider's reply to the user.
    package func perform(
        _ action: String, on identifiers: [String], input: String? = nil,
        progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderActionReply {
        guard !context.isClosed else { throw .closed }
        defer { signal(container: nil) }
        let epoch = signIn.epoch
        do throws(ProviderError) {
            return try await provider.perform(action, on: identifiers, input: input, progress: progress)
        } catch {
            if error.kind == .notAuthenticated { signIn.noteNeeded(error, sentIn: epoch) }
            throw error
        }
    }
}
