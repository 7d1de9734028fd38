import FileProvider
import Foundation

/// Fetches byte ranges, for programs that read only a part of a large file.
extension DAVExtension: NSFileProviderPartialContentFetching {
    /// Fetches a byte range of a file.
    public func fetchPartialContents(
        for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion,
        request: NSFileProviderRequest, minimalRange requestedRange: NSRange, aligningTo alignment: Int,
        options: NSFileProviderFetchContentsOptions,
        completionHandler:
            @escaping (
                URL?, (any NSFileProviderItem)?, NSRange, NSFileProviderMaterializationFlags, (any Error)?
            ) -> Void
    ) -> Progress {
        let version = options.contains(.strictVersioning) ? requestedVersion.contentVersion : nil
        return run { work, progress in
            try await work.fetchPart(itemIdentifier, requestedRange, alignment: alignment, version: version, progress)
        } finish: {
            completionHandler($0?.url, $0?.item, $0?.range ?? NSRange(), [], $1)
        }
    }
}
