import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Fetches with the help of contents of an earlier version.
extension Downloader {
    /// Requests a file's contents as the difference to those of an earlier version.
    ///
    /// - Returns: `nil` if no such contents are local, or the provider cannot use them. The whole file then has to be
    ///   fetched.
    nonisolated(nonsending) func contentsByDifference(
        _ row: IndexedItem, _ progress: FetchProgress
    ) async throws(ProviderError) -> ProviderContents? {
        guard cache.older.areUseful != false, let existing = existingContents(of: row) else { return nil }
        let provider = context.provider
        if cache.older.areUseful == nil {
            cache.older.noteUse(try await provider.usesExistingContents())
        }
        guard cache.older.areUseful == true, !context.isClosed else { return nil }
        do throws(ProviderError) {
            return try await provider.contents(of: row.item.identifier, using: existing) { done, total in
                progress.set(done, total)
            }
        } catch {
            switch error.kind {
            // The provider cannot use this version, or there is no room for its copy.
            case .expired, .badAnswer, .unsupported, .cannotSynchronize, .noSpace: break
            default: throw error
            }
            cache.older.remove(row.number)
            return nil
        }
    }

    /// Returns the contents of an earlier version: those of the open file, or those that were kept when the provider
    /// replaced them.
    private func existingContents(of row: IndexedItem) -> ExistingContents? {
        guard row.hasUsableOlderContents else { return cache.older.contents(of: row.number) }
        guard let file = try? folders.open(row.number, in: folders.clean, .readOnly) else { return nil }
        return ExistingContents(descriptor: file, version: row.localVersion)
    }
}
