import DAVFileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import NextcloudClient
import WebDAVClient

/// The small new files that wait to be uploaded together (bulk upload).
///
/// While one request is in progress, further files arrive, and the next request contains all of them. The request is
/// unconditional, so the names in the folder are requested immediately before it. Files whose names exist already, and
/// files that the server refuses, are uploaded separately, with conditions and an error for each file.
actor NewFileBatches {
    /// One file, with the client for its request.
    struct File: Sendable {
        let upload: DAVFileUpload
        let name: String
        let folder: DAVKnownItem
        let client: NextcloudClient
    }

    private struct Waiting {
        let file: File
        let continuation: CheckedContinuation<DAVEntry?, Never>
    }

    private var waiting: [Waiting] = []
    private var sending = 0
    /// Whether the server has refused a bulk upload as a whole. In this case no further one is sent.
    private var isRefused = false

    /// The maximum size of a file in bytes.
    static let largest = 256 << 10
    /// The maximum number of files and of bytes in one request.
    private static let (mostFiles, mostBytes) = (100, 8 << 20)
    /// The minimum number of files that are uploaded together.
    private static let fewest = 3
    /// The maximum number of concurrent requests. Each request is preceded by one for the names in the folder, so a few
    /// large requests take less time than many small ones.
    private static let mostRequests = 1
    /// The duration to wait for further files before a request, because the system reports changed files one after the
    /// other. A full request is sent at once.
    private static let gathering = Duration.milliseconds(50)

    /// Uploads a file together with others.
    ///
    /// - Returns: the file's entry; `nil` if the caller has to upload it separately.
    func send(_ file: File) async -> DAVEntry? {
        guard !isRefused else { return nil }
        return await withCheckedContinuation { continuation in
            waiting.append(Waiting(file: file, continuation: continuation))
            begin()
        }
    }

    private func begin() {
        guard sending < Self.mostRequests, !waiting.isEmpty else { return }
        sending += 1
        Task {
            if waiting.count < Self.mostFiles { try? await Task.sleep(for: Self.gathering) }
            let batch = take()
            let entries = batch.count < Self.fewest ? [:] : await written(batch.map(\.file))
            for (index, waiting) in batch.enumerated() { waiting.continuation.resume(returning: entries[index]) }
            sending -= 1
            begin()
        }
    }

    /// Removes and returns the files of one folder for the next request.
    private func take() -> [Waiting] {
        guard let folder = waiting.first?.file.folder.address else { return [] }
        var (taken, rest, bytes): ([Waiting], [Waiting], Int) = ([], [], 0)
        for each in waiting {
            let isTaken =
                taken.count < Self.mostFiles && bytes + each.file.upload.count <= Self.mostBytes
                && each.file.folder.address == folder
            guard isTaken else {
                rest.append(each)
                continue
            }
            taken.append(each)
            bytes += each.file.upload.count
        }
        waiting = rest
        return taken
    }

    /// Uploads files in one request.
    ///
    /// - Returns: the entries of the files that the server has written, by index.
    private func written(_ files: [File]) async -> [Int: DAVEntry] {
        guard let first = files.first, !isRefused else { return [:] }
        do {
            var taken = Set(try await first.client.files.names(in: first.folder.address).map(Self.comparable))
            var (indices, new): ([Int], [NextcloudNewFile]) = ([], [])
            for (index, file) in files.enumerated() {
                guard taken.insert(Self.comparable(file.name)).inserted,
                    let contents = await Self.contents(of: file.upload)
                else { continue }
                indices.append(index)
                new.append(NextcloudNewFile(contents, to: file.upload.address, modified: file.upload.modified))
            }
            guard new.count >= Self.fewest else { return [:] }
            let outcomes = try await first.client.writeNew(new)
            var entries: [Int: DAVEntry] = [:]
            for (index, outcome) in zip(indices, outcomes) {
                guard case .success(let written) = outcome else { continue }
                entries[index] = await entry(of: files[index], written)
            }
            return entries
        } catch {
            isRefused = isRefused || error.isRefusalOfBulk
            return [:]
        }
    }

    private func entry(of file: File, _ written: NextcloudWritten) async -> DAVEntry? {
        let details = file.folder.traits.details
        let parent = NextcloudWritten.Parent(mountType: details["mount"], owner: details["owner"])
        let (upload, name) = (file.upload, file.name)
        if let entry = written.entry(of: name, at: upload.address, size: upload.count, upload.modified, parent) {
            return entry
        }
        // The reply lacks a property that listings have, so the entry is requested.
        let entry = try? await file.client.files.entry(at: file.upload.address)
        return entry?.tag == written.tag ? entry : nil
    }

    /// Returns a name in the form in which the names in one folder are compared. Some storages ignore case.
    private static func comparable(_ name: String) -> String {
        name.precomposedStringWithCanonicalMapping.lowercased()
    }

    private static func contents(of upload: DAVFileUpload) async -> [UInt8]? {
        let (file, count) = (upload.file, upload.count)
        return try? await Blocking.run { () throws -> [UInt8] in
            var bytes = [UInt8](repeating: 0, count: count)
            let read = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
            guard read == count else { throw Errno.inputOutput }
            return bytes
        }
    }
}

extension NextcloudService {
    package func sendTogether(
        _ upload: DAVFileUpload, in folder: DAVKnownItem, with client: DAVClient
    ) async -> DAVEntry? {
        guard 1...NewFileBatches.largest ~= upload.count, upload.modified != nil else { return nil }
        var plain = client
        plain.onProgress = nil
        // The server stores the composed form of a name. If the name had another form, the entry that is created from
        // the reply would not have the server's name.
        guard let nextcloud = try? nextcloud(plain), let name = nextcloud.names(of: upload.address)?.last,
            name.utf8.elementsEqual(name.precomposedStringWithCanonicalMapping.utf8),
            let known = try? await capabilities(nextcloud), known.hasBulkUpload
        else { return nil }
        return await batches.send(
            NewFileBatches.File(upload: upload, name: name, folder: folder, client: nextcloud))
    }
}

extension DAVError {
    /// Whether the server refuses bulk uploads, regardless of their contents.
    fileprivate var isRefusalOfBulk: Bool {
        switch self {
        case .notAllowed, .notFound: true
        case .status(let status, _): status == 501 || (400..<500 ~= status && !isTransient)
        default: false
        }
    }
}
