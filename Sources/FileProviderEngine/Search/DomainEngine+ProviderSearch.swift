import FileProvider
import LinuxSystem

/// An item that the provider's service has found.
package struct ProvidedSearchResult: Sendable {
    package let result: ProviderSearchResult
    /// The names on the way to it, and its own, where it is known on this machine; `nil` where it is not.
    package let names: [String]?
}

/// Searches by the provider's service, beside those of ``SearchIndex``.
extension DomainEngine {
    /// Has the provider look for items. Nothing of it is kept.
    ///
    /// - Parameters:
    ///   - limit: the most results, up to ``ProviderSearchCall/mostResults``.
    ///   - progress: how many results there are, of those that are wanted.
    /// - Returns: the best first, and whether the search was ended before its end because it took too long.
    package func searchProvider(
        _ query: String, limit: Int, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderFailure) -> (results: [ProvidedSearchResult], isCutShort: Bool) {
        guard !isClosed else { throw .closed }
        let found: ProviderSearchResults
        let era = signInEra
        do throws(ProviderFailure) {
            found = try await provider.search(query, limit: limit, progress: progress)
        } catch {
            if error.kind == .notAuthenticated { noteSignInNeeded(error, askedIn: era) }
            throw error
        }
        let results = await HandlerThreads.shared.value { [index] in
            found.results.map { result in
                // Where the index cannot be read, its items are as good as unknown.
                let known = try? index.item(identifier: result.identifier).flatMap { item throws(IndexFailure) in
                    try index.found(item.number)
                }
                return ProvidedSearchResult(result: result, names: known?.names)
            }
        }
        return (results, found.isCutShort)
    }
}
