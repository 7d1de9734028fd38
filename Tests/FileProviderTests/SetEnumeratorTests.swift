import DomainMessages
import FileProvider
import Foundation
import ItemValues
import Synchronization
import Testing

/// The enumerations of the materialized items and of the items waiting for upload, and the progress of all transfers.
@Suite struct SetEnumeratorTests {
    /// A daemon with the sets that the test gives.
    private final class Backend: SetBackend {
        struct State {
            var items: [ItemSet: [ProviderItem]] = [:]
            var totals = TransferTotals()
            var looks = 0
            var error: NSFileProviderError?
        }
        let state = Mutex(State())

        func transfers(
            isUpload: Bool, in domain: NSFileProviderDomainIdentifier?,
            _ completion: @escaping @Sendable (Result<TransferTotals, any Error>) -> Void
        ) {
            completion(
                state.withLock { state in
                    state.looks += 1
                    return state.error.map { .failure($0) } ?? .success(isUpload ? state.totals : TransferTotals())
                })
        }
        func items(
            in set: ItemSet, of domain: NSFileProviderDomainIdentifier?, after position: Int64?, limit: Int,
            _ completion: @escaping @Sendable (Result<ItemSetPage, any Error>) -> Void
        ) {
            completion(
                state.withLock { state in
                    if let error = state.error { return .failure(error) }
                    let all = state.items[set] ?? []
                    let start = Int(position ?? 0)
                    let page = all.dropFirst(start).prefix(limit)
                    let next = start + page.count
                    return .success(ItemSetPage(items: Array(page), next: next < all.count ? Int64(next) : nil))
                })
        }
    }

    /// An observer of one reply of an enumerator.
    private final class Observer: NSObject, NSFileProviderEnumerationObserver, NSFileProviderChangeObserver, Sendable {
        struct Answer {
            var updated: [String] = []
            var deleted: [String] = []
            var page: NSFileProviderPage?
            var anchor: NSFileProviderSyncAnchor?
        }
        private struct State {
            var answer = Answer()
            var continuation: CheckedContinuation<Answer, any Error>?
        }
        private let state: Mutex<State>
        private let size: Int

        init(size: Int = 100, _ continuation: CheckedContinuation<Answer, any Error>) {
            state = Mutex(State(continuation: continuation))
            self.size = size
        }

        var suggestedPageSize: Int { size }

        func didEnumerate(_ updatedItems: [any NSFileProviderItem]) { didUpdate(updatedItems) }
        func didUpdate(_ updatedItems: [any NSFileProviderItem]) {
            let names = updatedItems.map(\.filename)
            state.withLock { $0.answer.updated += names }
        }
        func didDeleteItems(withIdentifiers deletedItemIdentifiers: [NSFileProviderItemIdentifier]) {
            state.withLock { $0.answer.deleted += deletedItemIdentifiers.map(\.rawValue) }
        }
        func finishEnumerating(upTo nextPage: NSFileProviderPage?) { end { $0.page = nextPage } }
        func finishEnumeratingChanges(upTo anchor: NSFileProviderSyncAnchor, moreComing: Bool) {
            end { $0.anchor = anchor }
        }
        func finishEnumeratingWithError(_ error: any Error) {
            state.withLock { $0.continuation.take() }?.resume(throwing: error)
        }
        private func end(_ change: (inout Answer) -> Void) {
            let (answer, continuation) = state.withLock { state in
                change(&state.answer)
                return (state.answer, state.continuation.take())
            }
            continuation?.resume(returning: answer)
        }
    }

    private func item(_ name: String, size: Int64 = 1) -> ProviderItem {
        var item = ProviderItem(
            identifier: "id-" + name, parent: ProviderItem.rootIdentifier, filename: name, kind: .file)
        item.size = size
        return item
    }

    private func page(
        _ enumerator: any NSFileProviderEnumerator, _ page: NSFileProviderPage, size: Int = 100
    ) async throws -> Observer.Answer {
        try await withCheckedThrowingContinuation { continuation in
            enumerator.enumerateItems(for: Observer(size: size, continuation), startingAt: page)
        }
    }

    private func changes(
        _ enumerator: any NSFileProviderEnumerator, _ anchor: NSFileProviderSyncAnchor
    ) async throws -> Observer.Answer {
        try await withCheckedThrowingContinuation { continuation in
            enumerator.enumerateChanges(for: Observer(continuation), from: anchor)
        }
    }

    private func code(_ body: () async throws -> Void) async -> NSFileProviderError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? NSFileProviderError)?.code
        }
    }

    private func enumerators(
        _ backend: Backend
    ) -> (materialized: any NSFileProviderEnumerator, pending: any NSFileProviderPendingSetEnumerator) {
        NSFileProviderManager.$backendOfTask.withValue(backend) {
            let manager = NSFileProviderManager.default
            return (manager.enumeratorForMaterializedItems(), manager.enumeratorForPendingItems())
        }
    }

    @Test func setsAreListedInPages() async throws {
        let backend = Backend()
        backend.state.withLock { state in
            state.items[.materialized] = (0..<5).map { item("\($0)") }
            state.items[.pending] = [item("pending")]
        }
        let (materialized, pending) = enumerators(backend)
        for first in [
            NSFileProviderPage(Data()), NSFileProviderPage.initialPageSortedByName as NSFileProviderPage,
            NSFileProviderPage.initialPageSortedByDate as NSFileProviderPage,
        ] {
            var names: [[String]] = []
            var next: NSFileProviderPage? = first
            while let page = next {
                let answer = try await self.page(materialized, page, size: 2)
                names.append(answer.updated)
                next = answer.page
            }
            #expect(names == [["0", "1"], ["2", "3"], ["4"]])
        }
        let answer = try await page(pending, NSFileProviderPage(Data()), size: 0)
        #expect(answer.updated == ["pending"] && answer.page == nil)
        #expect(pending.domainVersion == nil && pending.refreshInterval > 0 && !pending.isMaximumSizeReached)
        #expect(
            await code { _ = try await page(materialized, NSFileProviderPage(Data("other".utf8))) } == .pageExpired)
    }

    @Test func changesAreToldSinceAnAnchorOfTheSameObject() async throws {
        let backend = Backend()
        // More items than fit in one page.
        backend.state.withLock { $0.items[.materialized] = (0..<1100).map { item("\($0)") } }
        let (materialized, _) = enumerators(backend)
        let first = try #require(await materialized.currentSyncAnchor())
        #expect(first.rawValue.count <= 500)
        let nothing = try await changes(materialized, first)
        #expect(nothing.updated.isEmpty && nothing.deleted.isEmpty && nothing.anchor == first)
        backend.state.withLock { state in
            state.items[.materialized]?.removeFirst()
            state.items[.materialized]?[0].size = 7
            state.items[.materialized]?.append(item("new"))
        }
        let some = try await changes(materialized, first)
        #expect(some.updated.sorted() == ["1", "new"] && some.deleted == ["id-0"])
        let second = try #require(some.anchor)
        #expect(second != first)
        #expect(try await changes(materialized, second).updated.isEmpty)
        // A repeated request gets the same reply.
        #expect(try await changes(materialized, first).deleted == ["id-0"])
        let (another, _) = enumerators(backend)
        #expect(await code { _ = try await changes(another, second) } == .syncAnchorExpired)
    }

    @Test func failedListingsSayWhy() async throws {
        let backend = Backend()
        let (materialized, pending) = enumerators(backend)
        let anchor = try #require(await materialized.currentSyncAnchor())
        backend.state.withLock { $0.error = NSFileProviderError(.providerDomainNotFound) }
        #expect(await code { _ = try await page(pending, NSFileProviderPage(Data())) } == .providerDomainNotFound)
        #expect(await code { _ = try await changes(materialized, anchor) } == .providerDomainNotFound)
        #expect(await materialized.currentSyncAnchor() == nil)
        materialized.invalidate()
        await #expect(throws: CocoaError.self) { _ = try await page(materialized, NSFileProviderPage(Data())) }
        #expect(await code { _ = try await changes(materialized, anchor) } == .syncAnchorExpired)
    }

    // MARK: Progress

    /// Waits until a condition holds that the background brings about.
    @MainActor private func eventually(_ isSo: @MainActor () -> Bool) async throws {
        for _ in 0..<6000 {
            if isSo() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("it did not come about")
    }

    @MainActor @Test func theProgressFollowsWhatIsOnItsWay() async throws {
        let backend = Backend()
        let progress = NSFileProviderManager.$backendOfTask.withValue(backend) {
            NSFileProviderManager.default.globalProgress(for: .uploading)
        }
        #expect(progress.isFinished && progress.totalUnitCount == 1 && !progress.isCancellable)
        backend.state.withLock { $0.totals = TransferTotals(files: 3, filesDone: 1, bytes: 100, bytesDone: 40) }
        try await eventually { !progress.isFinished }
        #expect(progress.totalUnitCount == 100 && progress.completedUnitCount == 40)
        #expect(progress.userInfo[.fileTotalCountKey] as? Int == 3)
        #expect(progress.userInfo[.fileCompletedCountKey] as? Int == 1)
        // While the daemon is unavailable, there is no progress to report.
        backend.state.withLock { $0.error = NSFileProviderError(.providerDomainTemporarilyUnavailable) }
        try await eventually { progress.isFinished }
        backend.state.withLock { $0.error = nil }
        try await eventually { progress.totalUnitCount == 100 && !progress.isFinished }
        backend.state.withLock { $0.totals = TransferTotals() }
        try await eventually { progress.isFinished && progress.totalUnitCount == 1 }
    }

    @MainActor @Test func noProgressIsRequestedThatNoProviderReports() async throws {
        let backend = Backend()
        func begin() {
            for kind in [Progress.FileOperationKind.uploading, .downloading, .copying] {
                let progress = NSFileProviderManager.$backendOfTask.withValue(backend) {
                    NSFileProviderManager.default.globalProgress(for: kind)
                }
                #expect(progress.isFinished)
            }
        }
        begin()
        // The last request may be in progress. Once it has ended, no other follows.
        var last = -1
        try await eventually {
            defer { last = backend.state.withLock { $0.looks } }
            return last == backend.state.withLock { $0.looks }
        }
        #expect(backend.state.withLock { $0.looks } >= 2)
    }
}
