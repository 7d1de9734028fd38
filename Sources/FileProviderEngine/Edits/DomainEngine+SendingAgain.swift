import FileProvider

/// Handing over what was not changed.
extension DomainEngine {
    /// Has a file's contents sent as if they had been changed here. Those that are not here, or are older than the provider's, are not
    /// sent: the provider has them.
    package func sendContentsAgain(_ number: ItemNumber) throws(ProviderFailure) {
        guard !isClosed else { throw .closed }
        let row = try row(number)
        guard row.item.kind == .file, row.isKnownToProvider else { return }
        if row.content == .edited { return look(at: number) }
        guard row.content == .current, row.localVersion == row.item.contentVersion else { return }
        let item = try opened(number, for: .writing(truncating: false))
        defer { item.close() }
        try takeAsEdited(number)
    }

    /// Has what a person's use has left on an item sent as if it had been set here.
    package func sendFactsAgain(_ kinds: FactKinds, of number: ItemNumber) throws(EditFailure) {
        guard !kinds.isEmpty else { return }
        let known = try reading { () throws(IndexFailure) in try index.facts(of: number) }
        try setFacts(kinds, [number: known])
    }
}
