import FileProvider
import Foundation

/// Fetches that reuse earlier contents. The peer appends new contents to the earlier ones.
extension ReplicaPeer: NSFileProviderIncrementalContentFetching {
    func fetchContents(
        for identifier: NSFileProviderItemIdentifier, version: NSFileProviderItemVersion?,
        usingExistingContentsAt existing: URL, existingVersion: NSFileProviderItemVersion,
        request: NSFileProviderRequest, completionHandler: @escaping (URL?, NSFileProviderItem?, Error?) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: 1)
        note("difference \(identifier.rawValue) \(String(decoding: existingVersion.contentVersion, as: UTF8.self))")
        guard let entry = catalogue.entry(identifier.rawValue) else {
            completionHandler(nil, nil, NSFileProviderError(.noSuchItem))
            return progress
        }
        if identifier.rawValue == "without-history" {
            completionHandler(nil, nil, NSFileProviderError(.versionNoLongerAvailable))
            return progress
        }
        do {
            let file = try FileHandle(forWritingTo: existing)
            try file.seekToEnd()
            try file.write(contentsOf: entry.contents)
            try file.close()
            completionHandler(existing, PeerItem(entry), nil)
        } catch {
            completionHandler(nil, nil, error)
        }
        return progress
    }
}
