import FileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import WebDAVClient

/// Fetches byte ranges for the system.
extension DAVWork {
    /// A fetched part of a file. In the file at `url`, the part is at its original offset, after a hole.
    struct FetchedPart: Sendable {
        let url: URL
        let item: DAVItem
        let range: NSRange
    }

    /// Fetches a part of a file.
    ///
    /// - Parameter version: the content version to which the part must belong; `nil` for the version in the catalogue.
    func fetchPart(
        _ identifier: NSFileProviderItemIdentifier, _ requested: NSRange, alignment: Int, version: Data?,
        _ progress: Progress
    ) async throws -> FetchedPart {
        let known = try await account.known(identifier)
        // Without range requests, or without a tag to compare, a part may belong to another version than the other
        // parts.
        guard account.profile.sendsRanges, account.profile.tagging != .absent, !known.isFolder,
            let size = known.version.length, size > 0
        else { throw CocoaError(.featureUnsupported) }
        if let version, version != Data(known.item.contentVersion.utf8) {
            throw NSFileProviderError(.versionNoLongerAvailable)
        }
        let step = max(1, alignment)
        let start = min(requested.location, size - 1) / step * step
        let end = min(size, (requested.location + requested.length + step - 1) / step * step)
        guard start < end else { throw CocoaError(.featureUnsupported) }
        let (url, file) = try await makeFile()
        do {
            progress.totalUnitCount = Int64(end - start)
            let listed = known.version.tag.flatMap { DAVEntityTag(opaque: $0) }
            let condition = condition(listed ?? partTags.tag(of: known))
            let contents = try await account.ask { client throws(DAVError) in
                var client = client
                client.onProgress = { progress.completedUnitCount = Int64($1) }
                return try await client.get(
                    known.address, range: HTTPByteRange(start..<end), if: condition, to: .file(file, offset: start))
            }
            guard contents.count == end - start, contents.size == size else { throw DAVError.changed(known.name) }
            if let listed {
                guard contents.tag?.opaque == listed.opaque else { throw DAVError.changed(known.name) }
            } else {
                try confirm(contents, of: known)
            }
            // The server has ignored the requested range. Each further part would transfer the whole file again.
            if contents.isWhole, end - start < size { throw CocoaError(.featureUnsupported) }
            return FetchedPart(
                url: url, item: account.object(known.item), range: NSRange(location: start, length: end - start))
        } catch {
            try? FileManager.default.removeItem(at: url)
            switch error {
            case DAVError.notFound: _ = try await refresh(known)
            case DAVError.changed: break
            default: throw error
            }
            throw NSFileProviderError(.versionNoLongerAvailable)
        }
    }

    /// Checks that a part belongs to the known version, for a server whose listings have no tags. Each part must have
    /// the listed date, and the tag of the first part of the version. The caller has checked the size.
    ///
    /// - Throws: `featureUnsupported` if parts of two states could have the same version, so that the whole file has to
    ///   be fetched.
    private func confirm(_ contents: DAVContents, of known: DAVKnownItem) throws {
        guard let tag = contents.tag, !tag.isWeak, let modified = contents.modified, !contents.isRacy,
            !account.profile.takesDateOnUpload
        else { throw CocoaError(.featureUnsupported) }
        guard modified.seconds == known.version.modified, partTags.note(tag, of: known) else {
            throw DAVError.changed(known.name)
        }
    }
}

/// The tags of files that are fetched in parts from servers whose listings have no tags. The tag of the first fetched
/// part counts as the tag of the version.
final class PartTags: Sendable {
    private struct Known {
        let version: String
        let tag: DAVEntityTag
    }

    /// The maximum number of files whose tags are stored.
    private static let limit = 1_024

    // Leaf lock.
    private let files = Lock<[Int64: Known]>([:])

    /// Returns the tag of a file's version; `nil` before the first part.
    func tag(of item: DAVKnownItem) -> DAVEntityTag? {
        let version = item.item.contentVersion
        return files.withLock { files in
            files[item.item.number].flatMap { $0.version == version ? $0.tag : nil }
        }
    }

    /// Compares the tag of a part with that of the version's first part. If the part is the first one, records its tag.
    ///
    /// - Returns: whether the tags are equal; `true` for the first part.
    func note(_ tag: DAVEntityTag, of item: DAVKnownItem) -> Bool {
        let (number, version) = (item.item.number, item.item.contentVersion)
        return files.withLock { files in
            if let known = files[number], known.version == version { return known.tag.opaque == tag.opaque }
            // A file whose tag is dropped gets a tag again with its next part.
            if files.count >= Self.limit { files.removeAll() }
            files[number] = Known(version: version, tag: tag)
            return true
        }
    }
}
