import FileProviderWire
import ItemValues

extension ExtensionProvider {
    package func search(
        _ query: String, limit: Int, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderSearchResults {
        let limit = min(max(1, limit), ProviderSearchCall.mostResults)
        guard query.utf8.count <= ProviderSearchCall.longestQuery else {
            throw ProviderError(
                .unsupported,
                message: "what is to be found has \(query.utf8.count) bytes, of at most "
                    + "\(ProviderSearchCall.longestQuery)")
        }
        // A user waits for the result, and no request of the engine does. A search that crashes the provider does not
        // stop other requests.
        var found = try await ask(
            ProviderSearchCall(query: query, limit: limit), isSafe: false, isForProgram: true, mayDie: true,
            progress: progress)
        var identifiers: Set<String> = []
        found.results = found.results.prefix(limit).filter { result in
            !result.identifier.isEmpty && result.identifier.utf8.count <= ProviderItem.longestText
                && Self.isListable(result.identifier) && identifiers.insert(result.identifier).inserted
        }
        return found
    }
}
