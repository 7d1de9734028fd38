import FileProvider
import Foundation
import ScriptableService

/// Parts of files, if the test enables them.
extension ScriptableProvider: NSFileProviderPartialContentFetching {
    /// Whether the provider serves parts of files: a file of this name in the test's directory enables them.
    private var givesParts: Bool { FileManager.default.fileExists(atPath: folder + "/gives-parts") }

    func fetchPartialContents(
        for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion,
        request: NSFileProviderRequest, minimalRange requestedRange: NSRange, aligningTo alignment: Int,
        options: NSFileProviderFetchContentsOptions,
        completionHandler:
            @escaping (
                URL?, (any NSFileProviderItem)?, NSRange, NSFileProviderMaterializationFlags, (any Error)?
            ) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: 1)
        func fail(_ error: any Error) { completionHandler(nil, nil, NSRange(), [], error) }
        let version = Int(String(decoding: requestedVersion.contentVersion, as: UTF8.self))
        guard givesParts, let version else {
            fail(CocoaError(.featureUnsupported))
            return progress
        }
        do {
            let url = try serviceManager.temporaryDirectoryURL().appendingPathComponent(UUID().uuidString)
            let (item, count) = try client.fetchPart(
                .part(
                    of: ServiceItem.known(itemIdentifier), version: version, start: requestedRange.location,
                    count: requestedRange.length),
                to: url, at: requestedRange.location)
            completionHandler(
                url, told(item), NSRange(location: requestedRange.location, length: count), [], nil)
        } catch CloudError.outdated {
            fail(NSFileProviderError(.versionNoLongerAvailable))
        } catch {
            fail(ServiceClient.error(error))
        }
        return progress
    }
}
