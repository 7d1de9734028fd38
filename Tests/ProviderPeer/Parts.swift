import FileProvider
import Foundation
import Glibc
import LinuxSystem
import Synchronization

/// A peer that returns byte ranges of files, correctly or not, as the identifier states.
protocol PartPeer: CataloguePeer, NSFileProviderPartialContentFetching {}

extension Peer: PartPeer {}

extension ReplicaPeer: PartPeer {}

extension PartPeer {
    func fetchPartialContents(
        for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion,
        request: NSFileProviderRequest, minimalRange requestedRange: NSRange, aligningTo alignment: Int,
        options: NSFileProviderFetchContentsOptions,
        completionHandler:
            @escaping (
                URL?, (any NSFileProviderItem)?, NSRange, NSFileProviderMaterializationFlags, (any Error)?
            ) -> Void
    ) -> Progress {
        let name = itemIdentifier.rawValue
        let version = String(decoding: requestedVersion.contentVersion, as: UTF8.self)
        note("part \(name) \(requestedRange.location)+\(requestedRange.length) by \(alignment) of \(version)")
        let isCurrent = request.domainVersion == (self as? any NSFileProviderDomainState)?.domainVersion
        note("part \(name) by the system \(request.isSystemRequest) of the current domain \(isCurrent)")
        let progress = Progress(totalUnitCount: 1)
        progress.cancellationHandler = { [weak self] in self?.note("cancelled \(name)") }
        func fail(_ error: (any Error)?) { completionHandler(nil, nil, NSRange(), [], error) }
        guard let entry = catalogue.entry(name) else {
            fail(NSFileProviderError(.noSuchItem))
            return progress
        }
        func give(_ url: URL, _ range: NSRange? = nil) {
            completionHandler(url, PeerItem(entry), range ?? requestedRange, .knownSparseRanges, nil)
        }
        let own = folder.appendingPathComponent("own-file")
        switch name {
        case "never-given": break
        case "gone": fail(NSFileProviderError(.versionNoLongerAvailable))
        case "nothing": fail(nil)
        case "own-file": give(own)
        case "linked":
            let link = place()
            symlink(own.path, link.path)
            give(link)
        case "by-another-way":
            // A link in the temporary directory that leads to the user's directory.
            let way = place()
            symlink(folder.path, way.path)
            give(way.appendingPathComponent("own-file"))
        case "far": give(part(of: entry, requestedRange), NSRange(location: Int.max, length: 5))
        case "pipe":
            let pipe = place()
            mkfifo(pipe.path, 0o600)
            give(pipe)
        case "twice":
            give(part(of: entry, requestedRange))
            give(part(of: entry, requestedRange))
        default: give(part(of: entry, requestedRange))
        }
        return progress
    }

    private func place() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("part-" + UUID().uuidString)
    }

    /// Creates a file with the bytes at their offsets.
    private func part(of entry: Entry, _ range: NSRange) -> URL {
        let url = place()
        let bytes = Array(entry.contents)[range.location..<min(entry.contents.count, range.location + range.length)]
        do {
            let file = try FileDescriptor.open(url.path, [.writeOnly, .create, .exclusive])
            try bytes.withUnsafeBytes { try file.writeAll($0, at: range.location) }
        } catch {
            note("part failed \(error)")
        }
        return url
    }
}
