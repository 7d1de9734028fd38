import Foundation
import Purvey
import Synchronization

/// The program's use of its domains' item sets, and of the progress of all transfers.
@MainActor final class SetUse: Sendable {
    private struct Listed {
        let enumerator: any NSFileProviderEnumerator
        var anchor: NSFileProviderSyncAnchor?
    }
    private var sets: [String: Listed] = [:]
    private var progresses: [String: Progress] = [:]
    /// The number of notifications that each set has received.
    private let counts: Counts

    private final class Counts: Sendable {
        let counts = Mutex<[String: Int]>([:])
        func count(_ set: String) { counts.withLock { $0[set, default: 0] += 1 } }
        func take(_ set: String) -> Int { counts.withLock { $0.removeValue(forKey: set) ?? 0 } }
    }

    nonisolated init() {
        let counts = Counts()
        self.counts = counts
        // Observes for as long as the program runs.
        for (name, set) in [
            (NSNotification.Name.fileProviderMaterializedSetDidChange, "materialized"),
            (.fileProviderPendingSetDidChange, "pending"),
        ] {
            _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in counts.count(set)
            }
        }
    }

    func notified(_ set: String) -> String { "\(counts.take(set))" }

    private func enumerator(_ manager: NSFileProviderManager, _ set: String) -> any NSFileProviderEnumerator {
        if let known = sets[set] { return known.enumerator }
        let enumerator: any NSFileProviderEnumerator =
            set == "pending" ? manager.enumeratorForPendingItems() : manager.enumeratorForMaterializedItems()
        sets[set] = Listed(enumerator: enumerator)
        return enumerator
    }

    func list(_ manager: NSFileProviderManager, _ set: String) async throws -> String {
        let enumerator = enumerator(manager, set)
        var names: [String] = []
        var next: NSFileProviderPage? = NSFileProviderPage(Data())
        while let page = next {
            let answer = try await withCheckedThrowingContinuation { continuation in
                enumerator.enumerateItems(for: SetObserver(continuation), startingAt: page)
            }
            names += answer.names
            next = answer.page
        }
        return names.sorted().joined(separator: " ")
    }

    func changes(_ manager: NSFileProviderManager, _ set: String) async throws -> String {
        let enumerator = enumerator(manager, set)
        guard let anchor = sets[set]?.anchor else {
            sets[set]?.anchor = await withCheckedContinuation { continuation in
                enumerator.currentSyncAnchor { continuation.resume(returning: $0) }
            }
            return "begun"
        }
        let answer = try await withCheckedThrowingContinuation { continuation in
            enumerator.enumerateChanges(for: SetObserver(continuation), from: anchor)
        }
        sets[set]?.anchor = answer.anchor
        return answer.names.sorted().joined(separator: " ")
    }

    func progress(_ manager: NSFileProviderManager, _ kind: String) async throws -> String {
        let progress =
            progresses[kind] ?? manager.globalProgress(for: kind == "uploading" ? .uploading : .downloading)
        progresses[kind] = progress
        let files = progress.userInfo[.fileTotalCountKey] as? Int ?? 0
        return "\(progress.completedUnitCount)/\(progress.totalUnitCount) \(files)"
    }
}

/// An observer of one reply of an enumerator.
private final class SetObserver: NSObject, NSFileProviderEnumerationObserver, NSFileProviderChangeObserver, Sendable {
    struct Answer {
        var names: [String] = []
        var page: NSFileProviderPage?
        var anchor: NSFileProviderSyncAnchor?
    }
    private struct State {
        var answer = Answer()
        var continuation: CheckedContinuation<Answer, any Error>?
    }
    private let state: Mutex<State>

    init(_ continuation: CheckedContinuation<Answer, any Error>) {
        state = Mutex(State(continuation: continuation))
    }

    /// One item per page, so that more than one page is needed.
    var suggestedPageSize: Int { 1 }

    func didEnumerate(_ updatedItems: [any NSFileProviderItem]) { didUpdate(updatedItems) }
    func didUpdate(_ updatedItems: [any NSFileProviderItem]) {
        let names = updatedItems.map { $0.filename + ($0.isDownloaded ?? false ? "+" : "") }
        state.withLock { $0.answer.names += names }
    }
    func didDeleteItems(withIdentifiers deletedItemIdentifiers: [NSFileProviderItemIdentifier]) {
        state.withLock { $0.answer.names += deletedItemIdentifiers.map { "-" + $0.rawValue } }
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
