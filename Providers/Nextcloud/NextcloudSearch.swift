import DAVFileProvider
import FileProvider
import Foundation
import FoundationAdditions
import HTTPTransport
import LinuxSystem
import NextcloudClient
import UniformTypeIdentifiers
import WebDAVClient

/// Searches at the server, also in folders that were never listed.
extension NextcloudExtension: NSFileProviderSearching {
    package func searchEnumerator(for request: NSFileProviderStringSearchRequest) -> any NSFileProviderSearchEnumerator
    {
        NextcloudSearch(Result { try work }, request.query, wanted: request.desiredNumberOfResults)
    }
}

/// One search. All results are in one page, because the order in which the server sends results changes between
/// requests.
private final class NextcloudSearch: NSObject, NSFileProviderSearchEnumerator, Sendable {
    private let work: Result<DAVWork, any Error>
    private let text: String
    private let wanted: Int
    // Leaf lock.
    private let task = Lock<Task<Void, Never>?>(nil)

    init(_ work: Result<DAVWork, any Error>, _ text: String, wanted: Int) {
        self.work = work
        self.text = text
        self.wanted = wanted
    }

    func invalidate() { task.withLock { $0 }?.cancel() }

    func enumerateSearchResults(
        for observer: any NSFileProviderSearchEnumerationObserver, startingAt page: NSFileProviderPage?
    ) {
        let count = max(1, min(wanted, observer.maximumNumberOfResultsPerPage, 200))
        let (work, text, observer) = (work, text, Disconnected(observer))
        let task = Task {
            let result: Result<[NextcloudFinding], any Error>
            do {
                result = .success(try await Self.found(text, count, try work.get()))
            } catch {
                result = .failure(error)
            }
            HandlerThreads.shared.run {
                switch result {
                case .success(let found):
                    observer.value.didEnumerate(found)
                    observer.value.finishEnumerating(upTo: nil)
                case .failure(let error): observer.value.finishEnumeratingWithError(SystemErrors.error(error))
                }
            }
        }
        self.task.withLock { $0 = task }
    }

    private static func found(_ text: String, _ count: Int, _ work: DAVWork) async throws -> [NextcloudFinding] {
        guard let service = work.account.service as? NextcloudService else { throw CocoaError(.featureUnsupported) }
        let entries = try await work.account.ask { client throws(DAVError) in
            try await service.nextcloud(client).search(text, count: count)
        }
        var found: [NextcloudFinding] = []
        for entry in entries {
            do {
                guard let known = try await work.record(entry.entry) else { continue }
                found.append(NextcloudFinding(known, entry))
            } catch DAVError.notFound {
                // The item was removed while the results were read.
            }
        }
        return found
    }
}

/// A result of a search.
package struct NextcloudFinding: NSFileProviderSearchResult, Sendable {
    package let itemIdentifier: NSFileProviderItemIdentifier
    package let filename: String
    package let creationDate: Date?
    package let contentModificationDate: Date?
    package let contentType: UTType
    package let documentSize: NSNumber?

    package var lastUsedDate: Date? { nil }

    init(_ known: DAVKnownItem, _ entry: NextcloudEntry) {
        itemIdentifier = known.identifier
        filename = known.name
        creationDate = entry.created.map { Date(timeIntervalSince1970: TimeInterval($0.seconds)) }
        contentModificationDate = entry.entry.modified.map { Date(timeIntervalSince1970: TimeInterval($0.seconds)) }
        let suffix = (known.name as NSString).pathExtension
        contentType = known.isFolder ? .folder : UTType(filenameExtension: suffix, conformingTo: .data) ?? .data
        documentSize = entry.size.map { NSNumber(value: $0) }
    }
}
