import FileProviderWire
import ItemStore
import LinuxSystem

/// An item that the provider's search found.
package struct ProvidedSearchResult: Sendable {
    package let result: ProviderSearchResult
    /// The names of the directories on the local path to the item, and its own name, from the top; `nil` if the item is
    /// not in the index.
    package let names: [String]?
}

/// Passes a search to the provider. ``SearchIndex`` searches the local index.
extension DomainEngine {
    /// Asks the provider to search for items. The engine does not store the results.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of results, at most ``ProviderSearchCall/mostResults``.
    ///   - progress: Called with the number of results so far, and with the number of results that the search is to
    ///     find.
    /// - Returns: The results, the best first, and whether the search ended early because it took too long.
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
    /// Performs the provider's custom action `action` on items. The engine then requests changes from the provider,
    /// even if the action failed, and so learns of the action's effects.
    ///
    /// - Parameters:
    ///   - action: The action's identifier in the provider's property list.
    ///   - identifiers: The identifiers of the items.
    ///   - input: The user's input, if the action asks for it.
    ///   - progress: Receives the completed and the total amount of work.
    /// - Returns: The provider's reply for the user.
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
