import FileProvider
import Foundation
import UniformTypeIdentifiers

/// Searches of the peer's catalogue, which misbehave if the query states so.
extension Peer: NSFileProviderSearching {
    func searchEnumerator(
        for request: NSFileProviderStringSearchRequest
    ) -> any NSFileProviderSearchEnumerator {
        note("search \(request.query) \(request.desiredNumberOfResults)")
        return PeerSearch(request, catalogue) { [weak self] in self?.note($0) }
    }
}

/// A result with the properties that the test wants.
struct PeerResult: NSFileProviderSearchResult {
    let itemIdentifier: NSFileProviderItemIdentifier
    var filename: String
    var creationDate: Date?
    var contentModificationDate: Date?
    var lastUsedDate: Date?
    var contentType: UTType = .plainText
    var documentSize: NSNumber?

    init(_ identifier: String, name: String? = nil, size: Int? = nil) {
        itemIdentifier = NSFileProviderItemIdentifier(identifier)
        filename = name ?? identifier + ".txt"
        documentSize = size.map { NSNumber(value: $0) }
    }
}

final class PeerSearch: NSObject, NSFileProviderSearchEnumerator {
    private let request: NSFileProviderStringSearchRequest
    private let catalogue: Catalogue
    private let note: (String) -> Void
    private let hasEnded = DispatchSemaphore(value: 0)

    init(
        _ request: NSFileProviderStringSearchRequest, _ catalogue: Catalogue, note: @escaping (String) -> Void
    ) {
        self.request = request
        self.catalogue = catalogue
        self.note = note
    }

    func invalidate() {
        note("invalidate \(request.query)")
        hasEnded.signal()
    }

    func enumerateSearchResults(
        for observer: any NSFileProviderSearchEnumerationObserver, startingAt page: NSFileProviderPage?
    ) {
        let start = page.flatMap { Int(String(decoding: $0.rawValue, as: UTF8.self)) } ?? 0
        func finish(_ next: Data?) { observer.finishEnumerating(upTo: next.map { NSFileProviderPage($0) }) }
        switch request.query {
        case "never": break
        case "blocks":
            note("blocked")
            hasEnded.wait()
            note("unblocked")
        case "crashes": abort()
        case "fails": observer.finishEnumeratingWithError(NSFileProviderError(.notAuthenticated))
        case "pages":
            // The last result of each page is the first of the next.
            observer.didEnumerate((start...start + 2).map { PeerResult("\($0)", size: $0) })
            finish(start < 6 ? Data("\(start + 2)".utf8) : nil)
        case "endless":
            observer.didEnumerate([PeerResult("\(start)")])
            finish(Data("\(start + 1)".utf8))
        case "barren": finish(Data("\(start + 1)".utf8))
        case "largest page": tell(observer.maximumNumberOfResultsPerPage, observer)
        case "larger page": tell(observer.maximumNumberOfResultsPerPage + 1, observer)
        case "same page": finish(Data("again".utf8))
        case "oversized page": finish(Data(repeating: 1, count: 501))
        case "twice":
            observer.didEnumerate([PeerResult("a")])
            finish(nil)
            observer.didEnumerate([PeerResult("b")])
            observer.finishEnumeratingWithError(NSFileProviderError(.serverUnreachable))
        case "excessive":
            observer.didEnumerate(excessive)
            finish(nil)
        default:
            observer.didEnumerate(
                catalogue.children(of: "root").filter { $0.name.contains(request.query) }.map { entry in
                    PeerResult(entry.identifier, name: entry.name, size: entry.contents.count)
                })
            finish(nil)
        }
    }

    private func tell(_ count: Int, _ observer: any NSFileProviderSearchEnumerationObserver) {
        observer.didEnumerate((0..<count).map { PeerResult("\($0)") })
        observer.finishEnumerating(upTo: nil)
    }

    /// Two results that are accepted, although they exceed limits, and four that are rejected.
    private var excessive: [PeerResult] {
        let long = String(repeating: "i", count: 10_000)
        var first = PeerResult("a/b", name: String(repeating: "é", count: 50_000), size: -1)
        first.creationDate = .distantPast
        first.contentModificationDate = Date(timeIntervalSince1970: .infinity)
        var second = PeerResult("c", name: "x/../\u{0}y", size: .max)
        second.lastUsedDate = Date(timeIntervalSince1970: 1)
        return [
            PeerResult(""), first, PeerResult(long), PeerResult("purvey-local:1"),
            PeerResult(NSFileProviderItemIdentifier.rootContainer.rawValue), second,
        ]
    }
}
