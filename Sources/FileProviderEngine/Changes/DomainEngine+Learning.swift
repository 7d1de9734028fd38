import FileProvider

/// Items that clients look up by identifier.
extension DomainEngine {
    /// Returns the item of an identifier from the index. Requests it from the provider if it is not known yet.
    ///
    /// - Throws: ``ProviderFailure/Kind/noSuchItem``, also for an item that was removed locally.
    package func learn(of identifier: String) async throws(ProviderFailure) -> IndexedItem {
        if let known = try known(identifier) { return known }
        let question = answers.ask()
        let item = try await resources.patiently { [provider] () async throws(ProviderFailure) in
            try await provider.item(identifier)
        }
        let all = try await withAncestors([item])
        guard !isClosed else { throw .closed }
        try apply(all, listedIn: nil, answering: question)
        guard let learned = try known(identifier) else { throw .noItem(identifier) }
        return learned
    }

    /// Returns a known item; `nil` if it is not known yet.
    private func known(_ identifier: String) throws(ProviderFailure) -> IndexedItem? {
        let row = try onRecord { () throws(IndexFailure) in try index.item(identifier: identifier) }
        if let row, row.changes.contains(.deleted) { throw .noItem(identifier) }
        return row
    }
}

extension ProviderFailure {
    fileprivate static func noItem(_ identifier: String) -> ProviderFailure {
        ProviderFailure(.noSuchItem, message: "there is no item \(identifier)")
    }
}
