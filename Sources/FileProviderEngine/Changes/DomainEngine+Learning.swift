import FileProvider

/// Items that somebody names by their identifiers.
extension DomainEngine {
    /// The item of an identifier: as the index has it, or as the provider tells of it, who is asked where nobody told of it yet.
    ///
    /// - Throws: ``ProviderFailure/Kind/noSuchItem`` also for one that was removed here.
    package func learn(of identifier: String) async throws(ProviderFailure) -> IndexedItem {
        if let known = try known(identifier) { return known }
        let question = answers.ask()
        let item = try await patiently { [provider] () async throws(ProviderFailure) in
            try await provider.item(identifier)
        }
        let all = try await withAncestors([item])
        guard !isClosed else { throw .closed }
        try apply(all, listedIn: nil, answering: question)
        guard let learned = try known(identifier) else { throw .noItem(identifier) }
        return learned
    }

    /// `nil` for one that nobody told of.
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
