import FileProviderWire
import ItemStore
import LinuxSystem

/// An item that the provider's search found.
package struct ProvidedSearchResult: Sendable {
    package let result: ProviderSearchResult
    /// The names on the local path to the item, including its own; `nil` if the item is not in the index.
    package let names: [String]?
}

/// Searches by the provider, in addition to searches by ``SearchIndex``.
extension DomainEngine {
    /// Asks the provider to search for items. No result is stored.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of results, at most ``ProviderSearchCall/mostResults``.
    ///   - progress: Called with the number of results so far, and the number wanted.
    /// - Returns: The results, the best first, and whether the search was cut short because it took too long.
    package func searchProvider(
        _ query: String, limit: Int, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> (results: [ProvidedSearchResult], isCutShort: Bool) {
        guard !context.isClosed else { throw .closed }
        let found: ProviderSearchResults
        let epoch = signIn.epoch
        do throws(ProviderError) {
            found = try await provider.search(query, limit: limit, progress: progress)
        } catch {
            if error.kind == .notAuthenticated { signIn.noteNeeded(error, sentIn: epoch) }
            throw error
        }
        let results = await HandlerThreads.shared.value { [index] in
            found.results.map { result in
                // If the index cannot be read, its items count as unknown.
                let known = try? index.item(identifier: result.identifier).flatMap { item throws(IndexError) in
                    try index.found(item.number)
                }
                return ProvidedSearchResult(result: result, names: known?.names)
            }
        }
        return (results, found.isCutShort)
    }
}

/// The custom actions that a provider declares in its property list.
extension DomainEngine {
    /// Performs a provider's action on items. The action's effects arrive as ordinary changes, which the engine
    /// requests afterwards, even if the action failed.
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
