import Foundation

// Unlike with Apple, a subclass cannot override these: Swift has no overriding of what an extension declares.
extension NSFileProviderManager {
    /// Has the contents of a file be fetched.
    ///
    /// - Parameters:
    ///   - requestedRange: in bytes; `nil` for all of it.
    ///   - completionHandler: called when they are there.
    public func requestDownloadForItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier, requestedRange: NSRange? = nil,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.backend.requestDownload(
            of: itemIdentifier, range: requestedRange, in: domain?.identifier, Self.calling(completionHandler))
    }
    /// Has the contents of a file be fetched; comes back when they are there.
    public func requestDownloadForItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier, requestedRange: NSRange? = nil
    ) async throws {
        try await Self.answer {
            requestDownloadForItem(
                withIdentifier: itemIdentifier, requestedRange: requestedRange, completionHandler: $0)
        }
    }

    /// Gives up the contents of a file on this machine, or of all files in a folder.
    ///
    /// Fails with ``NSFileProviderError/unsyncedEdits`` or ``NSFileProviderError/nonEvictable``.
    public func evictItem(
        identifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.backend.evict(itemIdentifier, in: domain?.identifier, Self.calling(completionHandler))
    }
    /// Gives up the contents of a file on this machine, or of all files in a folder.
    public func evictItem(identifier itemIdentifier: NSFileProviderItemIdentifier) async throws {
        try await Self.answer { evictItem(identifier: itemIdentifier, completionHandler: $0) }
    }

    /// Waits until the provider has everything that was changed in a folder up to now.
    public func waitForChanges(
        below itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        Self.backend.waitForChanges(below: itemIdentifier, in: domain?.identifier, Self.calling(completionHandler))
    }
    /// Waits until the provider has everything that was changed in a folder up to now.
    public func waitForChanges(below itemIdentifier: NSFileProviderItemIdentifier) async throws {
        try await Self.answer { waitForChanges(below: itemIdentifier, completionHandler: $0) }
    }

    /// Waits until everything that was changed up to now, here or with the provider, has reached the other side.
    public func waitForStabilization(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        Self.backend.waitForStabilization(in: domain?.identifier, Self.calling(completionHandler))
    }
    /// Waits until everything that was changed up to now, here or with the provider, has reached the other side.
    public func waitForStabilization() async throws {
        try await Self.answer { waitForStabilization(completionHandler: $0) }
    }
}
