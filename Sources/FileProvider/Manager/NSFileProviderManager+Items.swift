import Foundation

// Unlike on Apple's platforms, a subclass cannot override these functions, because Swift does not allow overriding a
// declaration of an extension.
extension NSFileProviderManager {
    /// Materializes a file.
    ///
    /// - Parameters:
    ///   - requestedRange: ignored on Linux: the whole file is fetched even if a byte range is requested.
    ///   - completionHandler: called when the contents are local.
    public func requestDownloadForItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier, requestedRange: NSRange? = nil,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.backend.requestDownload(
            of: itemIdentifier, range: requestedRange, in: domain?.identifier, Self.calling(completionHandler))
    }
    /// Materializes a file. Returns when the contents are local.
    public func requestDownloadForItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier, requestedRange: NSRange? = nil
    ) async throws {
        try await Self.answer {
            requestDownloadForItem(
                withIdentifier: itemIdentifier, requestedRange: requestedRange, completionHandler: $0)
        }
    }

    /// Evicts a file, or all files in a directory.
    ///
    /// Fails with ``NSFileProviderError/unsyncedEdits`` or ``NSFileProviderError/nonEvictable``.
    public func evictItem(
        identifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.backend.evict(itemIdentifier, in: domain?.identifier, Self.calling(completionHandler))
    }
    /// Evicts a file, or all files in a directory.
    public func evictItem(identifier itemIdentifier: NSFileProviderItemIdentifier) async throws {
        try await Self.answer { evictItem(identifier: itemIdentifier, completionHandler: $0) }
    }

    /// Waits until all local changes that were made in a directory before the call have been uploaded.
    public func waitForChanges(
        below itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.backend.waitForChanges(below: itemIdentifier, in: domain?.identifier, Self.calling(completionHandler))
    }
    /// Waits until all local changes that were made in a directory before the call have been uploaded.
    public func waitForChanges(below itemIdentifier: NSFileProviderItemIdentifier) async throws {
        try await Self.answer { waitForChanges(below: itemIdentifier, completionHandler: $0) }
    }

    /// Waits until all local and remote changes that were made before the call have been synchronized.
    public func waitForStabilization(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        Self.backend.waitForStabilization(in: domain?.identifier, Self.calling(completionHandler))
    }
    /// Waits until all local and remote changes that were made before the call have been synchronized.
    public func waitForStabilization() async throws {
        try await Self.answer { waitForStabilization(completionHandler: $0) }
    }
}
