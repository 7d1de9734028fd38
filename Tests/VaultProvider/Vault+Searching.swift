import FileProvider
import Foundation
import UniformTypeIdentifiers

/// A search of files by parts of their names.
extension Vault: NSFileProviderSearching {
    func searchEnumerator(
        for request: NSFileProviderStringSearchRequest
    ) -> any NSFileProviderSearchEnumerator { VaultSearch(service, request.query) }
}

private final class VaultSearch: NSObject, NSFileProviderSearchEnumerator {
    private let service: URL
    private let word: String

    init(_ service: URL, _ word: String) {
        self.service = service
        self.word = word
    }

    func invalidate() {}

    func enumerateSearchResults(
        for observer: any NSFileProviderSearchEnumerationObserver, startingAt page: NSFileProviderPage?
    ) {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: service.path)) ?? []).sorted()
        observer.didEnumerate(names.filter { $0.contains(word) }.map { VaultFound(filename: $0) })
        observer.finishEnumerating(upTo: nil)
    }
}

private struct VaultFound: NSFileProviderSearchResult {
    let filename: String

    var itemIdentifier: NSFileProviderItemIdentifier { NSFileProviderItemIdentifier(filename) }
    var creationDate: Date? { nil }
    var contentModificationDate: Date? { nil }
    var lastUsedDate: Date? { nil }
    var contentType: UTType { .plainText }
    var documentSize: NSNumber? { nil }
}
