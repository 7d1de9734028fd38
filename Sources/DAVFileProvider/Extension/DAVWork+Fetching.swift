import FileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import WebDAVClient

/// Fetches contents for the system.
extension DAVWork {
    /// A fetched file that is passed to the system.
    struct Fetched: Sendable {
        let url: URL
        let item: DAVItem
    }

    /// The maximum number of attempts to fetch contents that change during the fetch.
    private static let attempts = 4

    /// The maximum size in bytes of contents that are passed to the system in memory.
    private static let largestInMemory = 256 << 10

    /// Fetches the contents of a file, in the version that the server has now.
    func fetch(_ identifier: NSFileProviderItemIdentifier, _ progress: Progress) async throws -> Fetched {
        var known = try await account.known(identifier)
        guard !known.isFolder else { throw CocoaError(.featureUnsupported) }
        if handsOverMemory, let length = known.version.length, length <= Self.largestInMemory {
            let file = try MemoryFile.create(name: "contents")
            if let item = try await attemptFetch(known, to: file, limit: length, progress) {
                let url = try withExtendedLifetime(file) {
                    try FileProviderContents.handOver(FileHandle(fileDescriptor: file.rawValue, closeOnDealloc: false))
                }
                return Fetched(url: url, item: item)
            }
            known = try await refresh(known)
        }
        let (url, file) = try await makeFile()
        do {
            for attempt in 1... {
                // The first attempt assumes that the listed version is current, which saves a request for most files.
                if let item = try await attemptFetch(known, to: file, progress) { return Fetched(url: url, item: item) }
                guard attempt < Self.attempts else { throw DAVError.changed(known.name) }
                known = try await refresh(known)
            }
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw error
        }
        throw CocoaError(.fileReadUnknown)
    }

    /// Fetches the current version of the file at the given address.
    func fetch(at address: HTTPAddress, _ progress: Progress) async throws -> URL {
        let (url, file) = try await makeFile()
        do {
            _ = try await account.ask { client throws(DAVError) in
                var client = client
                client.onProgress = { progress.completedUnitCount = Int64($1) }
                return try await client.get(address, to: .file(file, offset: 0))
            }
            return url
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw error
        }
    }

    /// Fetches a file if it has the known version, and records that the system receives this version.
    ///
    /// - Parameter limit: the maximum number of bytes for a memory file; `nil` for a file on disk.
    /// - Returns: `nil` if the file has another version.
    private func attemptFetch(
        _ known: DAVKnownItem, to file: FileDescriptor, limit: Int? = nil, _ progress: Progress
    ) async throws -> DAVItem? {
        progress.totalUnitCount = Int64(known.version.length ?? 0) + 1
        progress.completedUnitCount = 0
        let contents: DAVContents
        do {
            let condition = condition(known.version.tag.flatMap { DAVEntityTag(opaque: $0) })
            contents = try await account.ask { client throws(DAVError) in
                var client = client
                client.onProgress = { progress.completedUnitCount = Int64($1) }
                let destination = limit.map { HTTPDestination.memory(limit: $0) } ?? .file(file, offset: 0)
                return try await client.get(known.address, if: condition, to: destination)
            }
        } catch DAVError.changed, DAVError.transport(.bodyTooLong) {
            return nil
        } catch DAVError.notFound {
            // The file may have moved.
            return nil
        }
        let length = contents.count
        if limit != nil {
            try contents.bytes.withUnsafeBytes { try file.writeAll($0) }
            try MemoryFile.seal(file)
        }
        guard known.version.length == nil || known.version.length == length else { return nil }
        let isConfirmed =
            known.version.tag != nil && contents.tag?.opaque == known.version.tag
            || known.version.tag == nil && contents.modified != nil
                && contents.modified?.seconds == known.version.modified
        var item = known.item
        var isRacy = contents.isRacy
        if !isConfirmed {
            // Neither the tag nor the date of the reply confirms the version, so the properties are requested
            // afterwards.
            let round = try await account.catalogue.perform { try $0.beginRound() }
            let entry = try await account.ask { client throws(DAVError) in try await client.entry(at: known.address) }
            let noted = try await note(entry, as: known, round: round)
            guard noted.item.contentVersion == known.item.contentVersion else { return nil }
            (item, isRacy) = (noted.item, entry.isRacy)
        }
        try await noteContents(file, length, of: item, isRacy: isRacy, isHandedOver: true, isSealed: limit != nil)
        return account.object(item)
    }

    /// Returns the condition under which contents are read. A weak tag cannot be a condition of the request, so it is
    /// only compared with the tag of the reply.
    func condition(_ tag: DAVEntityTag?) -> DAVClient.ReadCondition {
        guard let tag else { return .any }
        return account.profile.tagging == .strong ? .tag(tag) : .range(tag)
    }

    /// Creates a file for contents that are passed to the system.
    func makeFile() async throws -> (URL, FileDescriptor) {
        let url = temporary.appendingPathComponent(".purvey-dav-" + UUID().uuidString, isDirectory: false)
        let file = try await Blocking.run {
            try FileDescriptor.open(url.path, [.readWrite, .create, .exclusive], permissions: 0o600)
        }
        return (url, file)
    }
}
