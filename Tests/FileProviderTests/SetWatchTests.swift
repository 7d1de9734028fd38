import DomainMessages
import FileProvider
import Foundation
import ItemValues
import Synchronization
import Testing

/// Notifications of changes in the sets that a process has enumerated.
@Suite(.serialized) struct SetWatchTests {
    /// A daemon that replies when the test says so.
    private final class Backend: SetBackend {
        typealias Answer = @Sendable (Result<UInt64, any Error>) -> Void
        struct State {
            /// The waiting requests, with the version that the process knows and the completion handler.
            var waiting: [(known: UInt64?, answer: Answer)] = []
            var pages = 0
        }
        let state = Mutex(State())

        func items(
            in set: ItemSet, of domain: NSFileProviderDomainIdentifier?, after position: Int64?, limit: Int,
            _ completion: @escaping @Sendable (Result<ItemSetPage, any Error>) -> Void
        ) {
            state.withLock { $0.pages += 1 }
            var page = ItemSetPage(items: [], next: nil)
            page.domainVersion = 7
            completion(.success(page))
        }
        func version(
            of set: ItemSet, in domain: NSFileProviderDomainIdentifier?, known: UInt64?,
            _ completion: @escaping Answer
        ) { state.withLock { $0.waiting.append((known, completion)) } }

        /// Waits for the only request, and returns the version that the process knows.
        func known() async -> UInt64? {
            for _ in 0..<60_000 {
                if let waiting = state.withLock({ $0.waiting.first?.known }) { return waiting }
                try? await Task.sleep(for: .milliseconds(5))
            }
            return nil
        }

        func answer(_ result: Result<UInt64, any Error>) async {
            _ = await known()
            let waiting = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
            waiting?.answer(result)
        }
    }

    /// A counter of notifications.
    private final class Counter: Sendable {
        private let count = Mutex(0)

        init(_ name: NSNotification.Name) {
            // The observer stays registered, and does nothing once the counter is gone.
            _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
                self?.count.withLock { $0 += 1 }
            }
        }

        var value: Int { count.withLock { $0 } }
    }

    private func manager() throws -> NSFileProviderManager {
        let domain = NSFileProviderDomain(
            identifier: NSFileProviderDomainIdentifier(rawValue: UUID().uuidString), displayName: "Test",
            pathRelativeToDocumentStorage: "test")
        return try #require(NSFileProviderManager(for: domain))
    }

    private final class Listing: NSObject, NSFileProviderEnumerationObserver, Sendable {
        private let continuation: Mutex<CheckedContinuation<Void, Never>?>
        init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = Mutex(continuation) }
        func didEnumerate(_ updatedItems: [any NSFileProviderItem]) {}
        func finishEnumerating(upTo nextPage: NSFileProviderPage?) { end() }
        func finishEnumeratingWithError(_ error: any Error) { end() }
        private func end() { continuation.withLock { $0.take() }?.resume() }
    }

    private func list(_ enumerator: any NSFileProviderEnumerator) async {
        await withCheckedContinuation { continuation in
            enumerator.enumerateItems(for: Listing(continuation), startingAt: NSFileProviderPage(Data()))
        }
    }

    @Test(arguments: [ItemSet.materialized, .pending])
    func aProgramThatFollowsASetHearsOfItsChanges(set: ItemSet) async throws {
        let (backend, manager) = (Backend(), try manager())
        let name: NSNotification.Name =
            set == .materialized ? .fileProviderMaterializedSetDidChange : .fileProviderPendingSetDidChange
        let counter = Counter(name)
        func makeEnumerator() -> any NSFileProviderEnumerator {
            NSFileProviderManager.$backendOfTask.withValue(backend) {
                set == .materialized ? manager.enumeratorForMaterializedItems() : manager.enumeratorForPendingItems()
            }
        }
        let enumerator = makeEnumerator()
        // Another enumerator of the same set does not send another request.
        _ = makeEnumerator()
        #expect(backend.state.withLock { $0.waiting.count } == 1)
        // A listing waits for the first version, so that no change between the two is missed.
        async let listed: Void = list(enumerator)
        #expect(backend.state.withLock { $0.pages } == 0)
        let first = try #require(backend.state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() })
        #expect(first.known == nil)
        first.answer(.success(1))
        await listed
        #expect(backend.state.withLock { $0.pages } == 1 && counter.value == 0)
        if let pending = enumerator as? any NSFileProviderPendingSetEnumerator {
            #expect(pending.domainVersion == NSFileProviderDomainVersion(number: 7))
        }
        #expect(await backend.known() == 1)
        await backend.answer(.success(5))
        #expect(await backend.known() == 5)
        #expect(counter.value == 1)
        // The daemon goes away, and is available again after a while.
        await backend.answer(.failure(NSFileProviderError(.providerDomainTemporarilyUnavailable)))
        #expect(await backend.known() == 5)
        #expect(counter.value == 1)
        await backend.answer(.success(5))
        #expect(await backend.known() == 5)
        #expect(counter.value == 1)
        // No further request is sent for a removed domain.
        await backend.answer(.failure(NSFileProviderError(.providerDomainNotFound)))
        #expect(backend.state.withLock { $0.waiting.isEmpty } && counter.value == 1)
    }
}
