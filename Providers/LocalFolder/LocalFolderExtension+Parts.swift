import FileProvider
import Foundation
import LinuxSystem

/// Fetches byte ranges, for programs that read only a part of a large file.
extension LocalFolderExtension: NSFileProviderPartialContentFetching {
    package func fetchPartialContents(
        for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion,
        request: NSFileProviderRequest, minimalRange requestedRange: NSRange, aligningTo alignment: Int,
        options: NSFileProviderFetchContentsOptions,
        completionHandler:
            @escaping (
                URL?, (any NSFileProviderItem)?, NSRange, NSFileProviderMaterializationFlags, (any Error)?
            ) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: Int64(requestedRange.length))
        let url = temporaryFolder.appendingPathComponent(".purvey-part-" + UUID().uuidString, isDirectory: false)
        do {
            let identifier = try known(itemIdentifier)
            // An item with an unsent edit can only be fetched as a whole.
            guard !hasUnsentEdit(identifier) else { throw FolderError.wrongKind }
            let (item, range) = try catalogue().copyPart(
                requestedRange, alignment: alignment, of: identifier,
                version: options.contains(.strictVersioning) ? Array(requestedVersion.contentVersion) : nil,
                to: url.path)
            completionHandler(url, self.item(item), range, [.knownSparseRanges], nil)
        } catch {
            try? FileManager.default.removeItem(at: url)
            let failure = FolderError(error)
            if case .busy = failure {
                let words = [NSLocalizedDescriptionKey: "the file has changed"]
                completionHandler(
                    nil, nil, NSRange(), [], NSFileProviderError(.versionNoLongerAvailable, userInfo: words))
            } else {
                completionHandler(nil, nil, NSRange(), [], self.error(failure))
            }
        }
        progress.completedUnitCount = progress.totalUnitCount
        return progress
    }

    /// The directory for files that are passed to the system, which removes them.
    var temporaryFolder: URL {
        let manager = domain.flatMap { NSFileProviderManager(for: $0) } ?? .default
        return (try? manager.temporaryDirectoryURL()) ?? FileManager.default.temporaryDirectory
    }
}
