import FileProvider
import Foundation
import LinuxSystem

/// Reading of one page.
enum Pages {
    static func read(
        _ enumerator: any NSFileProviderEnumerator, from page: NSFileProviderPage, size: Int
    ) async throws -> ([Seen], NSFileProviderPage?) {
        try await withCheckedThrowingContinuation { continuation in
            enumerator.enumerateItems(
                for: Observer(size) { continuation.resume(with: $0) }, startingAt: page)
        }
    }

    private final class Observer: NSObject, NSFileProviderEnumerationObserver, Sendable {
        private let size: Int
        private let finish: @Sendable (Result<([Seen], NSFileProviderPage?), any Error>) -> Void
        // Leaf lock.
        private let items = Lock<[Seen]>([])

        init(_ size: Int, _ finish: @escaping @Sendable (Result<([Seen], NSFileProviderPage?), any Error>) -> Void) {
            (self.size, self.finish) = (size, finish)
        }

        var suggestedPageSize: Int { size }

        func didEnumerate(_ updatedItems: [any NSFileProviderItem]) {
            let seen = updatedItems.map(Seen.init)
            items.withLock { $0 += seen }
        }

        func finishEnumerating(upTo nextPage: NSFileProviderPage?) {
            finish(.success((items.withLock { $0 }, nextPage)))
        }

        func finishEnumeratingWithError(_ error: any Error) { finish(.failure(error)) }
    }
}

/// Reading of one batch of changes.
enum Batches {
    struct Batch: Sendable {
        var updated: [Seen] = []
        var deleted: [NSFileProviderItemIdentifier] = []
        var anchor = NSFileProviderSyncAnchor(Data())
        var isMore = false
    }

    static func read(
        _ enumerator: any NSFileProviderEnumerator, since anchor: NSFileProviderSyncAnchor
    ) async throws -> Batch {
        try await withCheckedThrowingContinuation { continuation in
            enumerator.enumerateChanges(for: Observer { continuation.resume(with: $0) }, from: anchor)
        }
    }

    private final class Observer: NSObject, NSFileProviderChangeObserver, Sendable {
        private let finish: @Sendable (Result<Batch, any Error>) -> Void
        // Leaf lock.
        private let batch = Lock(Batch())

        init(_ finish: @escaping @Sendable (Result<Batch, any Error>) -> Void) { self.finish = finish }

        func didUpdate(_ updatedItems: [any NSFileProviderItem]) {
            let seen = updatedItems.map(Seen.init)
            batch.withLock { $0.updated += seen }
        }

        func didDeleteItems(withIdentifiers deletedItemIdentifiers: [NSFileProviderItemIdentifier]) {
            batch.withLock { $0.deleted += deletedItemIdentifiers }
        }

        func finishEnumeratingChanges(upTo anchor: NSFileProviderSyncAnchor, moreComing: Bool) {
            let found = batch.withLock { batch in
                (batch.anchor, batch.isMore) = (anchor, moreComing)
                return batch
            }
            finish(.success(found))
        }

        func finishEnumeratingWithError(_ error: any Error) { finish(.failure(error)) }
    }
}
