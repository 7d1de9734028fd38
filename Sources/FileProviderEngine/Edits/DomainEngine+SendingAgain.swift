import FileProvider
import ItemStore
import ItemValues

/// Uploads of items that were not changed.
extension DomainEngine {
    /// Uploads a file's contents as if they had been changed locally. Contents that are not local or are outdated are
    /// not sent, because the provider has them.
    package func sendContentsAgain(_ number: ItemNumber) throws(ProviderError) {
        guard !isClosed else { throw .closed }
        let row = try row(number)
        guard row.item.kind == .file, row.isKnownToProvider else { return }
        if row.content == .edited { return schedule(number) }
        guard row.content == .current, row.localVersion == row.item.contentVersion else { return }
        let item = try opened(number, for: .writing(truncating: false))
        defer { item.close() }
        try takeAsEdited(number)
    }

    /// Sends an item's user metadata again, as if the user had just set it.
    package func sendMetadataAgain(_ kinds: MetadataKinds, of number: ItemNumber) throws(EditError) {
        guard !kinds.isEmpty else { return }
        let known = try reading { () throws(IndexError) in try index.metadata(of: number) }
        try metadata.set(kinds, [number: known], self)
    }
}
